const MAX_LINE_LENGTH = 64 * 1024;

export interface LineSplitter {
  readonly write: (bytes: Buffer) => void;
  readonly end: () => void;
}

/**
 * Decodes UTF-8 and passes on blocks of whole lines, so that no secret is split between two blocks.
 * Lines end in `\n`, or in a lone `\r` as progress bars do. Those above 65,536 characters may be cut.
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
