/**
 * One viewer who watches a camera by RTSP. It never has a backlog: if more than its part of memory waits to be sent, frames are left
 * out up to the next key frame for which there is room. Their numbers are left out too, so the client sees that it lost packets.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Pool, Taken } from '../../core/limits/pool.ts';
import type { LIMITS } from '../../core/limits/registry.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import { INTERLEAVED_HEADER_BYTES } from '../../rtp/frame-packets.ts';
import { writeBye } from '../../rtp/rtcp/rtcp-writer.ts';
import { RtpSender } from '../../rtp/rtp-sender.ts';
import { writeSessionDescription } from '../../rtsp/sdp/description-writer.ts';
import type {
  ReplayOrder,
  ServedPresentation,
  TrackDelivery,
  TrackStart,
} from '../../rtsp/server/server-session.ts';
import { trackControl } from '../../rtsp/server/server-target.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { ViewerSession, WaitingRequest } from '../../sharing/viewer-session.ts';
import { ReplayTracks } from './replay-tracks.ts';
import type { RtspCarrier } from './rtsp-carrier.ts';
import type { FeedMember, RtspFeed, SentFrame } from './rtsp-feed.ts';
import { type ReplayPast, RtspReplay } from './rtsp-replay.ts';
import type { SentTrack } from './sent-track.ts';

/** As much as the longest group of pictures that is kept, with which a viewer starts. */
export const MAX_QUEUED_BYTES = 9 * 1_048_576;
/** The largest group of pictures that is sent in one burst by UDP: a receiver's buffer has to take all of it. */
export const MAX_BURST_BYTES = 131_072;
/** How much of a replay waits for the client: enough for a slow network's round trip. */
const REPLAY_AHEAD_BYTES = 1_048_576;
/** Room for what waits is taken in pieces of this size. */
const ROOM_BYTES = 262_144;
/** What each viewer may have waiting besides. */
const FREE_BYTES = 65_536;
/** Between two sender reports of a track. RFC 3550 §6.2 has 5 s for small sessions. */
const REPORT_INTERVAL_MS = 5_000;
/** A client to which nothing could be sent for this long has left without a word. */
export const STALLED_MS = 20_000;
const CNAME_BYTES = 9;
const DOLLAR = 0x24;
const NOTHING = (): void => undefined;

/** Totals of all viewers since the start. */
export interface RtspCounts {
  sentFrames: number;
  droppedFrames: number;
}

export interface RtspViewOptions {
  readonly session: ViewerSession;
  readonly feed: RtspFeed;
  readonly carrier: RtspCarrier;
  readonly clock: Clock;
  readonly counts: RtspCounts;
  /** What players show. */
  readonly name: string;
  /** Room for what waits to be sent. */
  readonly queues: Pool<typeof LIMITS.rtspQueues>;
  readonly queueHolders: { readonly organization: string; readonly link: string };
  /** Called for the bytes of every frame. */
  readonly onSent: (session: ViewerSession, bytes: number) => void;
  /** Called once, when the view is over; null: it was left. */
  readonly onEnd: (view: RtspView, why: ViewEnd) => void;
}

/** Why a view is over. `access`: the viewer may no longer watch. */
export type ViewEnd = 'left' | 'access' | 'camera' | 'tracks' | 'stalled';

interface PlayedTrack {
  readonly sent: SentTrack;
  readonly sender: RtpSender;
  readonly delivery: TrackDelivery;
  nextReportMs: number;
}

export class RtspView implements FeedMember, WaitingRequest {
  readonly session: ViewerSession;
  readonly #options: RtspViewOptions;
  readonly #cname = randomBytes(CNAME_BYTES).toString('base64url');
  /** Those that the viewer may have; null before they are known. */
  #tracks: readonly SentTrack[] | null = null;
  /** By the index of the camera's tracks. */
  #played: (PlayedTrack | undefined)[] = [];
  #hasVideo = false;
  #needsKey = true;
  #hasStarted = false;
  #isOver = false;
  #hasSentSinceLook = false;
  #sentBytes = 0;
  #deliveredBytes = 0;
  /** In datagrams that the operating system has not taken. */
  #datagramBytes = 0;
  #deliveredMonoMs: number;
  readonly #room: Taken[] = [];
  #replay: RtspReplay | null = null;
  #epochMsAt: (mediaMs: number) => number = (mediaMs) => mediaMs;
  #awaitTracks: ((tracks: readonly SentTrack[] | null) => void) | null = null;

  constructor(options: RtspViewOptions) {
    this.session = options.session;
    this.#options = options;
    this.#deliveredMonoMs = options.clock.monoMs();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Joins the camera. Resolves with its tracks, or with null once the view is over. */
  begin(): Promise<readonly SentTrack[] | null> {
    const known = new Promise<readonly SentTrack[] | null>((resolve) => {
      this.#awaitTracks = resolve;
    });
    this.session.waiting.add(this);
    this.#options.feed.join(this);
    return known;
  }

  /** Once its tracks are known. */
  presentation(): ServedPresentation {
    const tracks = this.#tracks ?? [];
    const media = tracks.map(({ media: each }, index) => ({ ...each, control: trackControl(index) }));
    const sdp = writeSessionDescription({ name: this.#options.name, range: 'npt=now-', media });
    return { sdp, trackCount: tracks.length };
  }

  /**
   * Numbers of the tracks to play; `start` or `startReplay` sends them. `firstMs`: on their timeline; null: that of the newest group of
   * pictures.
   */
  prepare(
    deliveries: readonly (TrackDelivery | null)[],
    firstMs: number | null = null,
  ): (TrackStart | null)[] {
    const { feed } = this.#options;
    feed.halt(this);
    this.#replay?.stop();
    this.#replay = null;
    this.#played = [];
    this.#hasVideo = false;
    const [newest] = firstMs === null ? feed.newest() : [];
    const startMs = firstMs ?? newest?.mediaMs ?? null;
    const starts = (this.#tracks ?? []).map((sent, index): TrackStart | null => {
      const delivery = deliveries[index] ?? null;
      if (delivery === null) return null;
      const sender = new RtpSender(this.#cname);
      this.#played[sent.trackIndex] = { sent, sender, delivery, nextReportMs: Number.NEGATIVE_INFINITY };
      this.#hasVideo ||= sent.kind === 'video';
      const ticks = startMs === null ? null : Math.round((startMs * sent.media.clockRateHz) / 1_000);
      const rtpTimestamp = ticks === null ? null : sender.rtpTimestamp(ticks);
      return { sequenceNumber: sender.nextSequence, rtpTimestamp };
    });
    this.#needsKey = this.#hasVideo;
    return starts;
  }

  /** Frames come, the newest group of pictures first. */
  start(): void {
    const { feed } = this.#options;
    this.#epochMsAt = (mediaMs) => feed.epochMsAt(mediaMs);
    const newest = [...feed.newest()];
    const bytes = newest.reduce((sum, { packets }) => sum + packets.byteLength, 0);
    const isByUdp = this.#played.some((played) => played?.delivery.lower === 'udp');
    if (!isByUdp || bytes <= MAX_BURST_BYTES) for (const frame of newest) this.onFrame(frame);
    feed.play(this);
  }

  /** Recorded video of the camera. Call its `stop`, or `startReplay`. Fails TOO_MANY_PAST_READS. */
  openReplay(past: ReplayPast, order: ReplayOrder, stream: RecordedStream): RtspReplay {
    const { session, clock } = this.#options;
    const tracks = new ReplayTracks(() => this.#played.flatMap((played) => (played ? [played.sent] : [])));
    return new RtspReplay({
      past,
      session,
      stream,
      clock,
      range: order,
      isUnpaced: order.isUnpaced,
      events: {
        onTracks: (recorded) => tracks.set(recorded),
        onUnit: (replayed) => {
          const frame = tracks.frameOf(replayed, order);
          if (frame !== null) this.#sendFrame(frame, this.#played[frame.track.trackIndex]);
        },
        hasRoom: () => this.#options.carrier.bufferedBytes() + this.#datagramBytes <= REPLAY_AHEAD_BYTES,
        onEnd: () => this.#sendByes(),
      },
    });
  }

  /** Frames come, as far as they belong to tracks that were prepared. */
  startReplay(replay: RtspReplay, fromMs: number): void {
    if (this.#isOver) {
      replay.stop();
      return;
    }
    this.#replay = replay;
    this.#epochMsAt = (mediaMs) => fromMs + mediaMs;
    replay.start();
  }

  onTracks(tracks: readonly SentTrack[]): void {
    const { includeAudio } = this.session;
    this.#tracks = includeAudio ? tracks : tracks.filter(({ kind }) => kind === 'video');
    this.#awaitTracks?.(this.#tracks);
    this.#awaitTracks = null;
  }

  /** Hot: once per frame and viewer. */
  onFrame(frame: SentFrame): void {
    const played = this.#played[frame.track.trackIndex];
    if (played === undefined || this.#isOver) return;
    const { packets } = frame;
    if ((this.#needsKey && !frame.isKey) || !this.#hasRoom(packets.byteLength)) {
      this.#needsKey = this.#hasVideo;
      if (!this.#hasStarted) return;
      this.#options.counts.droppedFrames++;
      played.sender.skip(packets);
      return;
    }
    this.#sendFrame(frame, played);
  }

  /** Hot. */
  #sendFrame({ packets, ticks, mediaMs }: SentFrame, played: PlayedTrack | undefined): void {
    if (played === undefined || this.#isOver) return;
    if (this.#needsKey || mediaMs >= played.nextReportMs) this.#report(mediaMs);
    this.#needsKey = false;
    this.#hasStarted = true;
    const bytes = Buffer.allocUnsafe(packets.byteLength);
    const { delivery } = played;
    played.sender.write(packets, ticks, bytes, 0, delivery.lower === 'tcp' ? delivery.channels.rtp : 0);
    if (delivery.lower === 'tcp') this.#send(bytes);
    else this.#sendDatagrams(bytes, packets.starts, delivery.ports.rtp);
    this.#options.counts.sentFrames++;
    this.#hasSentSinceLook = true;
  }

  onGone(error: GatewayError | null): void {
    this.#finish(error === null ? 'tracks' : 'camera');
  }

  /** The viewer may no longer watch. Bytes that have not reached the network are not sent. */
  onCutOff(_refusal: AccessRefused): void {
    this.#finish('access');
  }

  /** The gateway is stopping. */
  goAway(): void {
    this.#finish('camera');
  }

  /** The connection is closed, or the client is done. */
  leave(): void {
    this.#finish('left');
  }

  /** Call every second. Returns whether anything was sent since the last call. */
  look(): boolean {
    if (this.#isOver) return false;
    const { carrier, clock } = this.#options;
    const nowMonoMs = clock.monoMs();
    const buffered = carrier.bufferedBytes();
    const delivered = this.#sentBytes - buffered;
    if (buffered === 0 || delivered !== this.#deliveredBytes) this.#deliveredMonoMs = nowMonoMs;
    this.#deliveredBytes = delivered;
    this.#giveRoomBack(buffered + this.#datagramBytes);
    if (nowMonoMs - this.#deliveredMonoMs > STALLED_MS) this.#finish('stalled');
    const hasSent = this.#hasSentSinceLook;
    this.#hasSentSinceLook = false;
    return hasSent;
  }

  /** Whether a frame may wait behind what waits already. Hot. */
  #hasRoom(bytes: number): boolean {
    const { carrier, queues, queueHolders } = this.#options;
    const waiting = carrier.bufferedBytes() + this.#datagramBytes;
    if (waiting + bytes > MAX_QUEUED_BYTES) return false;
    // A viewer that keeps up needs none: its frames go to the operating system as they come.
    this.#giveRoomBack(waiting);
    const wanted = waiting === 0 ? 0 : waiting + bytes;
    while (this.#room.length * ROOM_BYTES + FREE_BYTES < wanted) {
      const place = queues.take(queueHolders, ROOM_BYTES);
      if (!place.isTaken) return false;
      this.#room.push(place);
    }
    return true;
  }

  /** What is not needed for the bytes that wait. */
  #giveRoomBack(waiting: number): void {
    while (this.#room.length > 0 && (this.#room.length - 1) * ROOM_BYTES + FREE_BYTES >= waiting) {
      this.#room.pop()!.giveBack();
    }
  }

  /** Of all tracks at one instant, so that the client puts them on one timeline. */
  #report(mediaMs: number): void {
    const epochMs = this.#epochMsAt(mediaMs);
    for (const played of this.#played) {
      if (played === undefined) continue;
      const ticks = Math.round((mediaMs * played.sent.media.clockRateHz) / 1_000);
      played.nextReportMs = mediaMs + REPORT_INTERVAL_MS;
      this.#sendRtcp(played, played.sender.senderReport(ticks, epochMs));
    }
  }

  #sendByes(): void {
    for (const played of this.#played) {
      if (played !== undefined) this.#sendRtcp(played, writeBye(played.sender.ssrc));
    }
  }

  #sendRtcp({ delivery }: PlayedTrack, report: Buffer): void {
    if (delivery.lower === 'udp') {
      this.#options.carrier.datagrams?.send('rtcp', report, delivery.ports.rtcp, NOTHING);
      return;
    }
    const bytes = Buffer.allocUnsafe(INTERLEAVED_HEADER_BYTES + report.length);
    bytes[0] = DOLLAR;
    bytes[1] = delivery.channels.rtcp;
    bytes.writeUInt16BE(report.length, 2);
    report.copy(bytes, INTERLEAVED_HEADER_BYTES);
    this.#send(bytes);
  }

  #send(bytes: Buffer): void {
    const { carrier, onSent } = this.#options;
    this.#sentBytes += bytes.length;
    carrier.send(bytes);
    onSent(this.session, bytes.length);
  }

  /** Each packet without its interleaved header. `starts`: see FramePackets. */
  #sendDatagrams(bytes: Buffer, starts: readonly number[], port: number): void {
    const { carrier, onSent } = this.#options;
    this.#datagramBytes += bytes.length;
    const last = starts.length - 2;
    const onLast = (): void => {
      this.#datagramBytes -= bytes.length;
    };
    for (let packet = 0; packet <= last; packet++) {
      const datagram = bytes.subarray(starts[packet]! + INTERLEAVED_HEADER_BYTES, starts[packet + 1]);
      carrier.datagrams?.send('rtp', datagram, port, packet < last ? NOTHING : onLast);
    }
    onSent(this.session, bytes.length);
  }

  #finish(why: ViewEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { carrier, feed, onEnd } = this.#options;
    this.session.waiting.delete(this);
    feed.leave(this);
    this.#replay?.stop();
    this.#replay = null;
    this.#awaitTracks?.(null);
    this.#awaitTracks = null;
    const mustDiscard = why === 'stalled' || (why === 'access' && carrier.bufferedBytes() > 0);
    if (!mustDiscard && why !== 'left') this.#sendByes();
    for (const place of this.#room) place.giveBack();
    this.#room.length = 0;
    onEnd(this, why);
    // Until its tracks are known, the client waits for a response, which says why there is none.
    if (this.#tracks === null) return;
    if (mustDiscard) carrier.reset();
    else if (why !== 'left') carrier.end();
  }
}
