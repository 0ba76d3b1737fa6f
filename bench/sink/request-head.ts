/** What the sink needs of a request's head. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The query parameter `path`, decoded. */
  readonly target: string | undefined;
  /** Undefined for a chunked body. */
  readonly length: number | undefined;
  /** Undefined where the body is no form. */
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
