const MAX_LINE_LENGTH = 64 * 1024;

interface LineSplitter {
  readonly write: (bytes: Buffer) => void;
  readonly end: () => void;
}

/**
 * Decodes UTF-8 and passes on blocks of whole lines, so that no secret is split between two blocks.
 * Each block ends in `\n`. Lines above 65,536 characters may be cut.
 */
export function lineSplitter(onLines: (block: string) => void): LineSplitter {
  const decoder = new TextDecoder();
  let unfinished = '';
  const add = (text: string) => {
    // The runner treats a lone \r as a line break. Hold back a trailing \r: a \n may follow in the
    // next chunk.
    const all = (unfinished + text).replace(/\r\n|\r(?!$)/g, '\n');
    const end = all.lastIndexOf('\n') + 1;
    if (end > 0) onLines(all.slice(0, end));
    unfinished = all.slice(end, end + MAX_LINE_LENGTH);
  };
  return {
    write: (bytes: Buffer) => add(decoder.decode(bytes, { stream: true })),
    end() {
      add(decoder.decode());
      if (unfinished !== '') onLines(`${unfinished.replace(/\r$/, '')}\n`);
      unfinished = '';
    },
  };
}
