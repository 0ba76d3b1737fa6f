import { ConnectError } from './connect-frames.ts';

// The messages of envd's process service, which packages/envd/spec/process/process.proto of
// e2b-dev/infra describes.

/** A command as a client describes it. */
export interface ProcessConfig {
  readonly cmd: string;
  readonly args: readonly string[];
  readonly envs: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** @throws ConnectError if a field has another type */
export function parseStart(message: unknown): { config: ProcessConfig; hasStdin: boolean } {
  const { process, stdin } = fieldsOf(message);
  const { cmd, args, envs, cwd } = fieldsOf(process);
  const config = {
    cmd: textOf(cmd),
    args: listOf(args).map(textOf),
    envs: Object.fromEntries(
      Object.entries(fieldsOf(envs)).map(([name, value]) => [name, textOf(value)]),
    ),
    cwd: textOf(cwd),
  };
  return { config, hasStdin: stdin !== false };
}

/** Returns the process ID that a message names. @throws ConnectError if there is none */
export function parsePid(message: unknown): number {
  const { pid } = fieldsOf(fieldsOf(message)['process']);
  if (Number.isSafeInteger(Number(pid ?? undefined))) return Number(pid);
  throw new ConnectError('unimplemented', 'invalid input type *process.ProcessSelector');
}

/** @throws ConnectError for any signal but the two that envd sends */
export function parseSignal(message: unknown): 'SIGKILL' | 'SIGTERM' {
  const { signal } = fieldsOf(message);
  if (signal === 'SIGNAL_SIGKILL' || signal === 9) return 'SIGKILL';
  if (signal === 'SIGNAL_SIGTERM' || signal === 15) return 'SIGTERM';
  throw new ConnectError('unimplemented', 'invalid signal: SIGNAL_UNSPECIFIED');
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return { ...value };
  throw wrongType(value);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw wrongType(value);
}

function textOf(value: unknown): string {
  const text = value ?? '';
  if (typeof text === 'string') return text;
  throw wrongType(value);
}

function wrongType(value: unknown): ConnectError {
  const problem = `unmarshal message: invalid value: ${JSON.stringify(value)}`;
  return new ConnectError('invalid_argument', problem);
}
