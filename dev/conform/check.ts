import type { Answer, Client } from './client.ts';

export interface Trial extends Client {
  /** Name of the folders that the checks fill, one in /tmp and one in the home directory. */
  readonly id: string;
  readonly canDownload: boolean;
}

/**
 * Checks one behavior and describes what it saw.
 * @throws Differs if the action can cope, any other Error if it cannot
 */
export type Check = (trial: Trial) => Promise<string>;

/** The service differs from E2B's agent, but the action copes. */
export class Differs extends Error {}

/** The checks of a feature by name. The feature works unless a required check fails. */
export interface Checks {
  readonly required: Readonly<Record<string, Check>>;
  readonly others: Readonly<Record<string, Check>>;
}

export type Result = Awaited<ReturnType<typeof runChecks>>[number];

export async function runChecks(feature: string, { required, others }: Checks, trial: Trial) {
  const results = [];
  for (const [name, check] of Object.entries({ ...required, ...others })) {
    const said: unknown = await check(trial).catch((error: unknown) => error);
    const verdict = said instanceof Differs ? 'differs' : said instanceof Error ? 'no' : 'yes';
    const text = String(said).replace(/^Error: /, '');
    const masked = text.replaceAll(trial.connection.token, '***');
    // Control characters from the service must not reach the terminal.
    const seen = masked.replace(/\p{C}+/gu, ' ').slice(0, 160);
    results.push({ feature, name, isRequired: name in required, verdict, seen });
  }
  return results;
}

/** Returns what a check saw. @throws Error with the same text unless `isRight` */
export function expectThat(isRight: boolean, seen: string): string {
  if (isRight) return seen;
  throw new Error(seen);
}

export function rejection(answer: Answer, statuses: readonly number[], words = /^/): string {
  const seen = `${answer.status} ${answer.text}`;
  if (answer.status < 400) throw new Error(`accepted: ${seen}`);
  if (statuses.includes(answer.status) && words.test(answer.text)) return seen;
  throw new Differs(seen);
}
