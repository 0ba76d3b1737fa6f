import { registerHooks } from 'node:module';
import path from 'node:path';
import { FeatureFlags } from '@actions/expressions';

// The package imports JSON without `type: 'json'` (actions/languageservices#387).
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
);
const { convertActionTemplate, parseAction } = await import(
  '@actions/workflow-parser/actions/index'
);
hooks.deregister();

const featureFlags = new FeatureFlags({ all: true });

/** GitHub's findings in a workflow or an action.yml. */
export async function problemsIn(name: string, content: string): Promise<string[]> {
  const isAction = path.basename(name) === 'action.yml';
  const parse = isAction ? parseAction : parseWorkflow;
  const { context, value } = parse({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) {
    if (isAction) convertActionTemplate(context, value);
    else await convertWorkflowTemplate(context, value, undefined, { featureFlags });
  }
  return context.errors.getErrors().map(({ message }) => message);
}
