/** A client session, with the test as its camera. */

import type { GatewayError } from '../core/errors.ts';
import { CredentialUrl, Secret } from '../core/secret.ts';
import { RtspClientSession } from './client-session.ts';
import type { ClientSessionEvents, ReadyTrack } from './client-session-events.ts';
import type { RtspHeaderField } from './headers.ts';
import type { RtspRequest, RtspResponse } from './message.ts';
import { RtspMessageReader } from './message-reader.ts';
import { writeResponse } from './message-writer.ts';
import type { RtpInfo } from './rtp-info.ts';
import type { SkippedTrack } from './track-selection.ts';

const LIMITS = { stepMs: 1_000, handshakeMs: 3_000 };
export const CREDENTIALS = { username: 'admin', password: new Secret('s3cret') };
export const URL = 'rtsp://admin:s3cret@cam/live';
export const SDP = [
  'v=0',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 mpeg4-generic/16000/1',
  'a=fmtp:97 mode=AAC-hbr;config=1408;sizelength=13;indexlength=3;indexdeltalength=3',
  'a=control:trackID=2',
  'm=application 0 RTP/AVP 107',
  'a=rtpmap:107 vnd.onvif.metadata/90000',
  '',
].join('\r\n');

/** A session with the test as its camera: requests arrive in `requests`; `answer` responds to the newest. */
export class Rig implements ClientSessionEvents {
  readonly session: RtspClientSession;
  readonly requests: RtspRequest[] = [];
  readonly responses: RtspResponse[] = [];
  readonly events: string[] = [];
  readonly sent: Uint8Array[] = [];
  readyTracks: readonly ReadyTrack[] = [];
  skipped: readonly SkippedTrack[] = [];
  rtpInfos: readonly (RtpInfo | null)[] = [];
  error: GatewayError | null = null;
  nowMonoMs = 0;
  transport: 'tcp' | 'udp' | 'multicast' | 'none' = 'tcp';
  readonly #reader = new RtspMessageReader({
    onRequest: (request) => void this.requests.push(request),
    onResponse: (response) => void this.responses.push(response),
    onInterleaved: (channel, chunk, start, end) =>
      void this.events.push(`sent ${channel} ${Buffer.from(chunk.subarray(start, end)).toString('hex')}`),
  });

  constructor(url = URL) {
    this.session = new RtspClientSession({
      url: new CredentialUrl(url),
      events: this,
      limits: LIMITS,
      makeCnonce: () => 'cnonce',
    });
    this.session.start(0);
  }

  get newest(): RtspRequest {
    return this.requests.at(-1)!;
  }

  /** `METHOD uri` of all requests so far. */
  get requested(): string[] {
    return this.requests.map(({ method, uri }) => `${method} ${uri}`);
  }

  /** Responds to the newest request. `fields` may hold its own CSeq, `null` for none. */
  answer(statusCode: number, fields: readonly RtspHeaderField[] = [], body = '', cseq?: string | null): void {
    const echoed = cseq === undefined ? this.newest.headers.get('CSeq') : cseq;
    const all: RtspHeaderField[] = echoed === null ? [] : [['CSeq', echoed]];
    this.push(writeResponse(statusCode, 'Status', [...all, ...fields], body));
  }

  push(bytes: Uint8Array): void {
    this.session.push(bytes, this.nowMonoMs);
  }

  /** Responds to everything before `method`. */
  runTo(method: 'DESCRIBE' | 'SETUP' | 'PLAY'): this {
    this.answer(200, [['Public', 'OPTIONS, DESCRIBE, GET_PARAMETER']]);
    if (method !== 'DESCRIBE') this.answer(200, [['Content-Base', 'rtsp://cam/live/']], SDP);
    if (method === 'PLAY') this.setUpBoth();
    return this;
  }

  setUpBoth(): void {
    for (const channels of ['0-1', '2-3']) {
      this.answer(200, [
        ['Session', '77;timeout=20'],
        ['Transport', `RTP/AVP/TCP;unicast;interleaved=${channels}`],
      ]);
    }
  }

  play(fields: readonly RtspHeaderField[] = []): this {
    this.runTo('PLAY').answer(200, [['Session', '77'], ...fields]);
    return this;
  }

  onSend(bytes: Uint8Array): void {
    this.sent.push(bytes);
    this.#reader.push(bytes);
  }
  onDescribed(): void {
    if (this.transport === 'tcp' || this.transport === 'multicast')
      this.session.setUp({ kind: this.transport }, this.nowMonoMs);
    const clientPorts = [
      { rtp: 5000, rtcp: 5001 },
      { rtp: 5002, rtcp: 5003 },
    ];
    if (this.transport === 'udp') this.session.setUp({ kind: 'udp', clientPorts }, this.nowMonoMs);
  }
  onReady(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): void {
    this.readyTracks = tracks;
    this.skipped = skipped;
    this.events.push('ready');
  }
  onPlaying(rtpInfos: readonly (RtpInfo | null)[]): void {
    this.rtpInfos = rtpInfos;
    this.events.push('playing');
  }
  onRtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.events.push(`rtp ${trackIndex} ${Buffer.from(chunk.subarray(start, end)).toString()}`);
  }
  onRtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.events.push(`rtcp ${trackIndex} ${Buffer.from(chunk.subarray(start, end)).toString()}`);
  }
  onRedirect(location: string): void {
    this.events.push(`redirect ${location}`);
  }
  onFailed(error: GatewayError): void {
    this.error = error;
    this.events.push(`failed ${error.code}`);
  }
  onTornDown(): void {
    this.events.push('torn down');
  }
}

export function frame(channel: number, payload: string): Buffer {
  return Buffer.concat([Buffer.from([0x24, channel, 0, payload.length]), Buffer.from(payload)]);
}
