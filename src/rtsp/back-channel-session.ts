/**
 * The client side of an RTSP session that only sends: to a camera's speaker, over the RTSP connection (ONVIF Streaming Specification
 * §5.3). Without sockets, as client-session.ts: bytes and clock readings in, bytes and events out.
 *
 *     idle ─ DESCRIBE ─ SETUP ─ PLAY ─▶ open ─ TEARDOWN ─▶ ended
 */

import { randomBytes } from 'node:crypto';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { type BackChannelTrack, backChannelTrack, REQUIRE_BACK_CHANNEL } from './back-channel-track.ts';
import { ClientRequests, type PendingRequest } from './client-requests.ts';
import type { ClientSessionLimits } from './client-session-events.ts';
import { presentationBase, requestUri, resolveControl } from './control-url.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { RtspHeaderField } from './headers.ts';
import type { RtspRequest, RtspResponse } from './message.ts';
import { RtspMessageReader } from './message-reader.ts';
import { writeResponse } from './message-writer.ts';
import { refusal } from './refusal.ts';
import { parseSessionDescription } from './sdp/session-description.ts';
import { respondServerRequest } from './server-request.ts';
import { DEFAULT_SESSION_TIMEOUT_SEC } from './session-header.ts';
import { interleavedTransport, parseTransports } from './transport.ts';

/** Called synchronously from within the session's methods. */
export interface BackChannelEvents {
  /** Bytes for the camera; owned by the callee. */
  onSend(bytes: Uint8Array): void;
  /** What is sent now is heard. */
  onOpen(track: BackChannelTrack): void;
  /** Called once at most, and not after `teardown`. */
  onFailed(error: GatewayError): void;
}

type State =
  | { readonly name: 'idle' | 'ended' }
  | { readonly name: 'asking'; readonly deadlineMonoMs: number }
  | { readonly name: 'open'; readonly channel: number; readonly keepAliveAtMonoMs: number };

const MAGIC = 0x24;
const CHANNELS = { rtp: 0, rtcp: 1 } as const;
const FRAME_HEADER_BYTES = 4;
const MS_PER_SEC = 1_000;

export class BackChannelSession {
  readonly #url: string;
  readonly #events: BackChannelEvents;
  readonly #limits: ClientSessionLimits;
  readonly #requests: ClientRequests;
  readonly #reader: RtspMessageReader;
  #state: State = { name: 'idle' };
  #nowMonoMs = 0;
  #aggregateUrl = '';
  #track: BackChannelTrack | null = null;
  #channel: number = CHANNELS.rtp;
  /** The camera holds something for us. */
  #isSetUp = false;

  constructor(options: {
    readonly url: CredentialUrl;
    readonly events: BackChannelEvents;
    readonly limits: ClientSessionLimits;
    readonly makeCnonce?: () => string;
  }) {
    const { url, events, limits } = options;
    this.#url = requestUri(url.redacted());
    this.#events = events;
    this.#limits = limits;
    const makeCnonce = options.makeCnonce ?? (() => randomBytes(8).toString('hex'));
    this.#requests = new ClientRequests((bytes) => events.onSend(bytes), url, makeCnonce);
    this.#reader = new RtspMessageReader({
      onRequest: (request) => this.#onRequest(request),
      onResponse: (response) => this.#onResponse(response),
      // Nothing that the camera sends here is wanted.
      onInterleaved: () => undefined,
    });
  }

  /** When to call `wake`; Infinity while nothing is pending. */
  get wakeAtMonoMs(): number {
    if (this.#state.name === 'asking') return this.#state.deadlineMonoMs;
    return this.#state.name === 'open' ? this.#state.keepAliveAtMonoMs : Number.POSITIVE_INFINITY;
  }

  /** The connection is established. */
  start(nowMonoMs: number): void {
    if (this.#state.name !== 'idle') return;
    this.#nowMonoMs = nowMonoMs;
    this.#ask('DESCRIBE', this.#url, [['Accept', 'application/sdp']]);
  }

  /** Bytes from the camera, borrowed. Never throws. */
  push(chunk: Uint8Array, nowMonoMs: number): void {
    this.#nowMonoMs = nowMonoMs;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(toGatewayError(error));
    }
  }

  /** Call it at `wakeAtMonoMs`. */
  wake(nowMonoMs: number): void {
    this.#nowMonoMs = nowMonoMs;
    if (nowMonoMs < this.wakeAtMonoMs) return;
    if (this.#state.name === 'open') {
      this.#state = { ...this.#state, keepAliveAtMonoMs: this.#nextKeepAlive() };
      this.#requests.send('keep-alive', 'OPTIONS', this.#aggregateUrl, []);
      return;
    }
    const [method, timeoutMs] = [this.#requests.oldestMethod, this.#limits.stepMs];
    this.#fail(new GatewayError(RTSP_ERRORS.RTSP_TIMEOUT, { method, timeoutMs, isWholeHandshake: false }));
  }

  /** One RTP packet for the speaker; lost unless the session is open. */
  sendRtp(packet: Uint8Array): void {
    if (this.#state.name !== 'open') return;
    const frame = new Uint8Array(FRAME_HEADER_BYTES + packet.length);
    frame[0] = MAGIC;
    frame[1] = this.#state.channel;
    frame[2] = packet.length >> 8;
    frame[3] = packet.length & 0xff;
    frame.set(packet, FRAME_HEADER_BYTES);
    this.#events.onSend(frame);
  }

  /** Says goodbye if the camera holds something for us. No event follows. */
  teardown(): void {
    if (this.#state.name === 'ended' && !this.#isSetUp) return;
    this.#state = { name: 'ended' };
    if (!this.#isSetUp) return;
    this.#isSetUp = false;
    this.#requests.send('teardown', 'TEARDOWN', this.#aggregateUrl, []);
  }

  #onRequest(request: RtspRequest): void {
    const { statusCode, reasonPhrase, fields, effect } = respondServerRequest(request);
    const repeated: RtspHeaderField[] = [];
    for (const name of ['CSeq', 'Session']) {
      const value = request.headers.get(name);
      if (value !== null) repeated.push([name, value]);
    }
    this.#events.onSend(writeResponse(statusCode, reasonPhrase, [...repeated, ...fields]));
    if (effect === 'teardown' || effect === 'redirect') {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_ENDED_BY_CAMERA, { reason: effect }));
    }
  }

  #onResponse(response: RtspResponse): void {
    if (response.statusCode < 200) return;
    const pending = this.#requests.take(response.headers);
    if (pending === null || this.#state.name === 'ended') return;
    if (response.statusCode === 401) {
      const error = this.#requests.challenged(pending, response.headers);
      if (error !== null) this.#fail(error);
      return;
    }
    this.#requests.accepted(pending);
    if (pending.purpose === 'keep-alive') {
      if (response.statusCode === 454) this.#fail(refusal(pending.method, response));
    } else this.#stepDone(pending, response);
  }

  #stepDone({ method }: PendingRequest, response: RtspResponse): void {
    if (response.statusCode >= 300) {
      // RFC 2326 §11.3.14: a camera without a back channel does not know what is required.
      const isUnknown = response.statusCode === 551;
      this.#fail(isUnknown ? new GatewayError(RTSP_ERRORS.RTSP_NO_BACK_CHANNEL) : refusal(method, response));
      return;
    }
    this.#requests.rememberSession(response.headers);
    if (method === 'DESCRIBE') this.#described(response);
    else if (method === 'SETUP') this.#setUp(response);
    else this.#opened();
  }

  #described({ headers, body }: RtspResponse): void {
    const description = parseSessionDescription(body);
    const track = backChannelTrack(description);
    if (track === null) {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_NO_BACK_CHANNEL));
      return;
    }
    this.#track = track;
    const base = presentationBase(this.#url, headers.get('Content-Base'), headers.get('Content-Location'));
    this.#aggregateUrl = resolveControl(base, description.control);
    const trackBase = /^rtsps?:/i.test(description.control ?? '') ? this.#aggregateUrl : base;
    const transport = interleavedTransport(CHANNELS);
    this.#ask('SETUP', resolveControl(trackBase, track.control), [['Transport', transport]]);
  }

  #setUp({ headers }: RtspResponse): void {
    this.#isSetUp = true;
    const [accepted] = parseTransports(headers.get('Transport') ?? '');
    if (accepted !== undefined && accepted.lower !== 'tcp') {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_TRANSPORT_REFUSED, { reason: 'other-transport' }));
      return;
    }
    this.#channel = accepted?.interleaved?.rtp ?? CHANNELS.rtp;
    this.#ask('PLAY', this.#aggregateUrl, [['Range', 'npt=0.000-']]);
  }

  #opened(): void {
    this.#state = { name: 'open', channel: this.#channel, keepAliveAtMonoMs: this.#nextKeepAlive() };
    this.#events.onOpen(this.#track!);
  }

  #ask(method: string, url: string, fields: readonly RtspHeaderField[]): void {
    this.#state = { name: 'asking', deadlineMonoMs: this.#nowMonoMs + this.#limits.stepMs };
    this.#requests.send('handshake', method, url, [REQUIRE_BACK_CHANNEL, ...fields]);
  }

  #nextKeepAlive(): number {
    const timeoutSec = this.#requests.sessionTimeoutSec ?? DEFAULT_SESSION_TIMEOUT_SEC;
    return this.#nowMonoMs + (timeoutSec * MS_PER_SEC) / 2;
  }

  #fail(error: GatewayError): void {
    if (this.#state.name === 'ended') return;
    this.#state = { name: 'ended' };
    this.#requests.forget();
    this.#events.onFailed(error);
  }
}
