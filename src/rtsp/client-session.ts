/**
 * The client side of an RTSP session (RFC 2326 §10, appendix A) without sockets: bytes and clock readings in;
 * bytes, media and events out. One session is one connection:
 *
 *     idle ─ OPTIONS ─ DESCRIBE ─▶ described ─ SETUP… ─ PLAY ─▶ playing ─ TEARDOWN ─▶ ended
 *
 * `described` waits for the owner to choose a transport. Any failure ends the session with exactly one `onFailed` or
 * `onRedirect`; the owner may still request a TEARDOWN then.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { ClientRequests, type PendingRequest } from './client-requests.ts';
import type {
  ClientSessionEvents,
  ClientSessionLimits,
  ReadyTrack,
  WantedTransport,
} from './client-session-events.ts';
import { presentationBase, redirectTarget, requestUri, resolveControl } from './control-url.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { RtspHeaderField, RtspHeaders } from './headers.ts';
import { InterleavedChannels } from './interleaved-channels.ts';
import type { RtspRequest, RtspResponse } from './message.ts';
import { RtspMessageReader } from './message-reader.ts';
import { writeResponse } from './message-writer.ts';
import { multicastGroup } from './multicast-group.ts';
import { refusal } from './refusal.ts';
import { matchRtpInfo, parseRtpInfo } from './rtp-info.ts';
import { type MediaDescription, parseSessionDescription } from './sdp/session-description.ts';
import { respondServerRequest } from './server-request.ts';
import { DEFAULT_SESSION_TIMEOUT_SEC } from './session-header.ts';
import {
  isPlayable,
  isUnwantedSound,
  type SelectedTrack,
  type SelectionRequest,
  type SkippedTrack,
  selectTracks,
} from './track-selection.ts';
import {
  interleavedTransport,
  MULTICAST_TRANSPORT,
  parseTransports,
  type RtpRtcpPair,
  udpTransport,
} from './transport.ts';

interface Presentation {
  readonly aggregateUrl: string;
  readonly tracks: readonly SelectedTrack[];
  readonly trackUrls: readonly string[];
  /** Their sections of the description. */
  readonly media: readonly (MediaDescription | null)[];
  readonly skipped: readonly SkippedTrack[];
}

/** The part of a presentation that is needed after setup. */
interface PlayedPresentation {
  readonly aggregateUrl: string;
  /** The tracks that were set up. */
  readonly trackUrls: readonly string[];
}

interface SetupProgress {
  readonly presentation: Presentation;
  readonly transport: WantedTransport;
  readonly ready: readonly ReadyTrack[];
  readonly refused: readonly SkippedTrack[];
}

type SessionState =
  | { readonly name: 'idle' }
  | { readonly name: 'asking'; readonly stepDeadlineMonoMs: number } // OPTIONS, DESCRIBE
  | { readonly name: 'described'; readonly presentation: Presentation }
  | { readonly name: 'setup'; readonly progress: SetupProgress; readonly stepDeadlineMonoMs: number }
  | { readonly name: 'play'; readonly presentation: PlayedPresentation; readonly stepDeadlineMonoMs: number }
  | {
      readonly name: 'playing';
      readonly presentation: PlayedPresentation;
      readonly keepAliveAtMonoMs: number;
    }
  | { readonly name: 'tearing-down' }
  | { readonly name: 'ended' };

/** Header fields of requests for recorded media. */
export interface ReplayFields {
  readonly setup: readonly RtspHeaderField[];
  readonly play: readonly RtspHeaderField[];
}

const FROM_NOW: readonly RtspHeaderField[] = [['Range', 'npt=0.000-']];
/** Limit on the camera's own words in an error. */
const MAX_LISTED_CHARS = 200;
const SHORTEST_KEEP_ALIVE_MS = 1_000;
/** Even with a longer session timeout, a dead camera must be noticed in time. */
const LONGEST_KEEP_ALIVE_MS = 30_000;

export class RtspClientSession {
  readonly #url: string;
  readonly #events: ClientSessionEvents;
  readonly #limits: ClientSessionLimits;
  readonly #wanted: SelectionRequest;
  readonly #replay: ReplayFields | null;
  readonly #requests: ClientRequests;
  readonly #reader: RtspMessageReader;
  readonly #channels = new InterleavedChannels();
  #state: SessionState = { name: 'idle' };
  #nowMonoMs = 0;
  #handshakeDeadlineMonoMs = Number.POSITIVE_INFINITY;
  #keepAliveMethod: 'GET_PARAMETER' | 'OPTIONS' = 'OPTIONS';
  /** The URL for TEARDOWN; null while the camera holds nothing for us. */
  #teardownUrl: string | null = null;

  /**
   * `url`: with the credentials to use. `wish`: see selectTracks. `replay`: recorded media are requested; default: live
   * ones. `makeCnonce`: see Authenticator; random by default.
   */
  constructor(options: {
    url: CredentialUrl;
    events: ClientSessionEvents;
    limits: ClientSessionLimits;
    wanted?: SelectionRequest;
    replay?: ReplayFields;
    makeCnonce?: () => string;
  }) {
    this.#url = requestUri(options.url.redacted());
    this.#events = options.events;
    this.#limits = options.limits;
    this.#wanted = options.wanted ?? {};
    this.#replay = options.replay ?? null;
    const makeCnonce = options.makeCnonce ?? (() => randomBytes(8).toString('hex'));
    this.#requests = new ClientRequests((bytes) => this.#events.onSend(bytes), options.url, makeCnonce);
    this.#reader = new RtspMessageReader({
      onRequest: (request) => this.#onRequest(request),
      onResponse: (response) => this.#onResponse(response),
      onInterleaved: (channel, chunk, start, end) => this.#onInterleaved(channel, chunk, start, end),
    });
  }

  /** Frames and messages from the camera so far. */
  get received(): number {
    return this.#reader.received;
  }

  /** When to call `wake`; Infinity while nothing is pending. */
  get wakeAtMonoMs(): number {
    switch (this.#state.name) {
      case 'asking':
      case 'setup':
      case 'play':
        return Math.min(this.#state.stepDeadlineMonoMs, this.#handshakeDeadlineMonoMs);
      case 'described':
        return this.#handshakeDeadlineMonoMs;
      case 'playing':
        return this.#state.keepAliveAtMonoMs;
      default:
        return Number.POSITIVE_INFINITY;
    }
  }

  /** The connection is established: begins the handshake. */
  start(nowMonoMs: number): void {
    if (this.#state.name !== 'idle') return;
    this.#nowMonoMs = nowMonoMs;
    this.#handshakeDeadlineMonoMs = nowMonoMs + this.#limits.handshakeMs;
    this.#ask('OPTIONS', []);
  }

  /**
   * Bytes from the camera, borrowed until return. Never throws: bad bytes, or an error in an event, end the session.
   */
  push(chunk: Uint8Array, nowMonoMs: number): void {
    this.#nowMonoMs = nowMonoMs;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(toGatewayError(error));
    }
  }

  /** Call it at `wakeAtMonoMs`; earlier or later does no harm. */
  wake(nowMonoMs: number): void {
    this.#nowMonoMs = nowMonoMs;
    if (nowMonoMs < this.wakeAtMonoMs) return;
    if (this.#state.name === 'playing') this.#keepAlive(this.#state.presentation);
    else {
      const isWholeHandshake = nowMonoMs >= this.#handshakeDeadlineMonoMs;
      const timeoutMs = isWholeHandshake ? this.#limits.handshakeMs : this.#limits.stepMs;
      const method = this.#requests.oldestMethod;
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_TIMEOUT, { method, timeoutMs, isWholeHandshake }));
    }
  }

  /** Chooses the transport, after `onDescribed`. */
  setUp(transport: WantedTransport, nowMonoMs: number): void {
    if (this.#state.name !== 'described') return;
    this.#nowMonoMs = nowMonoMs;
    const { presentation } = this.#state;
    this.#setUpNext({ presentation, transport, ready: [], refused: [] });
  }

  /** Sends an RTCP packet over the RTSP connection; does nothing for tracks that are not interleaved. */
  sendRtcp(trackIndex: number, packet: Uint8Array): void {
    const channel = this.#channels.rtcpChannel(trackIndex);
    if (channel === null || this.#state.name !== 'playing') return;
    const frame = new Uint8Array(4 + packet.length);
    frame[0] = 0x24;
    frame[1] = channel;
    frame[2] = packet.length >> 8;
    frame[3] = packet.length & 0xff;
    frame.set(packet, 4);
    this.#events.onSend(frame);
  }

  /**
   * Ends the session from our side, also after it failed: no media and no failure is reported anymore. Returns true if
   * a TEARDOWN was sent (`onTornDown` reports its response), false if the camera holds nothing for us.
   */
  teardown(): boolean {
    const url = this.#teardownUrl;
    this.#teardownUrl = null;
    if (url === null) {
      this.#end();
      return false;
    }
    this.#state = { name: 'tearing-down' };
    this.#requests.send('teardown', 'TEARDOWN', url, []);
    return true;
  }

  #onInterleaved(channel: number, chunk: Uint8Array, start: number, end: number): void {
    // Many cameras send the first key frame before they answer PLAY.
    if (this.#state.name !== 'playing' && this.#state.name !== 'play') return;
    const entry = this.#channels.entry(channel);
    if (entry < 0) return;
    if ((entry & 1) === 0) this.#events.onRtp(entry >> 1, chunk, start, end);
    else this.#events.onRtcp(entry >> 1, chunk, start, end);
  }

  #onRequest(request: RtspRequest): void {
    const response = respondServerRequest(request);
    const fields: RtspHeaderField[] = [];
    for (const name of ['CSeq', 'Session']) {
      const value = request.headers.get(name);
      if (value !== null) fields.push([name, value]);
    }
    this.#events.onSend(
      writeResponse(response.statusCode, response.reasonPhrase, [...fields, ...response.fields]),
    );
    if (response.effect === 'teardown') {
      this.#teardownUrl = null;
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_ENDED_BY_CAMERA, { reason: 'teardown-request' }));
    } else if (response.effect === 'redirect') this.#redirected(request.headers);
  }

  #onResponse(response: RtspResponse): void {
    // 1xx announces that the response takes longer (RFC 2326 §7.1.1); the step's deadline stays.
    if (response.statusCode < 200) return;
    const pending = this.#requests.take(response.headers);
    if (pending === null) return;
    if (pending.purpose === 'teardown') {
      this.#end();
      this.#events.onTornDown();
      return;
    }
    if (this.#state.name === 'tearing-down' || this.#state.name === 'ended') return;
    if (response.statusCode === 401) {
      const error = this.#requests.challenged(pending, response.headers);
      if (error !== null) this.#fail(error);
      return;
    }
    this.#requests.accepted(pending);
    if (pending.purpose === 'keep-alive') this.#keptAlive(pending, response);
    else this.#stepDone(pending, response);
  }

  #stepDone(pending: PendingRequest, response: RtspResponse): void {
    const { statusCode, headers } = response;
    if (statusCode < 300 && pending.method !== 'OPTIONS') this.#requests.rememberSession(headers);
    if (statusCode >= 300 && statusCode < 400) this.#redirected(headers);
    else if (pending.method === 'OPTIONS') this.#optionsDone(response);
    else if (pending.method === 'SETUP') this.#setupDone(response);
    else if (statusCode >= 400) this.#fail(refusal(pending.method, response));
    else if (pending.method === 'DESCRIBE') this.#described(response);
    else this.#playDone(headers);
  }

  /** A camera that does not know OPTIONS may still know the rest; one that is busy or forbids access says so here. */
  #optionsDone(response: RtspResponse): void {
    const isFinal = [403, 453, 503].includes(response.statusCode);
    if (isFinal) {
      this.#fail(refusal('OPTIONS', response));
      return;
    }
    if (/\bGET_PARAMETER\b/i.test(response.headers.get('Public') ?? ''))
      this.#keepAliveMethod = 'GET_PARAMETER';
    this.#ask('DESCRIBE', [['Accept', 'application/sdp']]);
  }

  #described(response: RtspResponse): void {
    const { headers } = response;
    const description = parseSessionDescription(response.body);
    const selection = selectTracks(description, this.#wanted);
    const base = presentationBase(this.#url, headers.get('Content-Base'), headers.get('Content-Location'));
    const aggregateUrl = resolveControl(base, description.control);
    // A relative session-level control is not a base for the tracks' controls (RFC 2326 §C.1.1); an absolute one is.
    const trackBase = /^rtsps?:/i.test(description.control ?? '') ? aggregateUrl : base;
    const tracks = [selection.video, selection.audio].filter((track) => track !== null);
    const trackUrls = tracks.map((track) => resolveControl(trackBase, track.control));
    const media = tracks.map(
      ({ format }) => description.media.find(({ formats }) => formats.includes(format)) ?? null,
    );
    const presentation = { aggregateUrl, tracks, trackUrls, media, skipped: selection.skipped };
    const canPlay = isPlayable(selection);
    if (canPlay) this.#state = { name: 'described', presentation };
    this.#events.onDescribed(description, selection);
    if (canPlay) return;
    if (isUnwantedSound(selection)) {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_SOUND_UNWANTED));
      return;
    }
    const formats = description.media.flatMap((media) => media.formats);
    const encodings = formats.map((format) => format.encoding).join(',');
    const context = { encodings: encodings.slice(0, MAX_LISTED_CHARS) };
    this.#fail(new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO, context));
  }

  #setUpNext(progress: SetupProgress): void {
    const { presentation, transport, ready, refused } = progress;
    const index = ready.length + refused.length;
    if (index === presentation.tracks.length) {
      this.#play(progress);
      return;
    }
    const wanted = transportHeader(transport, ready.length);
    this.#state = { name: 'setup', progress, stepDeadlineMonoMs: this.#stepDeadline() };
    const fields: RtspHeaderField[] = [['Transport', wanted], ...(this.#replay?.setup ?? [])];
    this.#requests.send('handshake', 'SETUP', presentation.trackUrls[index]!, fields);
  }

  #setupDone(response: RtspResponse): void {
    if (this.#state.name !== 'setup') return;
    const { progress } = this.#state;
    const { presentation, ready, refused } = progress;
    const selected = presentation.tracks[ready.length + refused.length]!;
    if (response.statusCode >= 400) {
      // Whatever is wrong with the audio, the video works without it: the first track is what the session is for.
      if (ready.length === 0) this.#fail(refusal('SETUP', response));
      else {
        const skipped: SkippedTrack = {
          kind: 'audio',
          encodings: [selected.format.encoding],
          reason: 'refused',
        };
        this.#setUpNext({ ...progress, refused: [...refused, skipped] });
      }
      return;
    }
    this.#teardownUrl = presentation.aggregateUrl;
    const media = presentation.media[ready.length + refused.length]!;
    const track = this.#acceptTransport(selected, media, ready.length, progress.transport, response.headers);
    this.#setUpNext({ ...progress, ready: [...ready, track] });
  }

  #acceptTransport(
    selected: SelectedTrack,
    media: MediaDescription | null,
    trackIndex: number,
    wanted: WantedTransport,
    headers: RtspHeaders,
  ): ReadyTrack {
    const [accepted = null] = parseTransports(headers.get('Transport') ?? '');
    const isMulticast = wanted.kind === 'multicast';
    const lower = isMulticast ? 'udp' : wanted.kind;
    const isOther = accepted !== null && (accepted.lower !== lower || accepted.isMulticast !== isMulticast);
    if (isOther) throw otherTransport('other-transport');
    const group = isMulticast ? multicastGroup(accepted, media) : null;
    if (isMulticast && group === null) throw otherTransport('no-group');
    if (wanted.kind === 'tcp') {
      // The camera may renumber channels. If it assigns the same ones to two tracks, it means the requested ones.
      const requested = requestedChannels(trackIndex);
      const isAssigned =
        this.#channels.assign(trackIndex, accepted?.interleaved ?? requested) ||
        this.#channels.assign(trackIndex, requested);
      if (!isAssigned)
        throw new GatewayError(RTSP_ERRORS.RTSP_BAD_RESPONSE, { method: 'SETUP', reason: 'channels' });
    }
    const serverPort = group?.ports ?? accepted?.serverPort ?? null;
    return { selected, ssrc: accepted?.ssrc ?? null, serverPort, group };
  }

  #play(progress: SetupProgress): void {
    const { presentation: whole, ready, refused } = progress;
    this.#events.onReady(ready, [...whole.skipped, ...refused]);
    if (this.#state.name !== 'setup') return;
    const trackUrls = whole.trackUrls.filter((_, index) =>
      ready.some((track) => track.selected === whole.tracks[index]),
    );
    const presentation = { aggregateUrl: whole.aggregateUrl, trackUrls };
    this.#state = { name: 'play', presentation, stepDeadlineMonoMs: this.#stepDeadline() };
    const fields = this.#replay?.play ?? FROM_NOW;
    this.#requests.send('handshake', 'PLAY', presentation.aggregateUrl, fields);
  }

  #playDone(headers: RtspHeaders): void {
    if (this.#state.name !== 'play') return;
    const { presentation } = this.#state;
    this.#state = { name: 'playing', presentation, keepAliveAtMonoMs: this.#nextKeepAlive() };
    const infos = parseRtpInfo(headers.get('RTP-Info') ?? '');
    this.#events.onPlaying(matchRtpInfo(infos, presentation.trackUrls), headers.get('Range'));
  }

  #keepAlive(presentation: PlayedPresentation): void {
    this.#state = { name: 'playing', presentation, keepAliveAtMonoMs: this.#nextKeepAlive() };
    this.#requests.send('keep-alive', this.#keepAliveMethod, presentation.aggregateUrl, []);
  }

  #keptAlive(pending: PendingRequest, response: RtspResponse): void {
    if (response.statusCode === 454) this.#fail(refusal(pending.method, response));
    // Some cameras list GET_PARAMETER and refuse it. Other refusals mean nothing: as long as media arrives, all is
    // well.
    else if (response.statusCode >= 400) this.#keepAliveMethod = 'OPTIONS';
  }

  #redirected(headers: RtspHeaders): void {
    const target = redirectTarget(this.#url, headers.get('Location'));
    if (target === null) {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_REDIRECT_REFUSED, { reason: 'location' }));
    } else if (this.#state.name === 'playing') {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_REDIRECTED));
    } else if (this.#state.name !== 'tearing-down' && this.#state.name !== 'ended') {
      this.#end();
      this.#events.onRedirect(target);
    }
  }

  /** A request about the presentation as a whole. */
  #ask(method: string, fields: readonly RtspHeaderField[]): void {
    this.#state = { name: 'asking', stepDeadlineMonoMs: this.#stepDeadline() };
    this.#requests.send('handshake', method, this.#url, fields);
  }

  #stepDeadline(): number {
    return this.#nowMonoMs + this.#limits.stepMs;
  }

  #nextKeepAlive(): number {
    const timeoutSec = this.#requests.sessionTimeoutSec ?? DEFAULT_SESSION_TIMEOUT_SEC;
    const halfMs = timeoutSec * 500;
    return this.#nowMonoMs + Math.max(SHORTEST_KEEP_ALIVE_MS, Math.min(LONGEST_KEEP_ALIVE_MS, halfMs));
  }

  #fail(error: GatewayError): void {
    if (this.#state.name === 'tearing-down' || this.#state.name === 'ended') return;
    this.#end();
    this.#events.onFailed(error);
  }

  /** The reader stays alive: the response to a late TEARDOWN still matters. */
  #end(): void {
    this.#state = { name: 'ended' };
    this.#requests.forget();
  }
}

function transportHeader(transport: WantedTransport, trackIndex: number): string {
  switch (transport.kind) {
    case 'tcp':
      return interleavedTransport(requestedChannels(trackIndex));
    case 'udp':
      return udpTransport(transport.clientPorts[trackIndex]!);
    case 'multicast':
      return MULTICAST_TRANSPORT;
  }
}

/** The camera accepted a SETUP with a transport that was not requested. */
function otherTransport(reason: string): GatewayError {
  const context = { method: 'SETUP', statusCode: 200, reason };
  return new GatewayError(RTSP_ERRORS.RTSP_TRANSPORT_REFUSED, context);
}

function requestedChannels(trackIndex: number): RtpRtcpPair {
  return { rtp: trackIndex * 2, rtcp: trackIndex * 2 + 1 };
}
