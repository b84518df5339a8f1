/**
 * Requests that can be read without a parser for all of HTTP: GET and HEAD over HTTP/1.1, without a body, alone in the bytes that have
 * arrived. This is a strict part of the grammar (RFC 9112 §3, RFC 9110 §5.5), so such a request ends where Node's parser would say that it
 * ends. Everything else is left to that parser, unread.
 */

/** As many bytes as Node's parser takes for a head. */
export const MAX_HEAD_BYTES = 16_384;

/** A request's header fields. */
export interface PlainFields {
  /** As they came, with the empty line behind them. */
  readonly text: string;
  /** undefined: the client did not send it. */
  readonly acceptEncoding: string | undefined;
  readonly hasRange: boolean;
}

export interface PlainRequest {
  readonly isHead: boolean;
  /** Path and query, unchanged (origin-form, RFC 9112 §3.2.1). */
  readonly target: string;
  readonly fields: PlainFields;
}

const VERSION = ' HTTP/1.1\r\n';
const TARGET = /^\/[!-~]*$/;
/** One line or more, each a token, a colon and a value, then the empty line. No continuation lines. */
const FIELDS = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n$/;
/** With a body, another protocol, or something to answer before the request is complete. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
]);

/**
 * null: it is not such a request, or more than that. `text`: all that has arrived, one byte per character. `before`: of the last
 * request on the connection, which often has the same fields. Hot.
 */
export function readPlainRequest(text: string, before: PlainFields | null): PlainRequest | null {
  const isHead = text.startsWith('HEAD /');
  if (!isHead && !text.startsWith('GET /')) return null;
  const from = isHead ? 5 : 4;
  const end = text.indexOf(VERSION, from);
  if (end < 0) return null;
  const target = text.slice(from, end);
  if (!TARGET.test(target)) return null;
  const rest = text.slice(end + VERSION.length);
  const fields = before !== null && before.text === rest ? before : readFields(rest);
  return fields === null ? null : { isHead, target, fields };
}

function readFields(text: string): PlainFields | null {
  if (!FIELDS.test(text)) return null;
  let hosts = 0;
  let acceptEncoding: string | undefined;
  let hasRange = false;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (NOT_PLAIN.has(name)) return null;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return null;
    if (name === 'host') hosts++;
    else if (name === 'range') hasRange = true;
    else if (name === 'accept-encoding') {
      acceptEncoding = acceptEncoding === undefined ? value : `${acceptEncoding}, ${value}`;
    }
  }
  return hosts === 1 ? { text, acceptEncoding, hasRange } : null;
}
