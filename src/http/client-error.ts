/** Responds to bytes that are not HTTP, or do not arrive in time, before there is a request that Fastify could handle. */

import type { Socket } from 'node:net';
import { failureEnvelope } from './envelope.ts';
import { API_ERRORS } from './errors.ts';

const STATUS_BY_CODE: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** Writes one response and closes the connection. */
export function respondClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE.get(error.code ?? '') ?? '400 Bad Request';
  const body = JSON.stringify(failureEnvelope(API_ERRORS.MALFORMED_REQUEST.message));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
