import type { Answer, Request, Service } from './service.ts';

/** `differs` means that the service is unlike E2B's agent, but the action copes. */
export interface Finding {
  readonly verdict: 'yes' | 'no' | 'differs';
  readonly seen: string;
}

/** What all checks of a service share. */
export interface Trial {
  readonly service: Service;
  /** Name of the folders that the checks fill, in /tmp and in the home directory. */
  readonly id: string;
  /** False if uploads cannot be read back. */
  readonly canDownload: boolean;
}

/** Tries one thing. An error means `no`. */
export type Check = (trial: Trial) => Promise<Finding>;

/** The checks of a feature by name. It works unless a required one says `no`. */
export interface Checks {
  readonly required: Readonly<Record<string, Check>>;
  readonly others: Readonly<Record<string, Check>>;
}

export interface Result extends Finding {
  readonly feature: string;
  readonly name: string;
  readonly isRequired: boolean;
}

export async function runChecks(feature: string, checks: Checks, trial: Trial): Promise<Result[]> {
  const results: Result[] = [];
  for (const [name, check] of Object.entries({ ...checks.required, ...checks.others })) {
    const { verdict, seen } = await check(trial).catch((error: unknown) => no(String(error)));
    const masked = seen.replaceAll(trial.service.connection.token, '***');
    // The service's text must not act on the terminal.
    const line = masked.replace(/^Error: /, '').replace(/\p{C}+/gu, ' ');
    const isRequired = name in checks.required;
    results.push({ feature, name, isRequired, verdict, seen: line.slice(0, 160) });
  }
  return results;
}

export const yes = (seen: string): Finding => ({ verdict: 'yes', seen });
export const no = (seen: string): Finding => ({ verdict: 'no', seen });
export const differs = (seen: string): Finding => ({ verdict: 'differs', seen });
export const judge = (isRight: boolean, seen: string) => (isRight ? yes(seen) : no(seen));

/** Judges the answer to a request that the service should reject. */
export function rejection(answer: Answer, statuses: readonly number[], words = /^/): Finding {
  const seen = `${answer.status} ${answer.text}`;
  if (answer.status < 400) return no(`accepted: ${seen}`);
  return statuses.includes(answer.status) && words.test(answer.text) ? yes(seen) : differs(seen);
}

export function rejectsWrongToken(requestOf: (trial: Trial) => Request): Check {
  return async trial => {
    const headers = { 'X-Access-Token': 'wrong' };
    return rejection(await trial.service.send({ ...requestOf(trial), headers }), [401, 403]);
  };
}
