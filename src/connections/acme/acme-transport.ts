/**
 * Requests to the ACME server, in place of those of the library: HTTPS alone, to one host, with limits on time and size, without redirects
 * and hidden retries, and with refusals that keep the server's Retry-After. RFC 8555 §6.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { systemClock } from '../../core/clock.ts';
import { isLate, withDeadline } from '../../core/deadline.ts';
import { type ErrorContext, GatewayError } from '../../core/errors.ts';
import { BodyTooLong, callHttp } from '../../network/http-call.ts';
import { CONNECTION_ERRORS } from '../errors.ts';

export interface TransportOptions {
  /**
   * URL. All URLs that the server names must be on its host, so that it cannot send the gateway to others, such as those of its own
   * network.
   */
  readonly directory: string;
  /** Authorities that the server's certificate must prove, in PEM; null: those that Node.js trusts. */
  readonly caPem: string | null;
  readonly signal: AbortSignal;
}

/** The library's request. */
export interface WantedRequest {
  readonly url?: string;
  readonly method?: string;
  readonly data?: unknown;
  readonly headers: object;
}

export interface ServerResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly data: string;
}

/** A failure that names the time of the next attempt. */
export class AcmeRefusal extends GatewayError {
  /** null: the server does not name it. */
  readonly retryAfter: string | null;

  constructor(
    definition: (typeof CONNECTION_ERRORS)[keyof typeof CONNECTION_ERRORS],
    context: ErrorContext,
    retryAfter: string | null,
  ) {
    super(definition, context);
    this.retryAfter = retryAfter;
  }
}

/** A request and its response. */
const REQUEST_MS = 30_000;
export const MAX_BODY_BYTES = 1_048_576;
const MAX_DETAIL_CHARS = 300;
const BAD_NONCE = 'urn:ietf:params:acme:error:badNonce';
const RATE_LIMITED = 'urn:ietf:params:acme:error:rateLimited';

/** Fails ACME_UNREACHABLE, ACME_REFUSED, ACME_RATE_LIMITED or ACME_ANSWER_INVALID. */
export async function sendToAcmeServer(
  { url = '', method = 'get', data, headers }: WantedRequest,
  options: TransportOptions,
): Promise<ServerResponse> {
  const to = allowedUrl(url, options.directory);
  const body = typeof data === 'string' ? data : '';
  const response = await send(to, method.toUpperCase(), body, plainHeaders(headers), options);
  if (response.status >= 400) refuse(response, to.host);
  if (response.status >= 300 && response.status < 400) throw invalidResponse('a redirect');
  return response;
}

function allowedUrl(text: string, directory: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') throw invalidResponse('a URL that is not https');
  if (url.hostname !== new URL(directory).hostname) throw invalidResponse('a URL of another host');
  return url;
}

function send(
  url: URL,
  method: string,
  body: string,
  headers: Record<string, string>,
  { caPem, signal: ending }: TransportOptions,
): Promise<ServerResponse> {
  const connection = { agent: false, ...(caPem === null ? {} : { ca: caPem }) } as const;
  const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const call = async (signal: AbortSignal): Promise<ServerResponse> => {
    try {
      const response = await callHttp(
        { url, method, body, signal, headers: sized, connection },
        MAX_BODY_BYTES,
      );
      const { statusMessage: statusText = '', headers: received } = response.message;
      return { status: response.status, statusText, headers: received, data: response.body.toString() };
    } catch (thrown) {
      if (thrown instanceof BodyTooLong) throw invalidResponse(thrown.message);
      throw unreachable(url, isLate(signal) ? null : (thrown as Error));
    }
  };
  return withDeadline(systemClock, REQUEST_MS, call, ending);
}

/** The headers of an ACME request, without the library's others. */
function plainHeaders(headers: object): Record<string, string> {
  const known = new Set(['content-type', 'user-agent', 'accept']);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      known.has(name.toLowerCase()) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function refuse({ status, headers, data }: ServerResponse, host: string): void {
  const { type, detail } = problemOf(data);
  // The library takes the next nonce and tries again (RFC 8555 §6.5).
  if (status === 400 && type === BAD_NONCE) return;
  const retryAfter = headers['retry-after'] ?? null;
  const isLimited = status === 429 || status === 503 || type === RATE_LIMITED;
  const definition = isLimited ? CONNECTION_ERRORS.ACME_RATE_LIMITED : CONNECTION_ERRORS.ACME_REFUSED;
  throw new AcmeRefusal(definition, { host, status, problem: type, detail }, retryAfter);
}

/** RFC 7807, as far as it can be understood. */
function problemOf(data: string): { readonly type: string; readonly detail: string } {
  try {
    const { type, detail } = JSON.parse(data);
    return { type: shown(type), detail: shown(detail) };
  } catch {
    // A proxy on the way answers in HTML.
    return { type: '', detail: '' };
  }
}

/** Text of a stranger, for the log. */
export function shown(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text.slice(0, MAX_DETAIL_CHARS).replace(/[^\x20-\x7e]/g, ' ');
}

/** `thrown`: null if there was no response in time. */
function unreachable({ host }: URL, thrown: Error | null): GatewayError {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  const reason = thrown === null ? `no response in ${REQUEST_MS} ms` : (code ?? thrown.name);
  return new GatewayError(CONNECTION_ERRORS.ACME_UNREACHABLE, { host, reason });
}

export function invalidResponse(reason: string): GatewayError {
  return new GatewayError(CONNECTION_ERRORS.ACME_ANSWER_INVALID, { reason });
}
