/**
 * Requests to the HTTP server of a video recorder (ISAPI, CGI): with Digest, never Basic, which would show the password to anyone on
 * the way. Redirects are not followed. Limits hold for the bytes and the time of each response.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { CheckedAgents } from '../network/checked-agents.ts';
import { BodyTooLong, callHttp, type HttpResponse } from '../network/http-call.ts';
import { buildAuthorization, type DigestChallenge, parseChallenge } from '../rtsp/auth.ts';
import { cameraConnections } from '../sources/network/camera-connections.ts';
import { RECORDER_ERRORS } from './errors.ts';
import type { RecordedChannel } from './recorder-settings.ts';

/** A list of a day's recordings has some hundred entries of half a kilobyte. */
const MAX_BODY_BYTES = 512 * 1_024;
const TIMEOUT_MS = 10_000;
const CNONCE_BYTES = 8;
const KEPT = { keepAlive: true, maxSockets: 2, maxFreeSockets: 1 } as const;

export interface RecorderCall {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  /** XML. */
  readonly body?: string;
}

export interface RecorderText {
  readonly text: string;
  /** The `Date` of the response; null: none. */
  readonly dateMs: number | null;
}

export class RecorderHttp {
  readonly #channel: Pick<RecordedChannel, 'httpUrl' | 'tls' | 'addressRule'>;
  readonly #clock: Clock;
  readonly #agents: CheckedAgents;
  #challenge: DigestChallenge | null = null;
  #nonceCount = 0;

  constructor(channel: Pick<RecordedChannel, 'httpUrl' | 'tls' | 'addressRule'>, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
    const { addressRule, tls } = channel;
    const refuse = ({ reason }: { readonly reason: string }) =>
      this.#error('RECORDER_UNREACHABLE', { reason });
    this.#agents = new CheckedAgents(() => cameraConnections(addressRule, tls, refuse), KEPT);
  }

  close(): void {
    this.#agents.destroy();
  }

  /** Fails RECORDER_UNREACHABLE, RECORDER_LOGIN_REFUSED, RECORDER_REFUSED, RECORDER_BAD_RESPONSE, DIRECT_ADDRESS_REFUSED. */
  async call(call: RecorderCall, signal: AbortSignal): Promise<RecorderText> {
    const work = (deadline: AbortSignal) => this.#authenticated(call, deadline);
    const { status, message, body } = await withDeadline(this.#clock, TIMEOUT_MS, work, signal);
    if (status === 401) throw this.#error('RECORDER_LOGIN_REFUSED', { status });
    if (status !== 200) throw this.#error('RECORDER_REFUSED', { status });
    const dateMs = Date.parse(message.headers.date ?? '');
    return { text: body.toString(), dateMs: Number.isNaN(dateMs) ? null : dateMs };
  }

  /** A refused login is not repeated: recorders lock accounts. Only a nonce that is too old is worth another try. */
  async #authenticated(call: RecorderCall, signal: AbortSignal): Promise<HttpResponse> {
    const used = this.#challenge;
    const first = await this.#send(call, signal);
    if (first.status !== 401 || this.#channel.httpUrl.credentials() === null) return first;
    const challenge = parseChallenge(first.message.headersDistinct['www-authenticate'] ?? []);
    if (challenge?.scheme !== 'digest') return first;
    if (used !== null && !challenge.isStale && used.nonce === challenge.nonce) return first;
    this.#challenge = challenge;
    this.#nonceCount = 0;
    return this.#send(call, signal);
  }

  async #send({ method, path, body }: RecorderCall, signal: AbortSignal): Promise<HttpResponse> {
    const url = new URL(path, this.#channel.httpUrl.redacted());
    const authorization = this.#authorize(method, url);
    const headers = {
      accept: '*/*',
      ...(body === undefined ? {} : { 'content-type': 'application/xml; charset=utf-8' }),
      ...(authorization === null ? {} : { authorization }),
    };
    const sent = { url, method, headers, signal, connection: { agent: this.#agents.agentFor(url) } };
    try {
      const call = { ...sent, isRepeatable: true, ...(body === undefined ? {} : { body }) };
      return await callHttp(call, MAX_BODY_BYTES);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      if (cause instanceof BodyTooLong) throw this.#error('RECORDER_BAD_RESPONSE', { reason: 'too long' });
      const { code } = cause as NodeJS.ErrnoException;
      throw this.#error('RECORDER_UNREACHABLE', typeof code === 'string' ? { errno: code } : {}, cause);
    }
  }

  #authorize(method: string, url: URL): string | null {
    const login = this.#channel.httpUrl.credentials();
    if (this.#challenge === null || login === null) return null;
    this.#nonceCount += 1;
    const cnonce = randomBytes(CNONCE_BYTES).toString('hex');
    const uri = `${url.pathname}${url.search}`;
    return buildAuthorization(this.#challenge, login, { method, uri, nonceCount: this.#nonceCount, cnonce });
  }

  #error(
    code: 'RECORDER_UNREACHABLE' | 'RECORDER_LOGIN_REFUSED' | 'RECORDER_REFUSED' | 'RECORDER_BAD_RESPONSE',
    context: Readonly<Record<string, string | number>>,
    cause?: unknown,
  ): GatewayError {
    return new GatewayError(
      RECORDER_ERRORS[code],
      { host: this.#channel.httpUrl.hostname, ...context },
      cause,
    );
  }
}
