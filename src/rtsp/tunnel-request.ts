/**
 * The two HTTP requests of a tunnel ("Tunnelling RTSP and RTP through HTTP", Apple 1999; ONVIF streaming specification,
 * "RTP/RTSP/HTTP/TCP"): the response to a GET carries what the camera sends, bytes as they are; the body of a POST
 * carries what the client sends, in Base64. The same `x-sessioncookie` in both makes them one connection.
 *
 * Both are HTTP/1.0, as in Apple's paper and in live555: a server then delimits its response by closing, and no
 * intermediary may turn it into chunks.
 */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { HttpResponseHead } from './http-response-head.ts';

/**
 * The length that a POST announces, and the number every client and server knows. A body never ends there: the client
 * continues with another POST before.
 */
export const TUNNEL_POST_BYTES = 32_767;
/** Cookies of this length work with Apple's own server, too. */
export const TUNNEL_COOKIE_CHARS = 22;

export interface TunnelTarget {
  /** Path and query, as in a request line. */
  readonly path: string;
  /** Value of the Host field. */
  readonly host: string;
}

/** `cookie`: unpredictable text of letters and digits. `authorization`: null before the server has requested one. */
export function tunnelRequest(
  method: 'GET' | 'POST',
  { path, host }: TunnelTarget,
  cookie: string,
  authorization: string | null,
): Uint8Array {
  const lines = [
    `${method} ${path} HTTP/1.0`,
    `Host: ${host}`,
    'User-Agent: Sluice',
    `x-sessioncookie: ${cookie}`,
    method === 'GET' ? `Accept: ${TUNNEL_TYPE}` : `Content-Type: ${TUNNEL_TYPE}`,
    'Pragma: no-cache',
    'Cache-Control: no-cache',
  ];
  // The date in the past is Apple's, for caches that ignore the other two.
  if (method === 'POST')
    lines.push(`Content-Length: ${TUNNEL_POST_BYTES}`, 'Expires: Sun, 9 Jan 1972 00:00:00 GMT');
  if (authorization !== null) lines.push(`Authorization: ${authorization}`);
  if (lines.some((line) => /[\r\n\0]/.test(line))) throw new GatewayError(RTSP_ERRORS.RTSP_UNWRITABLE);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/**
 * Why the response to the GET is not a tunnel; null if it is one. Servers leave the type out or name a generic one, but
 * text is a page of the camera's web interface, and chunks would be read as RTSP.
 */
export function tunnelFault({ statusCode, headers }: HttpResponseHead): GatewayError | null {
  if (statusCode === 503) return new GatewayError(RTSP_ERRORS.RTSP_BUSY, { method: 'GET', statusCode });
  if (statusCode !== 200) return new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, { statusCode });
  const type = (headers.get('Content-Type') ?? '').replace(/;.*/, '').trim().toLowerCase();
  const isOther = type !== '' && type !== TUNNEL_TYPE && !GENERIC_TYPES.test(type);
  if (isOther) {
    const context = { statusCode, reason: 'content-type', contentType: type.slice(0, MAX_SHOWN_CHARS) };
    return new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, context);
  }
  const coding = headers.get('Transfer-Encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding === 'identity') return null;
  return new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, { statusCode, reason: 'transfer-encoding' });
}

const TUNNEL_TYPE = 'application/x-rtsp-tunnelled';
const GENERIC_TYPES = /^(?:application\/(?:octet-stream|x-rtsp[a-z-]*|sdp)|video\/[a-z0-9.+-]+)$/;
const MAX_SHOWN_CHARS = 100;
