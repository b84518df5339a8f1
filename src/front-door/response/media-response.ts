/**
 * Responses that carry media. They go straight to Node's response: the header block is one flat list, and the bytes are
 * those of the live window, so nothing is copied, whatever the number of viewers. MediaAnswers keeps track of how long
 * they are on loan.
 */

import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { endWith } from '../../connections/paced-body.ts';
import { acceptsCoding } from '../../core/accept-encoding.ts';
import type { PlaylistText } from '../../stream/media/live-media.ts';
import { type ByteRange, parseByteRange } from './byte-range.ts';
import { beginPrepared, headerLines, wholeHead } from './prepared-head.ts';
import { COMMON_HEADERS } from './refusal-response.ts';

/** The kind of a response, as far as headers are concerned. */
export interface MediaKind {
  readonly type: string;
  readonly cacheControl: string;
  /** Further headers: names and values, flat. */
  readonly more?: readonly string[];
}

/** A playlist is outdated after one part. */
export const PLAYLIST: MediaKind = { type: 'application/vnd.apple.mpegurl', cacheControl: 'no-store' };
/** A media name never refers to different bytes. Private: the path carries the viewer's grant. */
export const MEDIA: MediaKind = { type: 'video/mp4', cacheControl: 'private, max-age=3600, immutable' };
/** The same for the audio of a manifest. */
export const AUDIO: MediaKind = { type: 'audio/mp4', cacheControl: MEDIA.cacheControl };
/** A manifest is outdated after one segment. */
export const MANIFEST: MediaKind = { type: 'application/dash+xml', cacheControl: 'no-store' };
/** The time, for players whose clock is wrong. */
export const TIME: MediaKind = { type: 'text/plain; charset=utf-8', cacheControl: 'no-store' };

const NO_BYTES = Buffer.alloc(0);
const RANGES = ['accept-ranges', 'bytes'] as const;

/** Headers behind the others: as Node takes them, and as they are sent. */
interface MoreHeaders {
  readonly list: readonly string[];
  readonly lines: string;
}

const NO_MORE = moreHeaders();
const VARY = moreHeaders('vary', 'accept-encoding');
const VARY_GZIP = moreHeaders('vary', 'accept-encoding', 'content-encoding', 'gzip');
/** Header lines of each kind, up to the length. */
const knownLines = new WeakMap<MediaKind, string>();

const EXPOSED = COMMON_HEADERS['access-control-expose-headers'];

/** Sends a playlist or a manifest, compressed if the client accepts that. Returns the bytes of the body. Hot. */
export function sendPlaylist(
  reply: FastifyReply,
  playlist: PlaylistText,
  kind: MediaKind = PLAYLIST,
): number {
  reply.hijack();
  return writePlaylist(reply.request.raw, reply.raw, playlist, kind);
}

/** The same without Fastify. Hot. */
export function writePlaylist(
  request: IncomingMessage,
  response: ServerResponse,
  playlist: PlaylistText,
  kind: MediaKind = PLAYLIST,
): number {
  const isGzip = acceptsCoding(request.headers['accept-encoding'], 'gzip');
  const body = isGzip ? playlist.gzipped() : playlist.text;
  begin(request, response, kind, body.length, isGzip ? VARY_GZIP : VARY);
  response.end(body, 'latin1');
  return request.method === 'HEAD' ? 0 : body.length;
}

/** Sends 204: there is nothing to send now (RFC 9110 §15.3.5). */
export function sendNothing(reply: FastifyReply): void {
  reply
    .code(204)
    .headers({ ...COMMON_HEADERS, 'cache-control': 'no-store' })
    .send();
}

/** Sends shared bytes; `body` is not changed and may be sent to others at the same time. Hot. */
export function sendBytes(reply: FastifyReply, kind: MediaKind, body: Buffer): void {
  reply.hijack();
  begin(reply.request.raw, reply.raw, kind, body.length, NO_MORE);
  endWith(reply.raw, body);
}

/** Sends media, or the part of it that `rangeHeader` requests. Returns the bytes of the body. */
export function sendMedia(
  reply: FastifyReply,
  body: Buffer,
  rangeHeader: string | undefined,
  kind: MediaKind = MEDIA,
): number {
  if (rangeHeader !== undefined) {
    return sentBytes(reply, sendRange(reply, body, parseByteRange(rangeHeader, body.length), kind));
  }
  sendBytes(reply, kind, body);
  return sentBytes(reply, body.length);
}

/** The bytes that are sent for a body of `bodyBytes`: a response to HEAD has none (RFC 9110 §9.3.2). */
export function sentBytes(reply: FastifyReply, bodyBytes: number): number {
  return reply.request.method === 'HEAD' ? 0 : bodyBytes;
}

function sendRange(
  reply: FastifyReply,
  body: Buffer,
  range: ByteRange | 'whole' | 'unsatisfiable',
  kind: MediaKind,
): number {
  if (range === 'whole') {
    sendBytes(reply, kind, body);
    return body.length;
  }
  reply.hijack();
  if (range === 'unsatisfiable') {
    const refused = { type: kind.type, cacheControl: 'no-store' };
    reply.raw.writeHead(416, rangeHeaders(refused, 0, `bytes */${body.length}`));
    reply.raw.end(NO_BYTES);
    return 0;
  }
  const { first, last } = range;
  reply.raw.writeHead(206, rangeHeaders(kind, last - first + 1, `bytes ${first}-${last}/${body.length}`));
  endWith(reply.raw, body.subarray(first, last + 1));
  return last - first + 1;
}

function rangeHeaders(kind: MediaKind, lengthBytes: number, contentRange: string): OutgoingHttpHeader[] {
  const list = headers(kind, lengthBytes);
  list.push('content-range', contentRange);
  return list;
}

/** Begins a response whose length is not known yet: `write` and `end` follow, in chunks (RFC 9112 §7.1). */
export function beginChunked(reply: FastifyReply, kind: MediaKind): void {
  reply.hijack();
  reply.raw.writeHead(200, unsizedHeaders(kind));
}

function moreHeaders(...list: readonly string[]): MoreHeaders {
  return { list, lines: headerLines(list) };
}

/** Begins a response with status 200. Hot. */
function begin(
  request: IncomingMessage,
  response: ServerResponse,
  kind: MediaKind,
  lengthBytes: number,
  more: MoreHeaders,
): void {
  if (beginPrepared(request, response, usualLines(kind, lengthBytes, more))) return;
  const list = headers(kind, lengthBytes);
  list.push(...more.list);
  response.writeHead(200, list);
}

/** Head and body of a response with a playlist. `keepAliveMs`: see wholeHead. */
export function playlistResponse(
  playlist: PlaylistText,
  isGzip: boolean,
  keepAliveMs: number | null,
): Buffer {
  const body = isGzip ? playlist.gzipped() : playlist.text;
  const more = isGzip ? VARY_GZIP : VARY;
  return Buffer.from(wholeHead(200, usualLines(PLAYLIST, body.length, more), keepAliveMs) + body, 'latin1');
}

/** Head of a response with media of the live window. */
export function mediaHead(lengthBytes: number, keepAliveMs: number | null): Buffer {
  return Buffer.from(wholeHead(200, usualLines(MEDIA, lengthBytes, NO_MORE), keepAliveMs), 'latin1');
}

function usualLines(kind: MediaKind, lengthBytes: number, more: MoreHeaders): string {
  return `${linesBeforeLength(kind)}${lengthBytes}\r\n${more.lines}`;
}

function linesBeforeLength(kind: MediaKind): string {
  let lines = knownLines.get(kind);
  if (lines === undefined) {
    lines = `${headerLines([...unsizedHeaders(kind), ...RANGES])}content-length: `;
    knownLines.set(kind, lines);
  }
  return lines;
}

function headers(kind: MediaKind, lengthBytes: number): OutgoingHttpHeader[] {
  const list = unsizedHeaders(kind);
  list.push(...RANGES, 'content-length', lengthBytes);
  return list;
}

function unsizedHeaders(kind: MediaKind): OutgoingHttpHeader[] {
  const list = commonHeaders(kind);
  if (kind.more !== undefined) list.push(...kind.more);
  return list;
}

function commonHeaders(kind: MediaKind): OutgoingHttpHeader[] {
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
  ];
}
