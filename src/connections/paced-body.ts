/**
 * Bodies on connections that copy sent bytes. A plain HTTP/1.1 connection reads a body where it is, however many viewers share it. TLS
 * encrypts into memory of its own, and an HTTP/2 stream holds the bytes for which its client gives no window: with a whole segment each, a
 * thousand slow readers would hold a thousand copies. So they get one piece after the other.
 */

import type { ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** How much of a body one response copies into memory of its own. */
export const PIECE_BYTES = 65_536;

/** Ends the response with `body`. It is read until the response has finished, or its memory is given back (unread.ts). Hot. */
export function endWith(response: ServerResponse, body: Buffer): void {
  if (body.length <= PIECE_BYTES || !isCopying(response)) response.end(body);
  else if (response.req.method === 'HEAD') response.end();
  else sendPieces(response, body);
}

function isCopying({ req }: ServerResponse): boolean {
  return req.httpVersionMajor === 2 || (req.socket as TLSSocket).encrypted === true;
}

function sendPieces(response: ServerResponse, body: Buffer): void {
  let sent = 0;
  const next = (): void => {
    while (!response.destroyed) {
      const piece = body.subarray(sent, sent + PIECE_BYTES);
      sent += piece.length;
      if (sent === body.length) {
        response.off('drain', next);
        response.end(piece);
        return;
      }
      if (!response.write(piece)) return;
    }
  };
  response.on('drain', next);
  response.once('close', () => response.off('drain', next));
  next();
}
