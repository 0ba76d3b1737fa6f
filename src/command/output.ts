import type { Context } from '../inputs/context.ts';
import { removeColors } from '../text/escape.ts';
import { cutEnd } from '../text/shorten.ts';

const MAX_LAST_LINES = 40;

// Far below 64 KiB, where lineSplitter() may cut a secret in half before it is redacted.
const MAX_LAST_LINE = 1000;

// gcc erases the rest of the line behind each color (EL of ECMA-48, section 8.3.41).
const ERASE = '\u001b[K';

/** Logs the output, and keeps its end for the result, as a terminal would show it. */
export function keepLastLines({ log, redact }: Pick<Context, 'log' | 'redact'>) {
  let last: readonly string[] = [];
  const splitter = lineSplitter(block => {
    const text = block.replaceAll(ERASE, '');
    // The runner treats a lone \r as a line break.
    log.output(text.replaceAll('\r', '\n'));
    const [first = '', ...others] = lastLinesOf(text, MAX_LAST_LINES + 2).split('\n');
    const lines = [`${last.at(-1) ?? ''}${first}`, ...others];
    // What follows a \r replaces the line before it.
    const shown = lines.map(line => line.replace(/^.*\r(?=.)/s, ''));
    last = [...last.slice(0, -1), ...shown].slice(-MAX_LAST_LINES - 1);
  });
  const lastLines = () => {
    // Removing a color may join two halves of a secret, so redact afterwards.
    const text = redact(removeColors(last.join('\n').replaceAll('\r', ''))).trimEnd();
    return text === '' ? [] : text.split('\n').map(line => cutEnd(line, MAX_LAST_LINE));
  };
  return { ...splitter, lastLines };
}

/** Returns the last lines of a text. Splitting all of it would take memory for each line. */
function lastLinesOf(text: string, count: number): string {
  let start = text.length;
  for (let left = count; left > 0 && start >= 0; left -= 1)
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1);
}

const MAX_LINE_LENGTH = 64 * 1024;

export interface LineSplitter {
  readonly write: (bytes: Buffer) => void;
  readonly end: () => void;
}

/**
 * Decodes UTF-8 and passes on blocks of whole lines, so that no secret is split between two blocks.
 * Lines end in `\n`, or in a lone `\r` as progress bars do. Lines above 65,536 characters may be cut.
 */
export function lineSplitter(onLines: (block: string) => void): LineSplitter {
  const decoder = new TextDecoder();
  let unfinished = '';
  // Hold back a trailing \r: a \n may follow in the next chunk.
  let held = '';
  const add = (text: string) => {
    const all = (held + text).replaceAll('\r\n', '\n');
    held = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - held.length);
    const end = Math.max(lines.lastIndexOf('\n'), lines.lastIndexOf('\r')) + 1;
    if (end > 0) {
      onLines(unfinished + lines.slice(0, end));
      unfinished = '';
    }
    // Only look at what is new, or a line that grows in tiny writes would cost quadratic time.
    unfinished += lines.slice(end, end + MAX_LINE_LENGTH - unfinished.length);
  };
  return {
    write: (bytes: Buffer) => add(decoder.decode(bytes, { stream: true })),
    end() {
      add(decoder.decode());
      if (unfinished + held !== '') onLines(`${unfinished}\n`);
      unfinished = '';
      held = '';
    },
  };
}
