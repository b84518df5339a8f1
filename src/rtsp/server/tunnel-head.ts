/**
 * The head of an HTTP request that begins a tunnel (tunnel-request.ts), as a server reads it: the same cookie in a GET and in a POST makes
 * the two one RTSP connection. Sans-IO and incremental.
 */

import { RtspHeaders } from '../headers.ts';

export const MAX_TUNNEL_HEAD_BYTES = 4_096;
const MAX_HEADERS = 32;
const METHODS = ['GET ', 'POST '] as const;
const COOKIE = /^[\x21-\x7e]{1,128}$/;
const TUNNEL_TYPE = 'application/x-rtsp-tunnelled';

export interface TunnelHead {
  readonly method: 'GET' | 'POST';
  /** `x-sessioncookie`. */
  readonly cookie: string;
  /** Where the body begins in the last chunk. */
  readonly end: number;
}

/** Whether a connection that begins with these bytes is HTTP; null: too few of them. */
export function isHttpStart(bytes: Uint8Array): boolean | null {
  const text = Buffer.from(bytes.subarray(0, 'POST '.length)).toString('latin1');
  if (METHODS.some((method) => text.startsWith(method))) return true;
  return METHODS.some((method) => method.startsWith(text)) ? null : false;
}

/** The response to the GET: what follows is the RTSP connection. */
export const TUNNEL_RESPONSE = Buffer.from(
  [
    'HTTP/1.0 200 OK',
    'Server: Sluice',
    'Connection: close',
    'Cache-Control: no-store',
    'Pragma: no-cache',
    `Content-Type: ${TUNNEL_TYPE}`,
    '\r\n',
  ].join('\r\n'),
  'latin1',
);

/** To anything else that speaks HTTP. */
export const NO_TUNNEL_RESPONSE = Buffer.from(
  'HTTP/1.0 400 Bad Request\r\nServer: Sluice\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  'latin1',
);

export class TunnelHeadReader {
  #text = '';

  /** `chunk` is borrowed. null: more is needed. `refused`: it does not begin a tunnel, or is too large. */
  push(chunk: Uint8Array): TunnelHead | 'refused' | null {
    const before = this.#text.length;
    this.#text += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    const end = /\r?\n\r?\n/.exec(this.#text.slice(0, MAX_TUNNEL_HEAD_BYTES));
    if (end === null) return this.#text.length >= MAX_TUNNEL_HEAD_BYTES ? 'refused' : null;
    const [start = '', ...lines] = this.#text.slice(0, end.index).split(/\r?\n/);
    const method = /^(GET|POST) \S+ HTTP\/1\.[01]$/.exec(start)?.[1];
    const cookie = headersOf(lines)?.get('x-sessioncookie') ?? '';
    if (method === undefined || !COOKIE.test(cookie)) return 'refused';
    return { method: method as TunnelHead['method'], cookie, end: end.index + end[0].length - before };
  }
}

function headersOf(lines: readonly string[]): RtspHeaders | null {
  if (lines.length > MAX_HEADERS) return null;
  const headers = new RtspHeaders();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return headers;
}
