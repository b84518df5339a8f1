/** RTSP clients of a desk, and a camera for them, without sockets. For tests. */

import type { AccessUnit, CodedTrack } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import { eventually } from '../../core/eventually-fixture.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { readRtcp, type SenderReport } from '../../rtp/rtcp/rtcp-reader.ts';
import { RtpPacket } from '../../rtp/rtp-packet.ts';
import type { RtspHeaderField } from '../../rtsp/headers.ts';
import type { RtspResponse } from '../../rtsp/message.ts';
import { RtspMessageReader } from '../../rtsp/message-reader.ts';
import { writeRequest } from '../../rtsp/message-writer.ts';
import type { LiveState } from '../../stream/media/live-media.ts';
import type { LiveUnits, UnitReader } from '../../stream/source/unit-feed.ts';
import type { RtspCarrier } from './rtsp-carrier.ts';
import { RtspConnection } from './rtsp-connection.ts';
import type { RtspCamera, RtspDesk } from './rtsp-desk.ts';

/** A stream that a test sends access units of. */
export class FakeUnits implements LiveUnits {
  cameraTime: LiveUnits['cameraTime'] = null;
  tracks: readonly CodedTrack[] | null;
  readonly newest: AccessUnit[] = [];
  readonly readers = new Set<UnitReader>();

  constructor(tracks: readonly CodedTrack[] | null) {
    this.tracks = tracks;
  }

  attach(reader: UnitReader): void {
    this.readers.add(reader);
    if (this.tracks !== null) reader.onTracks(this.tracks);
  }

  detach(reader: UnitReader): void {
    this.readers.delete(reader);
  }

  newestUnits(): Iterable<AccessUnit> {
    return this.newest;
  }

  announce(tracks: readonly CodedTrack[]): void {
    this.tracks = tracks;
    for (const reader of [...this.readers]) reader.onTracks(tracks);
  }

  publish(unit: AccessUnit): void {
    for (const reader of [...this.readers]) reader.onAccessUnit(unit);
  }

  fail(error: GatewayError): void {
    for (const reader of [...this.readers]) reader.onGone(error);
  }
}

export class FakeRtspCamera implements RtspCamera {
  isCutOff = false;
  state: LiveState = { state: 'live' };
  readonly touches: string[] = [];
  readonly main: FakeUnits;
  readonly sub: FakeUnits | null;

  constructor(main: FakeUnits, sub: FakeUnits | null = null) {
    this.main = main;
    this.sub = sub;
  }

  touch(interest: string): void {
    this.touches.push(interest);
  }

  status(): LiveState {
    return this.state;
  }

  unitsOf(profile: 'main' | 'sub'): LiveUnits | null {
    return profile === 'main' ? this.main : this.sub;
  }
}

export interface ReceivedPacket {
  readonly channel: number;
  readonly payloadType: number;
  readonly sequenceNumber: number;
  readonly rtpTimestamp: number;
  readonly isMarked: boolean;
  readonly payload: Buffer;
}

/** A client whose connection stores what it gets. */
export class RtspTestClient implements RtspCarrier {
  readonly address: string;
  connection: RtspConnection;
  readonly packets: ReceivedPacket[] = [];
  readonly reports: (SenderReport & { readonly channel: number })[] = [];
  byes = 0;
  /** How its connection ended; null: it is open. */
  ending: 'ended' | 'reset' | null = null;
  isOpened = false;
  datagrams: RtspCarrier['datagrams'] = null;
  /** What the operating system does not take. */
  buffered = 0;
  /** The client reads nothing: what is sent only counts. */
  isStopped = false;
  readonly #responses: RtspResponse[] = [];
  readonly #reader: RtspMessageReader;
  #cseq = 0;

  constructor(desk: RtspDesk, clock = new FakeClock(), address = '192.0.2.1') {
    this.address = address;
    this.connection = this.#connect(desk, clock);
    this.#reader = new RtspMessageReader({
      onRequest: () => undefined,
      onResponse: (response) => this.#responses.push(response),
      onInterleaved: (channel, chunk, start, end) => this.#onInterleaved(channel, chunk, start, end),
    });
  }

  /** A new connection, for what was changed since it began. */
  restart(desk: RtspDesk, clock: FakeClock): void {
    this.connection = this.#connect(desk, clock);
  }

  #connect(desk: RtspDesk, clock: FakeClock): RtspConnection {
    const onOpened = (): void => {
      this.isOpened = true;
    };
    return new RtspConnection({ desk, clock, carrier: this, onOpened });
  }

  send(bytes: Buffer): void {
    if (this.ending !== null) return;
    if (this.isStopped) this.buffered += bytes.length;
    else this.#reader.push(bytes);
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  end(): void {
    this.ending ??= 'ended';
  }

  reset(): void {
    this.ending ??= 'reset';
  }

  /** The response to a request. */
  async request(method: string, url: string, fields: readonly RtspHeaderField[] = []): Promise<RtspResponse> {
    const before = this.#responses.length;
    const cseq = String(++this.#cseq);
    this.connection.received(writeRequest(method, url, [['CSeq', cseq], ...fields]));
    await eventually(
      `a response to ${method}`,
      () => this.#responses.length > before || this.ending !== null,
    );
    const response = this.#responses[before];
    if (response === undefined) throw new Error(`the connection was ${this.ending} without a response`);
    return response;
  }

  /** Describes, sets up `tracks` tracks, and plays. The session description. */
  async play(url: string, tracks = 1, fields: readonly RtspHeaderField[] = []): Promise<string> {
    const described = await this.request('DESCRIBE', url, fields);
    if (described.statusCode !== 200) throw new Error(`${described.statusCode} ${described.reasonPhrase}`);
    for (let track = 0; track < tracks; track++) {
      const transport = `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`;
      await this.request('SETUP', `${url}/trackID=${track}`, [['Transport', transport]]);
    }
    await this.request('PLAY', url);
    return Buffer.from(described.body).toString();
  }

  #onInterleaved(channel: number, chunk: Uint8Array, start: number, end: number): void {
    if (channel % 2 === 1) {
      const sink = {
        onSenderReport: (report: SenderReport) => void this.reports.push({ ...report, channel }),
        onBye: () => void this.byes++,
      };
      if (!readRtcp(chunk, start, end, sink)) throw new Error('not RTCP');
      return;
    }
    const packet = new RtpPacket();
    if (!packet.read(chunk, start, end)) throw new Error('not RTP');
    const { payloadType, sequenceNumber, rtpTimestamp, isMarked } = packet;
    const payload = Buffer.from(chunk.subarray(packet.payloadStart, packet.payloadEnd));
    this.packets.push({ channel, payloadType, sequenceNumber, rtpTimestamp, isMarked, payload });
  }
}
