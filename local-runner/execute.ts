import { spawn } from 'node:child_process';
import { EOL } from 'node:os';

/** A process to run. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told each line of its standard output as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Given the process as soon as it runs, to send it signals. */
  readonly onStart?: ((signal: (name: NodeJS.Signals) => void) => void) | undefined;
}

/** How a process ended. Its lines end with a line feed on every system. */
export interface ProcessEnd {
  /** Null where a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a process to its end, without standard input. */
export function execute({ file, args, cwd, env, onLine, onStart }: Command): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '' };
    const lines = lineSplitter(line => onLine?.(line));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text.stdout += chunk;
      lines.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', exitCode => {
      lines.end();
      resolve({ exitCode, stdout: text.stdout.replaceAll(EOL, '\n'), stderr: text.stderr.replaceAll(EOL, '\n') });
    });
    onStart?.(name => child.kill(name));
  });
}

function lineSplitter(onLine: (line: string) => void): { push: (chunk: string) => void; end: () => void } {
  let rest = '';
  return {
    push(chunk) {
      const lines = `${rest}${chunk}`.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end() {
      if (rest !== '') onLine(rest);
    },
  };
}
