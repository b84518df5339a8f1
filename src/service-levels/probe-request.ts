/** One GET of the synthetic viewer: bounded in time and bytes. Media are counted, not kept. */

import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestError } from './measurement.ts';

export type ProbeAnswer =
  | { readonly kind: 'ok'; readonly text: string; readonly atMonoMs: number }
  /** `reason`: what the gateway's own refusals say; null: the response is not one. */
  | { readonly kind: 'error'; readonly error: RequestError; readonly reason: string | null };

export interface ProbeRequest {
  readonly url: URL;
  readonly agent: Agent;
  readonly isLocal: boolean;
  /** Whether the body is wanted. */
  readonly isText: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A playlist of the longest window has 100 kB. */
const MAX_TEXT_BYTES = 1_048_576;
/** A segment of 20 s at 50 Mbit/s. */
const MAX_MEDIA_BYTES = 134_217_728;
const USER_AGENT = 'Sluice-Probe/1';
const NETWORK_ERRORS: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE'],
  'ETIMEDOUT',
]);

export function probeRequest(wanted: ProbeRequest): Promise<ProbeAnswer> {
  const { url, agent, isLocal, timeoutMs, signal } = wanted;
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    let hasResponse = false;
    const fail = (error: RequestError) => resolve({ kind: 'error', error, reason: null });
    const request = send(url, {
      agent,
      signal,
      headers: { 'user-agent': USER_AGENT, accept: '*/*' },
      ...(isLocal ? { rejectUnauthorized: false } : {}),
    });
    const timer = setTimeout(() => {
      fail('timeout');
      request.destroy();
    }, timeoutMs);
    request.on('close', () => clearTimeout(timer));
    request.on('error', (error: NodeJS.ErrnoException) => fail(hasResponse ? 'cut-off' : errorOf(error)));
    request.on('response', (response) => {
      hasResponse = true;
      readBody(response, wanted.isText, fail, (text) => resolve(answerOf(response, text)));
    });
    request.end();
  });
}

function readBody(
  response: IncomingMessage,
  isText: boolean,
  fail: (error: RequestError) => void,
  done: (text: string) => void,
): void {
  const isKept = isText || response.statusCode !== 200;
  const maxBytes = isKept ? MAX_TEXT_BYTES : MAX_MEDIA_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      fail('too-large');
      response.destroy();
    } else if (isKept) chunks.push(chunk);
  });
  response.on('end', () => done(Buffer.concat(chunks).toString()));
  response.on('error', () => fail('cut-off'));
  response.on('close', () => {
    if (!response.complete) fail('cut-off');
  });
}

function answerOf({ statusCode = 0 }: IncomingMessage, text: string): ProbeAnswer {
  if (statusCode === 200) return { kind: 'ok', text, atMonoMs: performance.now() };
  const error: RequestError =
    statusCode >= 500
      ? 'status-5xx'
      : statusCode >= 400
        ? 'status-4xx'
        : statusCode >= 300
          ? 'status-3xx'
          : 'other';
  return { kind: 'error', error, reason: reasonOf(text) };
}

/** Of the gateway's own refusals (front-door/refusal-answer.ts). A proxy's page has none. */
function reasonOf(text: string): string | null {
  try {
    const { reason } = JSON.parse(text) as { readonly reason?: unknown };
    return typeof reason === 'string' && /^[a-z-]{1,40}$/.test(reason) ? reason : null;
  } catch {
    // Not JSON.
    return null;
  }
}

function errorOf({ code = '' }: NodeJS.ErrnoException): RequestError {
  if (NETWORK_ERRORS.has(code)) return 'connect';
  return /CERT|TLS|SSL|ALTNAME|SELF_SIGNED|LEAF_SIGNATURE/.test(code) ? 'tls' : 'other';
}
