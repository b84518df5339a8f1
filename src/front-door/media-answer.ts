/**
 * Answers that carry media. They go straight to Node's response: the header block is one flat list, and the bytes are
 * those of the live window, so that nothing is copied whatever the number of viewers. A loan is over when the response
 * has finished: the kernel has all of it then. A response that broke off never finishes.
 */

import type { OutgoingHttpHeader } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { LentMedia } from '../stream/live-media.ts';
import { type ByteRange, parseByteRange } from './byte-range.ts';
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

const NO_BYTES = Buffer.alloc(0);

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
export function sendBytes(reply: FastifyReply, kind: MediaKind, body: Buffer, onSent?: () => void): void {
  reply.hijack();
  reply.raw.writeHead(200, headers(kind, body.length));
  end(reply, body, onSent);
}

/** Sends media that was lent, or the part of it that `rangeHeader` asks for, and gives it back. Returns the bytes of the body. Hot. */
export function sendLent(reply: FastifyReply, media: LentMedia, rangeHeader: string | undefined): number {
  return sendMedia(reply, media.bytes, rangeHeader, media.release);
}

/** Sends media, or the part of it that `rangeHeader` asks for. `onSent`: the kernel has it all. Returns the bytes of the body. */
export function sendMedia(
  reply: FastifyReply,
  body: Buffer,
  rangeHeader: string | undefined,
  onSent?: () => void,
): number {
  if (rangeHeader !== undefined)
    return sendRange(reply, body, parseByteRange(rangeHeader, body.length), onSent);
  sendBytes(reply, MEDIA, body, onSent);
  return body.length;
}

function sendRange(
  reply: FastifyReply,
  body: Buffer,
  range: ByteRange | 'whole' | 'unsatisfiable',
  onSent?: () => void,
): number {
  if (range === 'whole') {
    sendBytes(reply, MEDIA, body, onSent);
    return body.length;
  }
  reply.hijack();
  if (range === 'unsatisfiable') {
    reply.raw.writeHead(416, rangeHeaders(0, `bytes */${body.length}`));
    end(reply, NO_BYTES, onSent);
    return 0;
  }
  const { first, last } = range;
  reply.raw.writeHead(206, rangeHeaders(last - first + 1, `bytes ${first}-${last}/${body.length}`));
  end(reply, body.subarray(first, last + 1), onSent);
  return last - first + 1;
}

/** `finish`, and not the callback of `end`: that one is called for answers that broke off, too. */
function end(reply: FastifyReply, body: Buffer, onSent?: () => void): void {
  if (onSent !== undefined) reply.raw.once('finish', onSent);
  reply.raw.end(body);
}

function rangeHeaders(lengthBytes: number, contentRange: string): OutgoingHttpHeader[] {
  const list = headers(MEDIA, lengthBytes);
  list.push('content-range', contentRange);
  return list;
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
