/**
 * Responses that carry a file which is read as it is sent: ranges, conditions, HEAD, and no more in memory than two
 * blocks, however slowly the client reads. RFC 9110 §13, §14.
 */

import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unreadOf } from '../../connections/http2-sessions.ts';
import { withoutBidiControls } from '../../core/bidi-controls.ts';
import type { ServedFile } from '../../playback/served-file.ts';
import { parseByteRange } from './byte-range.ts';
import { COMMON_HEADERS } from './refusal-response.ts';

export interface FileKind {
  readonly type: string;
  /** The name under which a browser saves it; null: the browser shows it. */
  readonly downloadName: string | null;
  /** Where it stays as it is, if that is another URL (Content-Location). */
  readonly location?: string | null;
  /** False: only the whole file can be sent. Default true. */
  readonly hasRanges?: boolean;
}

/** Follows the bytes on their way. */
export interface FileFlow {
  /** Asked before each block. False: the connection is closed. */
  mayContinue(): boolean;
  /** The client has taken the bytes in memory. */
  onProgress(): void;
  onSent(bytes: number): void;
}

/** `status` 304, 412, 416: without a body. */
export interface FileReply {
  readonly status: 200 | 206 | 304 | 412 | 416;
  /** The range of the body: from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
}

/** A client always checks whether it may still see the file; if it may, an unchanged file is not sent again. */
const CACHE_CONTROL = 'private, no-cache';
const EXPOSED = `${COMMON_HEADERS['access-control-expose-headers']}, ETag, Last-Modified, Content-Disposition`;
const MS_PER_SEC = 1_000;

/** The response for a request of the file (RFC 9110 §13.2.2). */
export function fileReplyFor(request: FastifyRequest, file: ServedFile): FileReply {
  const { headers } = request;
  const etag = `"${file.digest}"`;
  const { 'if-match': match, 'if-unmodified-since': unmodified } = headers;
  if (match !== undefined) {
    if (!listsTag(match, etag, false)) return empty(412);
  } else if (unmodified !== undefined && isAfter(file, unmodified)) return empty(412);
  const { 'if-none-match': noneMatch, 'if-modified-since': modified } = headers;
  if (noneMatch !== undefined) {
    if (listsTag(noneMatch, etag, true)) return empty(304);
  } else if (modified !== undefined && !Number.isNaN(Date.parse(modified)) && !isAfter(file, modified)) {
    return empty(304);
  }
  const whole = { status: 200, first: 0, end: file.byteLength } as const;
  const ifRange = headers['if-range'];
  const isSame = ifRange === undefined || ifRange === etag || ifRange === lastModified(file);
  if (!isSame) return whole;
  const range = parseByteRange(headers.range, file.byteLength);
  if (range === 'whole') return whole;
  if (range === 'unsatisfiable') return empty(416);
  return { status: 206, first: range.first, end: range.last + 1 };
}

/** A file that is in memory, to be saved. */
export function sendSmallFile(reply: FastifyReply, type: string, downloadName: string, bytes: Buffer): void {
  reply
    .code(200)
    .headers({
      ...COMMON_HEADERS,
      'cache-control': 'no-store',
      'content-type': type,
      'content-disposition': contentDisposition(downloadName),
    })
    .send(bytes);
}

/** Sends the headers, and the body as the client takes it. Resolves when there is nothing left to do. Never rejects. */
export async function sendFile(
  reply: FastifyReply,
  file: ServedFile,
  kind: FileKind,
  { status, first, end }: FileReply,
  flow: FileFlow,
): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  const list = headersOf(file, kind);
  if (status === 416) list.push('content-range', `bytes */${file.byteLength}`);
  if (status === 206) list.push('content-range', `bytes ${first}-${end - 1}/${file.byteLength}`);
  if (status !== 304) list.push('content-length', end - first);
  raw.writeHead(status, list);
  if (end === first || reply.request.method === 'HEAD') {
    raw.end();
    return;
  }
  try {
    await pump(raw, file, first, end, flow);
  } catch {
    // The file was deleted in the meantime, or the disk fails: the client sees that bytes are missing.
    raw.destroy();
  }
}

async function pump(
  raw: ServerResponse,
  file: ServedFile,
  first: number,
  end: number,
  flow: FileFlow,
): Promise<void> {
  for await (const { buffers, release } of file.read(first, end)) {
    try {
      if (raw.destroyed || !flow.mayContinue()) {
        raw.destroy();
        return;
      }
      flow.onSent(buffers.reduce((bytes, { length }) => bytes + length, 0));
      await written(raw, buffers);
    } finally {
      release();
    }
    flow.onProgress();
  }
  raw.end();
}

/** Resolves when the system has them, or when the connection or stream is over: then nothing reads the buffers anymore. */
export function written(raw: ServerResponse, buffers: readonly Buffer[]): Promise<void> {
  return new Promise((resolve) => {
    const unread = unreadOf(raw);
    const done = (): void => {
      raw.off('close', close);
      resolve();
    };
    const close = unread === null ? done : () => unread.whenUnread(done);
    raw.on('close', close);
    // Node also calls back the writes of a stream that is over, without an error (onWriteComplete).
    const taken = (): void => {
      if (unread === null || !raw.destroyed) done();
    };
    // Together in one system call.
    raw.cork();
    for (const [index, buffer] of buffers.entries()) {
      if (index < buffers.length - 1) raw.write(buffer);
      else raw.write(buffer, taken);
    }
    raw.uncork();
  });
}

function headersOf(
  file: ServedFile,
  { type, downloadName, location = null, hasRanges = true }: FileKind,
): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [
    'content-type',
    type,
    'cache-control',
    CACHE_CONTROL,
    'accept-ranges',
    hasRanges ? 'bytes' : 'none',
    'etag',
    `"${file.digest}"`,
    'last-modified',
    lastModified(file),
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    EXPOSED,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
  ];
  if (downloadName !== null) list.push('content-disposition', contentDisposition(downloadName));
  if (location !== null) list.push('content-location', location);
  return list;
}

/** RFC 6266 §4: a name in ASCII for old clients, and the name itself. */
export function contentDisposition(given: string): string {
  const name = withoutBidiControls(given);
  const ascii = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** `isWeak`: tags that are only weakly equal count (RFC 9110 §8.8.3.2). */
function listsTag(list: string, etag: string, isWeak: boolean): boolean {
  return list.split(',').some((item) => {
    const given = item.trim();
    return given === '*' || given === etag || (isWeak && given === `W/${etag}`);
  });
}

/** Whether the file changed after that date; false if it is not one. */
function isAfter(file: ServedFile, date: string): boolean {
  return Math.floor(file.modifiedEpochMs / MS_PER_SEC) * MS_PER_SEC > Date.parse(date);
}

function lastModified(file: ServedFile): string {
  return new Date(file.modifiedEpochMs).toUTCString();
}

function empty(status: 304 | 412 | 416): FileReply {
  return { status, first: 0, end: 0 };
}
