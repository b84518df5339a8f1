/**
 * The sending side of an upload (tus 1.0, creation): announces the clip, sends what the gateway does not have yet, and
 * does it again until the gateway says that the clip is done. Announcing a clip again says how far it is, so an attempt
 * needs nothing from the one before.
 */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Backoff } from '../core/backoff.ts';
import { type Clock, pause } from '../core/clock.ts';
import type { Secret } from '../core/secret.ts';
import { openResponse, readStart } from '../network/http-call.ts';

export interface UploadProgress {
  readonly stage: 'sending' | 'importing' | 'waiting';
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** `waiting`: what went wrong. */
  readonly reason: string;
}

export interface ClipUpload {
  /** `…/upload/clips` */
  readonly endpoint: URL;
  readonly key: Secret;
  readonly scheme: string;
  readonly file: FileHandle;
  readonly metadata: Readonly<Record<string, string>>;
  /** How long to continue without any progress. */
  readonly giveUpMs: number;
  readonly clock: Clock;
  readonly onProgress: (progress: UploadProgress) => void;
}

/** `isRefused`: no further attempt with the same file can change it. */
export type UploadOutcome =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly isRefused: boolean; readonly reason: string };

interface TusResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** The gateway may be looking at a long clip. */
const QUIET_MS = 10 * 60_000;
const MAX_BODY_BYTES = 16_384;
const NEVER = new AbortController().signal;
const READ_BYTES = 1_048_576;
const MS_PER_SEC = 1_000;
/** The system's names, Node's for a connection that ended early, and those of TLS. */
const NETWORK_ERROR = /^E[A-Z0-9]+$|^ERR_STREAM_PREMATURE_CLOSE$|^ERR_SSL_|^ERR_TLS_|^HPE_/;

/** Never rejects for what the network or the gateway does. Rejects if the file cannot be read. */
export async function uploadFile(upload: ClipUpload): Promise<UploadOutcome> {
  const { clock, giveUpMs, onProgress } = upload;
  const { size: totalBytes } = await upload.file.stat();
  let furthestBytes = -1;
  let progressMonoMs = clock.monoMs();
  const backoff = new Backoff({ firstMs: FIRST_PAUSE_MS, lastMs: MAX_PAUSE_MS, random: Math.random });
  const tell = (stage: UploadProgress['stage'], sentBytes: number, reason = ''): void => {
    if (sentBytes > furthestBytes) {
      furthestBytes = sentBytes;
      progressMonoMs = clock.monoMs();
      backoff.reset();
    }
    onProgress({ stage, sentBytes, totalBytes, reason });
  };
  for (;;) {
    const { outcome, reason, retryAfterMs } = await attempt(upload, totalBytes, tell);
    if (outcome !== null) return outcome;
    if (clock.monoMs() - progressMonoMs >= giveUpMs) return { isDone: false, isRefused: false, reason };
    tell('waiting', Math.max(0, furthestBytes), reason);
    await pause(clock, Math.max(retryAfterMs, backoff.failed()));
  }
}

/** As hexadecimal digits. */
export async function sha256OfFile(file: FileHandle): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of chunksOf(file, 0)) digest.update(chunk);
  return digest.digest('hex');
}

/** Chunks from `offset` to the end. A stream of the handle would close it with the first connection that breaks. */
async function* chunksOf(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  for (let position = offset; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

interface Attempt {
  /** null: try again. */
  readonly outcome: UploadOutcome | null;
  readonly reason: string;
  readonly retryAfterMs: number;
}

type Tell = (stage: UploadProgress['stage'], sentBytes: number) => void;

async function attempt(upload: ClipUpload, totalBytes: number, tell: Tell): Promise<Attempt> {
  try {
    const announced = await send(upload, 'POST', upload.endpoint, {
      'upload-length': String(totalBytes),
      'upload-metadata': encode(upload.metadata),
    });
    if (announced.status !== 201) return judge(announced);
    const offset = Number(announced.headers['upload-offset'] ?? 0);
    tell('sending', offset);
    if (offset === totalBytes) return DONE;
    // Only the path: the key goes to no other host than the one that the operator named.
    const { pathname, search } = new URL(announced.headers.location ?? '', upload.endpoint);
    const url = Object.assign(new URL(upload.endpoint), { pathname, search });
    const sent = await sendFrom(upload, url, offset, totalBytes, tell);
    if (sent.status !== 204) return judge(sent);
    return Number(sent.headers['upload-offset']) === totalBytes
      ? DONE
      : again('the upload was interrupted', 0);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (!NETWORK_ERROR.test(code ?? '')) throw thrown;
    return again(code ?? message, 0);
  }
}

const DONE: Attempt = { outcome: { isDone: true }, reason: '', retryAfterMs: 0 };

function again(reason: string, retryAfterMs: number): Attempt {
  return { outcome: null, reason, retryAfterMs };
}

/** A status that can change by itself is tried again. */
function judge({ status, headers, body }: TusResponse): Attempt {
  const reason = `${reasonIn(body)} (${status})`;
  const isTemporary = status >= 500 || status === 409 || status === 423 || status === 429 || status === 410;
  if (isTemporary) return again(reason, Number(headers['retry-after'] ?? 0) * MS_PER_SEC);
  return { outcome: { isDone: false, isRefused: true, reason }, reason, retryAfterMs: 0 };
}

function reasonIn(body: string): string {
  try {
    const { errorMsg, reason, field } = JSON.parse(body) as {
      errorMsg?: string;
      reason?: string;
      field?: string;
    };
    return [errorMsg, reason, field].filter((part) => part !== undefined).join(' ');
  } catch {
    // A proxy's page.
    return 'the gateway refused the request';
  }
}

function sendFrom(
  upload: ClipUpload,
  url: URL,
  offset: number,
  totalBytes: number,
  tell: Tell,
): Promise<TusResponse> {
  const headers = {
    'content-type': 'application/offset+octet-stream',
    'content-length': String(totalBytes - offset),
    'upload-offset': String(offset),
  };
  async function* body(): AsyncGenerator<Buffer> {
    let sent = offset;
    for await (const chunk of chunksOf(upload.file, offset)) {
      yield chunk;
      sent += chunk.length;
      tell(sent === totalBytes ? 'importing' : 'sending', sent);
    }
  }
  return send(upload, 'PATCH', url, headers, body());
}

/** Rejects with an error of Node.js. No limit on its duration: an upload takes as long as its link needs. */
async function send(
  { key, scheme }: ClipUpload,
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body?: AsyncIterable<Buffer>,
): Promise<TusResponse> {
  const message = await openResponse({
    url,
    method,
    quietMs: QUIET_MS,
    signal: NEVER,
    ...(body === undefined ? {} : { body }),
    headers: {
      'tus-resumable': '1.0.0',
      'x-auth-apikey': key.reveal(),
      'x-auth-scheme': scheme,
      ...headers,
    },
  });
  const { bytes } = await readStart(message, MAX_BODY_BYTES);
  return { status: message.statusCode ?? 0, headers: message.headers, body: bytes.toString() };
}

function encode(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}
