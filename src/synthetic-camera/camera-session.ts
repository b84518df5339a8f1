/**
 * A client's RTSP session with the camera: requests in, responses and effects out. RFC 2326 §10, appendix A.2. Sans-IO:
 * the connection sends the responses and does what `onEffect` says. One session per connection.
 */

import { randomBytes } from 'node:crypto';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { cseqOf, type RtspHeaderField } from '../rtsp/headers.ts';
import type { RtspRequest } from '../rtsp/message.ts';
import { writeResponse } from '../rtsp/message-writer.ts';
import { parseSessionHeader } from '../rtsp/session-header.ts';
import { parseTransports, type RtpRtcpPair, type Transport } from '../rtsp/transport.ts';
import { type CameraCredentials, DigestGate } from './digest-gate.ts';
import { type Delivery, TrackSender } from './track-sender.ts';

/** A session's view of its camera. */
export interface SessionCamera {
  /** Path of the stream with its leading slash. */
  readonly path: string;
  readonly sdp: string;
  readonly trackCount: number;
  readonly transports: readonly ('tcp' | 'udp')[];
  readonly credentials: CameraCredentials | null;
  readonly sessionTimeoutSec: number;
  /** Ports that UDP media is sent from; null if there are none. */
  readonly serverPorts: RtpRtcpPair | null;
  /** False: the maximum number of clients is reached. Called once per session. */
  admit(): boolean;
  /** Ticks at which each track will begin. From then on the session's senders get media. */
  play(senders: readonly (TrackSender | null)[]): readonly number[];
  pause(): void;
  end(): void;
}

type SessionState =
  | { readonly name: 'none' }
  | { readonly name: 'ready'; readonly id: string }
  | { readonly name: 'playing'; readonly id: string; readonly rtpInfo: string };

const METHODS = 'OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, SET_PARAMETER, TEARDOWN';
const NOT_ALLOWED_METHODS = ['ANNOUNCE', 'RECORD', 'REDIRECT'];
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  451: 'Parameter Not Understood',
  453: 'Not Enough Bandwidth',
  454: 'Session Not Found',
  455: 'Method Not Valid in This State',
  459: 'Aggregate Operation Not Allowed',
  461: 'Unsupported Transport',
  501: 'Not Implemented',
  505: 'RTSP Version Not Supported',
  551: 'Option Not Supported',
};
const TRACK_SUFFIX = /\/trackID=(\d{1,2})$/;
const CHANNELS = 256;

interface SessionResponse {
  readonly statusCode: number;
  readonly fields?: readonly RtspHeaderField[];
  readonly body?: string;
}

/** The target of a request URI; null track: the whole stream. */
interface Target {
  readonly isStream: boolean;
  readonly trackIndex: number | null;
}

export class CameraSession {
  readonly #camera: SessionCamera;
  readonly #gate: DigestGate | null;
  readonly #senders: (TrackSender | null)[];
  #state: SessionState = { name: 'none' };

  constructor(camera: SessionCamera) {
    this.#camera = camera;
    this.#gate = camera.credentials === null ? null : new DigestGate(camera.credentials);
    this.#senders = new Array<TrackSender | null>(camera.trackCount).fill(null);
  }

  /** The complete response to a request. */
  respond(request: RtspRequest): Buffer {
    const cseq = cseqOf(request.headers);
    const { statusCode, fields = [], body = '' } = cseq === null ? { statusCode: 400 } : this.#judge(request);
    const head: RtspHeaderField[] = [['CSeq', String(cseq ?? 0)]];
    if (this.#state.name !== 'none' && request.method !== 'DESCRIBE') {
      head.push(['Session', `${this.#state.id};timeout=${this.#camera.sessionTimeoutSec}`]);
    }
    return writeResponse(statusCode, REASONS[statusCode] ?? 'Error', [...head, ...fields], body);
  }

  /** The connection ended or the session timed out. Idempotent. */
  end(): void {
    if (this.#state.name === 'none') return;
    this.#state = { name: 'none' };
    this.#senders.fill(null);
    this.#camera.end();
  }

  #judge(request: RtspRequest): SessionResponse {
    if (request.version !== '1.0') return { statusCode: 505 };
    const required = request.headers.get('Require');
    if (required !== null) return { statusCode: 551, fields: [['Unsupported', required]] };
    if (request.method === 'OPTIONS') return { statusCode: 200, fields: [['Public', METHODS]] };
    const challenge = this.#gate?.challenge(request) ?? null;
    if (challenge !== null) return { statusCode: 401, fields: [['WWW-Authenticate', challenge]] };
    const session = request.headers.get('Session');
    if (session !== null && !this.#isOwn(session)) return { statusCode: 454 };
    return this.#dispatch(request, this.#target(request.uri));
  }

  #dispatch(request: RtspRequest, target: Target): SessionResponse {
    if (NOT_ALLOWED_METHODS.includes(request.method))
      return { statusCode: 405, fields: [['Allow', METHODS]] };
    if (!target.isStream) return { statusCode: 404 };
    switch (request.method) {
      case 'DESCRIBE':
        return this.#describe(request);
      case 'SETUP':
        return this.#setUp(request, target);
      case 'PLAY':
        return this.#play(request, target);
      case 'PAUSE':
        return this.#pause();
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        // Empty ones keep the session alive; no parameter is supported.
        return { statusCode: request.body.length === 0 ? 200 : 451 };
      case 'TEARDOWN':
        return this.#tearDown();
      default:
        return { statusCode: 501, fields: [['Public', METHODS]] };
    }
  }

  #describe(request: RtspRequest): SessionResponse {
    // Without the query: a relative URL would replace it (RFC 3986 §5.2.2).
    const base = withoutTrailingSlashes(request.uri.replace(/[?#].*$/, ''));
    const fields: RtspHeaderField[] = [
      ['Content-Base', `${base}/`],
      ['Content-Type', 'application/sdp'],
    ];
    return { statusCode: 200, fields, body: this.#camera.sdp };
  }

  #setUp(request: RtspRequest, target: Target): SessionResponse {
    if (this.#state.name === 'playing') return { statusCode: 455 };
    const trackIndex = target.trackIndex ?? (this.#camera.trackCount === 1 ? 0 : null);
    if (trackIndex === null) return { statusCode: 459 };
    if (trackIndex >= this.#camera.trackCount) return { statusCode: 404 };
    const delivery = this.#chooseDelivery(request.headers.get('Transport') ?? '', trackIndex);
    if (delivery === null) return { statusCode: 461 };
    if (this.#state.name === 'none') {
      if (!this.#camera.admit()) return { statusCode: 453 };
      this.#state = { name: 'ready', id: randomBytes(8).toString('hex') };
    }
    const sender = new TrackSender(delivery);
    this.#senders[trackIndex] = sender;
    return { statusCode: 200, fields: [['Transport', this.#transportOf(sender)]] };
  }

  /** The first of the offered transports that the camera serves. */
  #chooseDelivery(header: string, trackIndex: number): Delivery | null {
    for (const transport of parseTransports(header)) {
      if (transport.isMulticast || !this.#camera.transports.includes(transport.lower)) continue;
      if (transport.lower === 'tcp')
        return { lower: 'tcp', channels: this.#freeChannels(transport, trackIndex) };
      if (transport.clientPort !== null && this.#camera.serverPorts !== null)
        return { lower: 'udp', ports: transport.clientPort };
    }
    return null;
  }

  /** The client's choice, unless another track has one of the channels. */
  #freeChannels(transport: Transport, trackIndex: number): RtpRtcpPair {
    const taken = new Set<number>();
    this.#senders.forEach((sender, index) => {
      if (sender?.delivery.lower !== 'tcp' || index === trackIndex) return;
      taken.add(sender.delivery.channels.rtp).add(sender.delivery.channels.rtcp);
    });
    const wanted = transport.interleaved;
    if (wanted !== null && !taken.has(wanted.rtp) && !taken.has(wanted.rtcp)) return wanted;
    let rtp = 0;
    while (rtp < CHANNELS && (taken.has(rtp) || taken.has(rtp + 1))) rtp += 2;
    return { rtp, rtcp: rtp + 1 };
  }

  #transportOf(sender: TrackSender): string {
    const ssrc = sender.ssrc.toString(16).toUpperCase().padStart(8, '0');
    const { delivery } = sender;
    if (delivery.lower === 'tcp') {
      const { rtp, rtcp } = delivery.channels;
      return `RTP/AVP/TCP;unicast;interleaved=${rtp}-${rtcp};ssrc=${ssrc}`;
    }
    const client = `${delivery.ports.rtp}-${delivery.ports.rtcp}`;
    const server = `${this.#camera.serverPorts?.rtp ?? 0}-${this.#camera.serverPorts?.rtcp ?? 0}`;
    return `RTP/AVP;unicast;client_port=${client};server_port=${server};ssrc=${ssrc}`;
  }

  #play(request: RtspRequest, target: Target): SessionResponse {
    if (this.#state.name === 'none') return { statusCode: 455 };
    if (target.trackIndex !== null && this.#camera.trackCount > 1) return { statusCode: 459 };
    if (this.#state.name === 'ready') {
      const { id } = this.#state;
      const startTicks = this.#camera.play(this.#senders);
      this.#state = { name: 'playing', id, rtpInfo: this.#rtpInfo(request.uri, startTicks) };
    }
    const fields: RtspHeaderField[] = [
      ['Range', 'npt=now-'],
      ['RTP-Info', this.#state.rtpInfo],
    ];
    return { statusCode: 200, fields };
  }

  /** RFC 2326 §12.33: the numbers of each track's first packet. */
  #rtpInfo(uri: string, startTicks: readonly number[]): string {
    const base = withoutTrailingSlashes(uri).replace(TRACK_SUFFIX, '');
    const entries: string[] = [];
    this.#senders.forEach((sender, trackIndex) => {
      if (sender === null) return;
      const rtpTime = sender.rtpTimestamp(startTicks[trackIndex] ?? 0);
      entries.push(`url=${base}/trackID=${trackIndex};seq=${sender.nextSequence};rtptime=${rtpTime}`);
    });
    return entries.join(',');
  }

  #pause(): SessionResponse {
    if (this.#state.name === 'none') return { statusCode: 455 };
    this.#camera.pause();
    this.#state = { name: 'ready', id: this.#state.id };
    return { statusCode: 200 };
  }

  #tearDown(): SessionResponse {
    if (this.#state.name === 'none') return { statusCode: 454 };
    this.end();
    return { statusCode: 200 };
  }

  #isOwn(header: string): boolean {
    return this.#state.name !== 'none' && parseSessionHeader(header)?.id === this.#state.id;
  }

  /** A query has no meaning; clients append `/trackID=…` to the whole URL, query included. */
  #target(uri: string): Target {
    const track = TRACK_SUFFIX.exec(uri);
    const streamUri = track === null ? uri : uri.slice(0, track.index);
    if (!URL.canParse(streamUri)) return { isStream: false, trackIndex: null };
    const path = withoutTrailingSlashes(new URL(streamUri).pathname) || '/';
    return { isStream: path === this.#camera.path, trackIndex: track === null ? null : Number(track[1]) };
  }
}
