/**
 * The server's side of one RTSP connection (RFC 2326 §10, appendix A.2): requests in, responses out. Sans-IO: the holder of
 * the connection decides whether a presentation exists and may be seen, and sends the media. One session per connection. RTSP 2.0
 * (RFC 7826) is refused with 505, on which clients continue with 1.0.
 */

import { cseqOf, type RtspHeaderField } from '../headers.ts';
import type { RtspRequest } from '../message.ts';
import { writeResponse } from '../message-writer.ts';
import { parseSessionHeader } from '../session-header.ts';
import { parseTransports, type RtpRtcpPair, type Transport } from '../transport.ts';
import { type ClockRange, parseClockRange, writeClockRange } from './clock-range.ts';
import { presentationBase, type ServerTarget, serverTarget, trackControl } from './server-target.ts';
import { REASON_PHRASES } from './status.ts';

/** Where a track is sent: channels of the RTSP connection, or ports of the client. */
export type TrackDelivery =
  | { readonly lower: 'tcp'; readonly channels: RtpRtcpPair }
  | { readonly lower: 'udp'; readonly ports: RtpRtcpPair };

/** The presentation that a path leads to. */
export interface ServedPresentation {
  readonly sdp: string;
  readonly trackCount: number;
}

/** Instead of what was requested. */
export interface ServerRefusal {
  readonly statusCode: number;
  /** A sentence for people: clients show it. Default: the standard's. */
  readonly reasonPhrase?: string;
  readonly fields?: readonly RtspHeaderField[];
}

/** Where a track begins. RFC 2326 §12.33. */
export interface TrackStart {
  readonly sequenceNumber: number;
  /** null: not known before its first frame. */
  readonly rtpTimestamp: number | null;
}

export type ServerStep =
  /** `end`: the session is over; the connection closes after the response. */
  | { readonly kind: 'respond'; readonly response: Buffer; readonly isEnd: boolean }
  /** Call `presented`. */
  | { readonly kind: 'present'; readonly path: string; readonly request: RtspRequest }
  /** Call `played`. */
  | PlayStep;

export interface PlayStep {
  readonly kind: 'play';
  /** By track; null: it was not set up. */
  readonly deliveries: readonly (TrackDelivery | null)[];
  /** null: live video. */
  readonly replay: ReplayOrder | null;
}

/** Video of the past. ONVIF Streaming §6. */
export interface ReplayOrder extends ClockRange {
  /** Each frame says when it was recorded. */
  readonly hasExtensions: boolean;
  /** As fast as the client reads, instead of as fast as it was recorded. */
  readonly isUnpaced: boolean;
  readonly cseq: number;
}

export interface ServerSessionOptions {
  /** Unpredictable, letters and digits. */
  readonly sessionId: string;
  readonly timeoutSec: number;
  /** Ports that datagrams are sent from; null: UDP is not offered. */
  readonly serverPorts: RtpRtcpPair | null;
}

type State =
  | { readonly name: 'none' }
  | { readonly name: 'described' | 'ready' | 'playing'; readonly presentation: ServedPresentation };

interface Pending {
  readonly request: RtspRequest;
  readonly target: ServerTarget;
}

const METHODS = 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, SET_PARAMETER, TEARDOWN';
/** What RFC 2326 has and live video does not. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(['PAUSE', 'RECORD', 'ANNOUNCE', 'REDIRECT']);
const CHANNELS = 256;
/** Ports below are those of services, to which no client has media sent. */
const FIRST_CLIENT_PORT = 1_024;
const LIVE_RANGE = /^\s*(?:npt\s*=|$)/i;
const CLOCK_RANGE = /^\s*clock\s*=/i;
const REPLAY_FEATURE = 'onvif-replay';

export class ServerSession {
  readonly #options: ServerSessionOptions;
  #state: State = { name: 'none' };
  #path = '';
  #deliveries: (TrackDelivery | null)[] = [];
  #pending: Pending | null = null;

  constructor(options: ServerSessionOptions) {
    this.#options = options;
  }

  get isPlaying(): boolean {
    return this.#state.name === 'playing';
  }

  /** Call only when no earlier step waits for its answer. */
  receive(request: RtspRequest): ServerStep {
    const cseq = cseqOf(request.headers);
    if (cseq === null) return this.#refuse(request, { statusCode: 400, reasonPhrase: 'CSeq Missing' });
    if (request.version !== '1.0') return this.#refuse(request, { statusCode: 505 });
    const required = request.headers.get('Require');
    if (required !== null && required.trim().toLowerCase() !== REPLAY_FEATURE) {
      return this.#refuse(request, { statusCode: 551, fields: [['Unsupported', required]] });
    }
    if (request.method === 'OPTIONS') return this.#respond(request, [['Public', METHODS]]);
    const target = serverTarget(request.uri);
    if (target === null) return this.#refuse(request, { statusCode: 404 });
    const session = request.headers.get('Session');
    if (session !== null && !this.#isOwn(session)) return this.#refuse(request, { statusCode: 454 });
    return this.#dispatch(request, target);
  }

  /** The answer to `present`. */
  presented(result: ServedPresentation | ServerRefusal): ServerStep {
    const { request, target } = this.#takePending();
    if ('statusCode' in result) return this.#refuse(request, result);
    this.#path = target.path;
    this.#state = { name: 'described', presentation: result };
    this.#deliveries = new Array<TrackDelivery | null>(result.trackCount).fill(null);
    return this.#dispatch(request, target);
  }

  /** The answer to `play`; by track. */
  played(result: readonly (TrackStart | null)[] | ServerRefusal): ServerStep {
    const { request } = this.#takePending();
    if ('statusCode' in result) return this.#refuse(request, result);
    const range = parseClockRange(request.headers.get('Range') ?? '');
    if (this.#state.name !== 'none') this.#state = { ...this.#state, name: 'playing' };
    const base = presentationBase(request.uri);
    const info = result.flatMap((start, index) => {
      if (start === null) return [];
      const time = start.rtpTimestamp === null ? '' : `;rtptime=${start.rtpTimestamp}`;
      return [`url=${base}/${trackControl(index)};seq=${start.sequenceNumber}${time}`];
    });
    return this.#respond(request, [
      ['Range', range === null ? 'npt=now-' : writeClockRange(range)],
      ['RTP-Info', info.join(',')],
    ]);
  }

  #takePending(): Pending {
    const pending = this.#pending!;
    this.#pending = null;
    return pending;
  }

  #dispatch(request: RtspRequest, target: ServerTarget): ServerStep {
    if (REFUSED_METHODS.has(request.method)) {
      const reasonPhrase = request.method === 'PAUSE' ? 'Live Video Cannot Be Paused' : 'Method Not Allowed';
      return this.#refuse(request, { statusCode: 405, reasonPhrase, fields: [['Allow', METHODS]] });
    }
    switch (request.method) {
      case 'DESCRIBE':
      case 'SETUP':
        return this.#present(request, target);
      case 'PLAY':
        return this.#play(request, target);
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        // Empty ones keep the session alive; no parameter is supported.
        return request.body.length === 0
          ? this.#respond(request, [])
          : this.#refuse(request, { statusCode: 451 });
      case 'TEARDOWN':
        return this.#tearDown(request);
      default:
        return this.#refuse(request, { statusCode: 501, fields: [['Public', METHODS]] });
    }
  }

  /** DESCRIBE and SETUP lead to a presentation, which the holder of the connection has to find. */
  #present(request: RtspRequest, target: ServerTarget): ServerStep {
    if (this.#state.name !== 'none' && target.path === this.#path) {
      return request.method === 'SETUP'
        ? this.#setUp(request, target, this.#state.presentation)
        : this.#describe(request, this.#state.presentation);
    }
    // Another presentation has another connection.
    if (this.#state.name === 'ready' || this.#state.name === 'playing') {
      return this.#refuse(request, { statusCode: 455 });
    }
    this.#pending = { request, target };
    return { kind: 'present', path: target.path, request };
  }

  #describe(request: RtspRequest, { sdp }: ServedPresentation): ServerStep {
    const fields: RtspHeaderField[] = [
      ['Content-Base', `${presentationBase(request.uri)}/`],
      ['Content-Type', 'application/sdp'],
    ];
    return this.#respond(request, fields, sdp);
  }

  #setUp(request: RtspRequest, target: ServerTarget, presentation: ServedPresentation): ServerStep {
    if (this.#state.name === 'playing') return this.#refuse(request, { statusCode: 455 });
    const { trackCount } = presentation;
    const trackIndex = target.trackIndex ?? (trackCount === 1 ? 0 : null);
    if (trackIndex === null) return this.#refuse(request, { statusCode: 459 });
    if (trackIndex >= trackCount) return this.#refuse(request, { statusCode: 404 });
    const delivery = this.#chooseDelivery(request.headers.get('Transport') ?? '', trackIndex);
    if (delivery === null) return this.#refuse(request, { statusCode: 461 });
    this.#deliveries[trackIndex] = delivery;
    this.#state = { name: 'ready', presentation };
    return this.#respond(request, [['Transport', this.#transportOf(delivery)]]);
  }

  /** The first of the offered transports that is served here. */
  #chooseDelivery(header: string, trackIndex: number): TrackDelivery | null {
    for (const transport of parseTransports(header)) {
      if (transport.isMulticast) continue;
      if (transport.lower === 'tcp')
        return { lower: 'tcp', channels: this.#freeChannels(transport, trackIndex) };
      if (this.#options.serverPorts !== null && areOpen(transport.clientPort))
        return { lower: 'udp', ports: transport.clientPort };
    }
    return null;
  }

  /** The client's choice, unless another track has one of the channels. */
  #freeChannels(transport: Transport, trackIndex: number): RtpRtcpPair {
    const taken = new Set<number>();
    for (const [index, delivery] of this.#deliveries.entries()) {
      if (delivery?.lower !== 'tcp' || index === trackIndex) continue;
      taken.add(delivery.channels.rtp).add(delivery.channels.rtcp);
    }
    const wanted = transport.interleaved;
    if (wanted !== null && !taken.has(wanted.rtp) && !taken.has(wanted.rtcp)) return wanted;
    let rtp = 0;
    while (taken.has(rtp) || taken.has(rtp + 1)) rtp += 2;
    return { rtp: rtp % CHANNELS, rtcp: (rtp + 1) % CHANNELS };
  }

  #transportOf(delivery: TrackDelivery): string {
    if (delivery.lower === 'tcp') {
      const { rtp, rtcp } = delivery.channels;
      return `RTP/AVP/TCP;unicast;interleaved=${rtp}-${rtcp}`;
    }
    const { ports } = delivery;
    const server = this.#options.serverPorts!;
    return `RTP/AVP;unicast;client_port=${ports.rtp}-${ports.rtcp};server_port=${server.rtp}-${server.rtcp}`;
  }

  #play(request: RtspRequest, target: ServerTarget): ServerStep {
    if (this.#state.name === 'none' || this.#state.name === 'described') {
      return this.#refuse(request, { statusCode: 455 });
    }
    if (target.path !== this.#path) return this.#refuse(request, { statusCode: 404 });
    const header = request.headers.get('Range') ?? '';
    const range = parseClockRange(header);
    if (range === null && !LIVE_RANGE.test(header)) {
      const reasonPhrase = CLOCK_RANGE.test(header) ? 'Range Is Not a Time' : 'Range Must Be npt or clock';
      return this.#refuse(request, { statusCode: 457, reasonPhrase });
    }
    // A client that repeats it only keeps its session alive.
    if (this.#state.name === 'playing' && range === null) return this.#respond(request, []);
    this.#pending = { request, target };
    const replay = range === null ? null : { ...range, ...replayFields(request) };
    return { kind: 'play', deliveries: [...this.#deliveries], replay };
  }

  #tearDown(request: RtspRequest): ServerStep {
    const { response } = this.#respond(request, []);
    this.#state = { name: 'none' };
    return { kind: 'respond', response, isEnd: true };
  }

  #isOwn(header: string): boolean {
    const hasSession = this.#state.name === 'ready' || this.#state.name === 'playing';
    return hasSession && parseSessionHeader(header)?.id === this.#options.sessionId;
  }

  #respond(
    request: RtspRequest,
    fields: readonly RtspHeaderField[],
    body = '',
  ): Extract<ServerStep, { kind: 'respond' }> {
    const response = writeResponse(200, REASON_PHRASES[200]!, [...this.#head(request), ...fields], body);
    return { kind: 'respond', response, isEnd: false };
  }

  #refuse(request: RtspRequest, { statusCode, reasonPhrase, fields = [] }: ServerRefusal): ServerStep {
    const phrase = reasonPhrase ?? REASON_PHRASES[statusCode] ?? 'Error';
    const response = writeResponse(statusCode, phrase, [...this.#head(request), ...fields]);
    return { kind: 'respond', response, isEnd: false };
  }

  #head({ headers, method }: RtspRequest): RtspHeaderField[] {
    const { sessionId, timeoutSec } = this.#options;
    const fields: RtspHeaderField[] = [
      ['CSeq', String(cseqOf(headers) ?? 0)],
      ['Server', 'Sluice'],
    ];
    const hasSession = this.#state.name === 'ready' || this.#state.name === 'playing';
    if (hasSession && method !== 'DESCRIBE') fields.push(['Session', `${sessionId};timeout=${timeoutSec}`]);
    return fields;
  }
}

function areOpen(ports: RtpRtcpPair | null): ports is RtpRtcpPair {
  return ports !== null && Math.min(ports.rtp, ports.rtcp) >= FIRST_CLIENT_PORT;
}

/** ONVIF Streaming §6.4: `Rate-Control: no`. */
function replayFields({ headers }: RtspRequest): Omit<ReplayOrder, keyof ClockRange> {
  return {
    hasExtensions: headers.get('Require') !== null,
    isUnpaced: headers.get('Rate-Control')?.trim().toLowerCase() === 'no',
    cseq: cseqOf(headers) ?? 0,
  };
}
