/**
 * Requests to a camera over HTTP: follows redirects, logs in (Basic and Digest), and limits the bytes and the time of
 * every response. The login is sent to the camera's own host and port only. Logs and errors have the host, never the
 * path or the query, which may contain tokens.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import { isLate, withDeadline } from '../../core/deadline.ts';
import { type ErrorContext, type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { CheckedAgents, type RuleOf } from '../../network/checked-agents.ts';
import { BodyTooLong, hostOf, openResponse, portOf, readBody } from '../../network/http-call.ts';
import { buildAuthorization, type Challenge, parseChallenge } from '../../rtsp/auth.ts';
import type { AddressRule } from '../network/camera-address.ts';
import { cameraConnections } from '../network/camera-connections.ts';
import { isOutdatedTls, type TlsTrust } from '../network/tls-trust.ts';
import { PULL_ERRORS } from './errors.ts';

const MAX_REDIRECTS = 5;
const CNONCE_BYTES = 8;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
/** Connections of one camera to one host: a playlist that is held back, and a segment. */
const KEPT = { keepAlive: true, maxSockets: 4, maxFreeSockets: 2 } as const;

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
  /** The URL after redirects, which relative URLs refer to. */
  readonly url: URL;
  readonly body: Buffer;
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** Limits the whole exchange: redirects, login and body. */
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
  readonly #agents: CheckedAgents;
  readonly #abort = new AbortController();
  #challenge: Challenge | null = null;
  #nonceCount = 0;

  constructor({ url, addressRule, tls, clock }: HttpClientOptions) {
    const port = url.port ?? DEFAULT_PORTS[url.protocol] ?? 0;
    this.#clock = clock;
    this.#credentials = url.credentials();
    this.#reach = { host: url.hostname, port, addressRule, tls };
    this.#agents = new CheckedAgents(ruleWithin(this.#reach), KEPT);
  }

  /** Ends all requests and connections. Idempotent. */
  close(): void {
    this.#abort.abort();
    this.#agents.destroy();
  }

  /** The whole body. Fails PULL_… or DIRECT_ADDRESS_REFUSED. */
  async fetch(url: URL, limits: FetchLimits, range: ByteRange | null = null): Promise<Fetched> {
    return await withDeadline(this.#clock, limits.timeoutMs, async (deadline) => {
      const opened = await this.#follow(url, range, deadline);
      const body = await this.#read(opened, limits.maxBytes, deadline);
      const isPart = opened.message.statusCode === 206 || range === null;
      return {
        url: opened.url,
        body: isPart ? body : body.subarray(range.offset, range.offset + range.length),
      };
    });
  }

  /** A response as soon as its header is here; the caller reads or destroys it. Fails like `fetch`. */
  async open(url: URL, timeoutMs: number): Promise<OpenedResponse> {
    return await withDeadline(this.#clock, timeoutMs, (deadline) => this.#follow(url, null, deadline));
  }

  /** The rest of an opened response. Fails like `fetch`. */
  async readAll(opened: OpenedResponse, { maxBytes, timeoutMs }: FetchLimits): Promise<Buffer> {
    return await withDeadline(this.#clock, timeoutMs, (deadline) => this.#read(opened, maxBytes, deadline));
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
      method: 'GET',
      uri,
      nonceCount: this.#nonceCount,
      cnonce,
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
    const last = range === null ? 0 : range.offset + range.length - 1;
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(range === null ? {} : { range: `bytes=${range.offset}-${last}` }),
      ...(authorization === null ? {} : { authorization }),
    };
    const signal = AbortSignal.any([deadline, this.#abort.signal]);
    const connection = { agent: this.#agents.agentFor(url) };
    try {
      return await openResponse({ url, headers, signal, connection, isRepeatable: true });
    } catch (cause) {
      throw this.#failure(url, cause, deadline);
    }
  }

  async #read({ message, url }: OpenedResponse, maxBytes: number, deadline: AbortSignal): Promise<Buffer> {
    try {
      return await readBody(message, maxBytes, deadline);
    } catch (cause) {
      if (cause instanceof BodyTooLong) throw this.#error(PULL_ERRORS.PULL_TOO_LONG, url, { maxBytes });
      throw isLate(deadline)
        ? this.#error(PULL_ERRORS.PULL_TIMEOUT, url, {})
        : this.#error(PULL_ERRORS.PULL_DISCONNECTED, url, {}, cause);
    }
  }

  #failure(url: URL, cause: unknown, deadline: AbortSignal): GatewayError {
    if (cause instanceof GatewayError) return cause;
    if (isLate(deadline)) return this.#error(PULL_ERRORS.PULL_TIMEOUT, url, {});
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
 * The URL that a redirect or a playlist refers to, relative to `base`; without login and fragment. Fails PULL_URL_REFUSED
 * for other schemes, and for the step from https to http.
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

/** The meaning of an error that is not the system's. */
function endOf(url: URL, code: string | undefined): ErrorDefinition {
  const isTls = url.protocol === 'https:' && code !== undefined && !code.startsWith('HPE_');
  if (!isTls) return PULL_ERRORS.PULL_DISCONNECTED;
  return isOutdatedTls(code) ? PULL_ERRORS.PULL_TLS_OUTDATED : PULL_ERRORS.PULL_TLS_FAILED;
}

function refusalOf(status: number): ErrorDefinition {
  if (status === 401) return PULL_ERRORS.PULL_AUTH_FAILED;
  if (status === 404 || status === 410) return PULL_ERRORS.PULL_NOT_FOUND;
  if (status === 429 || status === 503) return PULL_ERRORS.PULL_BUSY;
  return PULL_ERRORS.PULL_REFUSED;
}

/**
 * Where a pulled stream may lead. The operator or the caller vouched for one host and port, that of the camera's own URL. Whatever
 * else a redirect or a playlist names is chosen by the camera, so this machine and link-local addresses are off limits there.
 */
interface Reach {
  /** The host of the camera's own URL; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** The rule for addresses of that host and port. */
  readonly addressRule: AddressRule;
  readonly tls: TlsTrust;
}

/** A fingerprint is that of one camera: other hosts must have a certificate that is valid for them. */
function ruleWithin({ host: ownHost, port: ownPort, addressRule, tls }: Reach): RuleOf {
  return (host, port) => {
    const isOwn = host === ownHost && port === ownPort;
    const rule = isOwn ? addressRule : ({ ...addressRule, reach: 'no-local' } as const);
    const trust = isOwn || tls === 'any' ? tls : 'verify';
    return cameraConnections(
      rule,
      trust,
      (fault) => new GatewayError(PULL_ERRORS.PULL_CERTIFICATE_REFUSED, { host, port, ...fault }),
    );
  };
}
