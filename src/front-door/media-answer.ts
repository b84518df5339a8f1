/**
 * Answers that carry media. They go straight to Node's response: the header block is one flat list, and the pieces of
 * a segment are written as they are, in one writev, so that nothing is copied whatever the number of viewers.
 */

import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { parseByteRange } from './byte-range.ts';
import { COMMON_HEADERS } from './refusal-answer.ts';

/** What an answer is, as far as headers go. */
export interface MediaKind {
  readonly type: string;
  readonly cacheControl: string;
}

/** A playlist is old after one part. */
export const PLAYLIST: MediaKind = { type: 'application/vnd.apple.mpegurl', cacheControl: 'no-store' };
/** Names of media never stand for other bytes. Private: the path carries the viewer's grant. */
export const MEDIA: MediaKind = { type: 'video/mp4', cacheControl: 'private, max-age=3600, immutable' };
export const POSTER: MediaKind = { type: 'image/jpeg', cacheControl: 'private, max-age=2' };

const EXPOSED = COMMON_HEADERS['access-control-expose-headers'];

/** Sends a playlist, of one byte a character. Hot. */
export function sendText(reply: FastifyReply, kind: MediaKind, text: string): void {
  reply.hijack();
  reply.raw.writeHead(200, headers(kind, text.length));
  reply.raw.end(text, 'latin1');
}

/** Says that there is nothing to send now (RFC 9110 §15.3.5). */
export function sendNothing(reply: FastifyReply): void {
  reply
    .code(204)
    .headers({ ...COMMON_HEADERS, 'cache-control': 'no-store' })
    .send();
}

/** Sends shared bytes; `body` is not changed and may be sent to others at the same time. Hot. */
export function sendBytes(reply: FastifyReply, kind: MediaKind, body: Buffer): void {
  reply.hijack();
  reply.raw.writeHead(200, headers(kind, body.length));
  reply.raw.end(body);
}

/** Sends shared pieces as one body, or the part of it that `rangeHeader` asks for. Hot. */
export function sendPieces(
  reply: FastifyReply,
  kind: MediaKind,
  pieces: readonly Buffer[],
  rangeHeader: string | undefined,
): void {
  let totalBytes = 0;
  for (let i = 0; i < pieces.length; i++) totalBytes += pieces[i]!.length;
  if (rangeHeader !== undefined) {
    sendRange(reply, kind, pieces, totalBytes, rangeHeader);
    return;
  }
  reply.hijack();
  reply.raw.writeHead(200, headers(kind, totalBytes));
  writePieces(reply.raw, pieces);
}

function sendRange(
  reply: FastifyReply,
  kind: MediaKind,
  pieces: readonly Buffer[],
  totalBytes: number,
  rangeHeader: string,
): void {
  const range = parseByteRange(rangeHeader, totalBytes);
  reply.hijack();
  const { raw } = reply;
  if (range === 'whole') {
    raw.writeHead(200, headers(kind, totalBytes));
    writePieces(raw, pieces);
  } else if (range === 'unsatisfiable') {
    raw.writeHead(416, [...headers(kind, 0), 'content-range', `bytes */${totalBytes}`]);
    raw.end();
  } else {
    const { first, last } = range;
    const contentRange = `bytes ${first}-${last}/${totalBytes}`;
    raw.writeHead(206, [...headers(kind, last - first + 1), 'content-range', contentRange]);
    writePieces(raw, cut(pieces, first, last + 1));
  }
}

function headers(kind: MediaKind, lengthBytes: number): OutgoingHttpHeader[] {
  return [
    'content-type',
    kind.type,
    'cache-control',
    kind.cacheControl,
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    EXPOSED,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'accept-ranges',
    'bytes',
    'content-length',
    lengthBytes,
  ];
}

/** Node joins what is written while corked into one writev. */
function writePieces(raw: ServerResponse, pieces: readonly Buffer[]): void {
  const last = pieces.length - 1;
  raw.cork();
  for (let i = 0; i < last; i++) raw.write(pieces[i]!);
  raw.end(pieces[last]);
  raw.uncork();
}

/** Views of the bytes from `start` to before `end`. */
function cut(pieces: readonly Buffer[], start: number, end: number): Buffer[] {
  const views: Buffer[] = [];
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(0, start - offset);
    const to = Math.min(piece.length, end - offset);
    if (from < to) views.push(piece.subarray(from, to));
    offset += piece.length;
  }
  return views;
}
