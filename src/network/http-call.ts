/**
 * Requests to other hosts over HTTP/1.1. Limits hold for each: the signal ends it at any point, the header of the response has
 * at most 16 KiB, and the body is read up to a limit. Redirects are not followed: what a host names is for the caller to judge.
 * Errors are those of Node.js, for the caller to translate into its own.
 */

import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';

const MAX_HEADER_BYTES = 16_384;

export interface HttpCall {
  readonly url: URL;
  /** Default: GET. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Default: none. A response that comes before its end stops it. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the call, the reading of its body included. */
  readonly signal: AbortSignal;
  /** The call fails with ETIMEDOUT if nothing is sent or received for this long. Default: `signal` alone ends it. */
  readonly quietMs?: number;
  /** How the host is reached and what it must prove. Default: a connection for this call alone, with Node's checks. */
  readonly connection?: Pick<HttpsOptions, 'agent' | 'lookup' | 'createConnection' | 'ca'>;
  /** Whether the request is sent again if a kept connection was closed while it was on its way. Default: no. */
  readonly isRepeatable?: boolean;
}

/** A response and its whole body. */
export interface HttpResponse {
  readonly status: number;
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

/** The body of a response is longer than its limit. */
export class BodyTooLong extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The response as soon as its header is here. The caller reads or destroys it. */
export async function openResponse(call: HttpCall): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = begin(call);
  request.on('error', reject);
  request.on('response', (message) => {
    message.once('end', () => {
      if (!request.writableFinished) request.destroy();
    });
    resolve(message);
  });
  // Another protocol is not expected: without a listener, the call would end silently (RFC 9110 §15.2.2).
  request.on('upgrade', (_message, socket) => {
    socket.destroy();
    reject(coded('HPE_UPGRADE', 'the host changes the protocol'));
  });
  const { body, quietMs } = call;
  if (quietMs !== undefined)
    request.setTimeout(quietMs, () => request.destroy(coded('ETIMEDOUT', `silent for ${quietMs} ms`)));
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) request.end(body);
  else pipeline(body, request).catch(reject);
  try {
    return await promise;
  } catch (cause) {
    request.destroy();
    const isStale = request.reusedSocket && (cause as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (isStale && call.isRepeatable === true) return await openResponse(call);
    throw cause;
  }
}

/** The whole body, at most `maxBytes`; fails BodyTooLong. `signal`: ends the reading, if not the signal of the call does. */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) {
    message.destroy();
    throw new BodyTooLong(maxBytes);
  }
  const { bytes, isCut } = await readStart(message, maxBytes, signal);
  if (isCut) throw new BodyTooLong(maxBytes);
  return bytes;
}

/** The first `maxBytes` of the body. The rest is not read. */
export async function readStart(
  message: IncomingMessage,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  const abort = (): void => void message.destroy();
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      byteLength += chunk.length;
      chunks.push(chunk);
      if (byteLength > maxBytes) return { bytes: Buffer.concat(chunks, maxBytes), isCut: true };
    }
    if (signal?.aborted === true || !message.complete) throw coded('ECONNRESET', 'incomplete');
    return { bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, byteLength), isCut: false };
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!message.complete) message.destroy();
  }
}

/** Sends the request and reads the whole response. Fails BodyTooLong, or with an error of Node.js. */
export async function callHttp(call: HttpCall, maxBytes: number): Promise<HttpResponse> {
  const message = await openResponse(call);
  return { status: message.statusCode ?? 0, message, body: await readBody(message, maxBytes) };
}

/** Without the brackets around an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Also if the URL has none. 0: the scheme has no port. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port);
}

function begin({ url, method, headers, signal, connection = { agent: false } }: HttpCall): ClientRequest {
  const options: RequestOptions & HttpsOptions = {
    headers,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...connection,
    ...(method === undefined ? {} : { method }),
  };
  return (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
