/**
 * The head of an HTTP/1.x response (RFC 9112 §4, §5): status line and fields up to the empty line. Sans-IO and
 * incremental. A tunnel reads nothing else of HTTP: whatever follows the head is the RTSP connection.
 */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from './errors.ts';
import { RtspHeaders } from './headers.ts';

/** Limits on what a server can make us hold; those of an RTSP head. */
export const MAX_HTTP_HEAD_BYTES = 16 * 1024;
export const MAX_HTTP_HEADER_COUNT = 64;

export interface HttpResponseHead {
  readonly statusCode: number;
  readonly headers: RtspHeaders;
  /** Index of the first byte of the chunk that does not belong to the head. */
  readonly end: number;
}

const VERSION = 'HTTP/1.';
const CR = 0x0d;
const LF = 0x0a;

export class HttpResponseHeadReader {
  #text = '';
  /** Bytes of the head in all chunks so far. */
  #lengthBytes = 0;
  /** Bytes in the current line, CR not counted. */
  #lineBytes = 0;

  /**
   * Reads `chunk`, borrowed until return; null while the head is incomplete. Fails RTSP_TUNNEL_REFUSED. Not to be
   * called after a head was returned, or after a failure.
   */
  push(chunk: Uint8Array): HttpResponseHead | null {
    const earlierBytes = this.#lengthBytes;
    const roomEnd = MAX_HTTP_HEAD_BYTES - earlierBytes;
    for (let at = 0; at < chunk.length; at++) {
      if (at >= roomEnd) throw refused('head-too-large');
      const byte = chunk[at]!;
      if (byte !== LF) {
        if (byte !== CR) this.#lineBytes += 1;
        continue;
      }
      if (this.#lineBytes === 0) {
        this.#keep(chunk.subarray(0, at));
        return { ...parseHead(this.#text), end: at + 1 };
      }
      this.#lineBytes = 0;
    }
    this.#keep(chunk);
    // A server that speaks another protocol is not waited for.
    if (earlierBytes < VERSION.length && !VERSION.startsWith(this.#text.slice(0, VERSION.length)))
      throw refused('not-http');
    return null;
  }

  /** Latin-1 keeps every byte, as in RTSP heads. */
  #keep(bytes: Uint8Array): void {
    this.#text += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    this.#lengthBytes += bytes.length;
  }
}

function parseHead(text: string): Pick<HttpResponseHead, 'statusCode' | 'headers'> {
  const [statusLine = '', ...lines] = text.split(/\r*\n/);
  const statusCode = /^HTTP\/1\.\d +(\d{3})(?: |\r*$)/.exec(statusLine)?.[1];
  if (statusCode === undefined) throw refused('not-http');
  const headers = new RtspHeaders();
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) {
      headers.fold(line.trim());
      continue;
    }
    const colon = line.indexOf(':');
    // A line without a name means nothing to a tunnel.
    if (colon <= 0) continue;
    if (headers.count >= MAX_HTTP_HEADER_COUNT) throw refused('too-many-headers');
    headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return { statusCode: Number(statusCode), headers };
}

function refused(reason: string): GatewayError {
  return new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, { reason });
}
