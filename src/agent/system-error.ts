import { AgentError } from './failure.ts';

/** The code of an error of the system, such as `ENOENT`; undefined for any other: bugs have none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether an error says that a file cannot be read, and is no bug. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof AgentError || systemCode(error) !== undefined;
}
