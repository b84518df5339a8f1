/**
 * Requests to a camera over HTTP: follows redirects, logs in (Basic and Digest), and limits the bytes and the time of
 * every response. The login is sent to the camera's own host and port only. Logs and errors have the host, never the
 * path or the query, which may contain tokens.
 */

import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../core/clock.ts';
import { type ErrorContext, type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { buildAuthorization, type Challenge, parseChallenge } from '../../rtsp/auth.ts';
import type { AddressRule } from '../network/camera-address.ts';
import { isOutdatedTls, type TlsTrust } from '../network/tls-trust.ts';
import { PULL_ERRORS } from './errors.ts';
import { PlainAgent, type Reach, TlsAgent } from './http-agents.ts';

const MAX_REDIRECTS = 5;
const CNONCE_BYTES = 8;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export interface HttpClientOptions {
  /** The camera's own URL, with its login. */
  readonly url: CredentialUrl;
  readonly addressRule: AddressRule;
  readonly tls: TlsTrust;
  readonly clock: Clock;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface Fetched {
  /** After redirects: what relative URLs refer to. */
  readonly url: URL;
  readonly body: Buffer;
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** For everything: redirects, login and body. */
  readonly timeoutMs: number;
}

/** A response whose body has not been read. */
export interface OpenedResponse {
  readonly url: URL;
  readonly contentType: string;
  readonly message: IncomingMessage;
}

export class HttpClient {
  readonly #clock: Clock;
  readonly #reach: Reach;
  readonly #credentials: ReturnType<CredentialUrl['credentials']>;
  readonly #plain: PlainAgent;
  readonly #tls: TlsAgent;
  readonly #abort = new AbortController();
  #challenge: Challenge | null = null;
  #nonceCount = 0;

  constructor({ url, addressRule, tls, clock }: HttpClientOptions) {
    const port = url.port ?? DEFAULT_PORTS[url.protocol] ?? 0;
    this.#clock = clock;
    this.#credentials = url.credentials();
    this.#reach = { host: url.hostname, port, addressRule, tls };
    this.#plain = new PlainAgent(this.#reach);
    this.#tls = new TlsAgent(this.#reach);
  }

  /** Ends all requests and connections. Idempotent. */
  close(): void {
    this.#abort.abort();
    this.#plain.destroy();
    this.#tls.destroy();
  }

  /** The whole body. Fails PULL_… or DIRECT_ADDRESS_REFUSED. */
  async fetch(url: URL, limits: FetchLimits, range: ByteRange | null = null): Promise<Fetched> {
    const deadline = new AbortController();
    const timer = this.#clock.after(limits.timeoutMs, () => deadline.abort());
    try {
      const opened = await this.#follow(url, range, deadline.signal);
      const body = await this.#read(opened, limits.maxBytes, deadline.signal);
      const isPart = opened.message.statusCode === 206 || range === null;
      return {
        url: opened.url,
        body: isPart ? body : body.subarray(range.offset, range.offset + range.length),
      };
    } finally {
      timer.cancel();
    }
  }

  /** A response as soon as its header is here; the caller reads or destroys it. Fails like `fetch`. */
  async open(url: URL, timeoutMs: number): Promise<OpenedResponse> {
    const deadline = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => deadline.abort());
    try {
      return await this.#follow(url, null, deadline.signal);
    } finally {
      timer.cancel();
    }
  }

  /** The rest of an opened response. Fails like `fetch`. */
  async readAll(opened: OpenedResponse, { maxBytes, timeoutMs }: FetchLimits): Promise<Buffer> {
    const deadline = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => deadline.abort());
    try {
      return await this.#read(opened, maxBytes, deadline.signal);
    } finally {
      timer.cancel();
    }
  }

  async #follow(from: URL, range: ByteRange | null, deadline: AbortSignal): Promise<OpenedResponse> {
    let url = from;
    let isLoginTried = false;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; ) {
      const authorization = this.#authorize(url);
      const message = await this.#send(url, range, authorization, deadline);
      const status = message.statusCode ?? 0;
      if (status === 200 || status === 206) {
        return { url, contentType: message.headers['content-type'] ?? '', message };
      }
      message.destroy();
      if (REDIRECTS.has(status) && message.headers.location !== undefined) {
        url = referredUrl(message.headers.location, url);
        redirects += 1;
      } else if (status === 401 && !isLoginTried && this.#learnChallenge(url, message, authorization)) {
        isLoginTried = true;
      } else {
        throw this.#error(refusalOf(status), url, { status });
      }
    }
    throw this.#error(PULL_ERRORS.PULL_TOO_MANY_REDIRECTS, url, { limit: MAX_REDIRECTS });
  }

  /** True if the request should be sent again with the login. Fails PULL_AUTH_UNSUPPORTED. */
  #learnChallenge(url: URL, message: IncomingMessage, authorization: string | null): boolean {
    if (this.#credentials === null || !this.#isOwn(url)) return false;
    const challenge = parseChallenge(message.headersDistinct['www-authenticate'] ?? []);
    if (challenge === null) throw this.#error(PULL_ERRORS.PULL_AUTH_UNSUPPORTED, url, {});
    // With a login that was refused, only a nonce that is too old is worth another try.
    const isRefused = authorization !== null && !(challenge.scheme === 'digest' && challenge.isStale);
    if (isRefused && !this.#isNewNonce(challenge)) return false;
    this.#challenge = challenge;
    this.#nonceCount = 0;
    return true;
  }

  #isNewNonce(challenge: Challenge): boolean {
    const known = this.#challenge;
    return challenge.scheme === 'digest' && known?.scheme === 'digest' && known.nonce !== challenge.nonce;
  }

  #authorize(url: URL): string | null {
    if (this.#challenge === null || this.#credentials === null || !this.#isOwn(url)) return null;
    this.#nonceCount += 1;
    const uri = `${url.pathname}${url.search}`;
    const cnonce = randomBytes(CNONCE_BYTES).toString('hex');
    return buildAuthorization(this.#challenge, this.#credentials, {
      ...{ method: 'GET', uri, nonceCount: this.#nonceCount, cnonce },
    });
  }

  #isOwn(url: URL): boolean {
    return hostOf(url) === this.#reach.host && portOf(url) === this.#reach.port;
  }

  async #send(
    url: URL,
    range: ByteRange | null,
    authorization: string | null,
    deadline: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isTls = url.protocol === 'https:';
    const last = range === null ? 0 : range.offset + range.length - 1;
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(range === null ? {} : { range: `bytes=${range.offset}-${last}` }),
      ...(authorization === null ? {} : { authorization }),
    };
    const signal = AbortSignal.any([deadline, this.#abort.signal]);
    const options = { headers, signal, agent: isTls ? this.#tls : this.#plain };
    const call = (isTls ? httpsRequest : httpRequest)(url, options);
    call.on('response', resolve);
    call.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('the host changes the protocol'));
    });
    call.on('error', reject);
    call.end();
    try {
      return await promise;
    } catch (cause) {
      call.destroy();
      // The host closed a kept connection while the request was on its way.
      const isStale = call.reusedSocket && (cause as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (isStale) return await this.#send(url, range, authorization, deadline);
      throw this.#failure(url, cause, deadline);
    }
  }

  async #read(opened: OpenedResponse, maxBytes: number, deadline: AbortSignal): Promise<Buffer> {
    const { message, url } = opened;
    const declaredBytes = Number(message.headers['content-length'] ?? 0);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const abort = (): void => void message.destroy();
    deadline.addEventListener('abort', abort);
    try {
      if (declaredBytes > maxBytes) throw this.#error(PULL_ERRORS.PULL_TOO_LONG, url, { maxBytes });
      for await (const chunk of message as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw this.#error(PULL_ERRORS.PULL_TOO_LONG, url, { maxBytes });
        chunks.push(chunk);
      }
      if (deadline.aborted || !message.complete) throw new Error('incomplete');
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
    } catch (cause) {
      message.destroy();
      if (cause instanceof GatewayError) throw cause;
      throw deadline.aborted
        ? this.#error(PULL_ERRORS.PULL_TIMEOUT, url, { bytes })
        : this.#error(PULL_ERRORS.PULL_DISCONNECTED, url, { bytes }, cause);
    } finally {
      deadline.removeEventListener('abort', abort);
    }
  }

  #failure(url: URL, cause: unknown, deadline: AbortSignal): GatewayError {
    if (cause instanceof GatewayError) return cause;
    if (deadline.aborted) return this.#error(PULL_ERRORS.PULL_TIMEOUT, url, {});
    const { code, syscall } = cause as NodeJS.ErrnoException;
    const isOfSystem = syscall !== undefined || cause instanceof AggregateError;
    if (isOfSystem) return this.#error(PULL_ERRORS.PULL_UNREACHABLE, url, { errno: code }, cause);
    return this.#error(endOf(url, code), url, { reason: code }, cause);
  }

  #error(definition: ErrorDefinition, url: URL, context: ErrorContext, cause?: unknown): GatewayError {
    return new GatewayError(definition, { host: hostOf(url), port: portOf(url), ...context }, cause);
  }
}

/**
 * What a redirect or a playlist refers to, relative to `base`; without login and fragment. Fails PULL_URL_REFUSED for
 * other schemes, and for the step from https to http.
 */
export function referredUrl(text: string, base: URL): URL {
  const url = URL.canParse(text, base.href) ? new URL(text, base.href) : null;
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && base.protocol === 'http:');
  if (url === null || !isWeb || url.hostname === '') {
    throw new GatewayError(PULL_ERRORS.PULL_URL_REFUSED, { host: hostOf(base), scheme: url?.protocol });
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** What an error means that is not the system's. */
function endOf(url: URL, code: string | undefined): ErrorDefinition {
  const isTls = url.protocol === 'https:' && code !== undefined && !code.startsWith('HPE_');
  if (!isTls) return PULL_ERRORS.PULL_DISCONNECTED;
  return isOutdatedTls(code) ? PULL_ERRORS.PULL_TLS_OUTDATED : PULL_ERRORS.PULL_TLS_FAILED;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  return url.port === '' ? DEFAULT_PORTS[url.protocol]! : Number(url.port);
}

function refusalOf(status: number): ErrorDefinition {
  if (status === 401) return PULL_ERRORS.PULL_AUTH_FAILED;
  if (status === 404 || status === 410) return PULL_ERRORS.PULL_NOT_FOUND;
  if (status === 429 || status === 503) return PULL_ERRORS.PULL_BUSY;
  return PULL_ERRORS.PULL_REFUSED;
}
