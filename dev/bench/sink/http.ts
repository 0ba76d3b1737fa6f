/** The parts of a request's head that the sink needs. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The query parameter `path`, decoded. */
  readonly target: string | undefined;
  /** Undefined for a chunked body. */
  readonly length: number | undefined;
  /** Undefined if the body is not a form. */
  readonly boundary: string | undefined;
  readonly expectsContinue: boolean;
}

/** Parses a request line and its header fields. */
export function parseRequestHead(text: string): RequestHead {
  const [, method = '', path = '', query = ''] = /^(\S+) ([^ ?]*)\??(\S*)/.exec(text) ?? [];
  const target = /(?:^|&)path=([^&]*)/.exec(query)?.[1];
  const isChunked = /^transfer-encoding: *chunked/im.test(text);
  return {
    method,
    path,
    target: target === undefined ? undefined : decodeURIComponent(target.replaceAll('+', ' ')),
    length: isChunked ? undefined : Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0),
    boundary: /^content-type: *multipart\/form-data; *boundary="?([^"\r;]+)/im.exec(text)?.[1],
    expectsContinue: /^expect: *100-continue/im.test(text),
  };
}

/** Decodes a body piece by piece. */
export interface Coding {
  /** Returns how many bytes of the piece it took: all, unless the body ends within it. */
  readonly take: (piece: Buffer) => number;
  readonly isAtEnd: () => boolean;
}

type OnContent = (piece: Buffer) => void;

/** A body with a Content-Length. */
export function identityCoding(length: number, onContent: OnContent): Coding {
  let missing = length;
  return {
    take(piece) {
      const taken = Math.min(piece.length, missing);
      missing -= taken;
      if (taken > 0) onContent(taken === piece.length ? piece : piece.subarray(0, taken));
      return taken;
    },
    isAtEnd: () => missing === 0,
  };
}

/** A body with `Transfer-Encoding: chunked`, without trailers. */
export function chunkedCoding(onContent: OnContent): Coding {
  let line = '';
  // Bytes of the chunk still to come; undefined while reading the line with its size.
  let missing: number | undefined;
  let isLast = false;
  let ended = false;

  function takeContent(piece: Buffer, wanted: number): number {
    const taken = Math.min(piece.length, wanted);
    onContent(piece.subarray(0, taken));
    missing = taken === wanted ? undefined : wanted - taken;
    return taken;
  }

  function takeLine(piece: Buffer): number {
    const at = piece.indexOf(0x0a);
    line += piece.toString('latin1', 0, at === -1 ? piece.length : at);
    if (at === -1) return piece.length;
    const text = line.trim();
    line = '';
    if (isLast) ended = true;
    // The line break after a chunk reads as an empty line.
    else if (text !== '') missing = Number.parseInt(text, 16);
    if (missing === 0) {
      isLast = true;
      missing = undefined;
    }
    return at + 1;
  }

  return {
    take(piece) {
      let taken = 0;
      while (taken < piece.length && !ended) {
        const rest = piece.subarray(taken);
        taken += missing === undefined ? takeLine(rest) : takeContent(rest, missing);
      }
      return taken;
    },
    isAtEnd: () => ended,
  };
}
