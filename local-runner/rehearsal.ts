import path from 'node:path';
import type { AgentOptions } from '../local-agent/options.ts';
import type { Task } from '../src/inputs/table.ts';
import { fillIn } from './expressions.ts';
import type { Job, JobStep, Use } from './workflow-file.ts';

const PROJECT = path.dirname(import.meta.dirname);
const OWN = /^(?:sandbox-sync\/sandbox-sync|\.)\/?(?<folder>upload|stats|monitor|)(?:@.+)?$/;

/** The inputs by which a step reaches its sandbox. */
export const ACCESS = ['base-url', 'sandbox-id', 'token'] as const;

export type Access = Readonly<Record<(typeof ACCESS)[number], string>>;

/** What an action of this project does, or undefined for any other. */
export function taskOf(uses: string): Task | undefined {
  const own = OWN.exec(uses);
  const tasks = ['upload', 'stats', 'monitor'] as const;
  return own === null ? undefined : (tasks.find(task => task === own.groups?.['folder']) ?? 'sync');
}

/** The folder in this checkout of an action of this project, or undefined for any other. */
export function folderOf(uses: string): string | undefined {
  const task = taskOf(uses);
  return task === undefined ? undefined : path.join(PROJECT, task === 'sync' ? '' : task);
}

/** The jobs without the actions of others, without scripts unless they are to run, and each in its first copy alone. */
export function rehearsed(jobs: readonly Job[], withScripts: boolean): Job[] {
  const stays = ({ does }: JobStep) => ('uses' in does ? folderOf(does.uses) !== undefined : withScripts);
  return jobs.map(job => ({ ...job, copies: job.copies.slice(0, 1), steps: job.steps.filter(stays) }));
}

/** How the sandbox must be reached, by the first step that uses it. */
export function agentOptionsFor(
  jobs: readonly Job[],
): Pick<AgentOptions, 'headerPrefix' | 'sandboxPort' | 'uploadPath' | 'statsPath'> {
  const [first] = jobs.flatMap(({ steps }) => steps.flatMap(({ does }) => ('uses' in does ? [does] : [])));
  const inputs = first?.inputs ?? {};
  const given = (name: string, fallback: string) => fillIn(inputs[name] ?? '', {}, true) || fallback;
  return {
    headerPrefix: given('header-prefix', 'Svc'),
    sandboxPort: Number(given('port', '49983')),
    uploadPath: given('upload-path', '/files'),
    statsPath: given('stats-path', '/metrics'),
  };
}

/** The jobs with every step that uses a sandbox using this one. */
export function usingSandbox(jobs: readonly Job[], access: Access): Job[] {
  const fitted = (does: Use): Use => ({ ...does, inputs: { ...does.inputs, ...access } });
  return jobs.map(job => ({
    ...job,
    steps: job.steps.map(step => ('uses' in step.does ? { ...step, does: fitted(step.does) } : step)),
  }));
}
