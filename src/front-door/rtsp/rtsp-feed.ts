/**
 * The packets of one stream of a camera, made once for all RTSP clients that watch it. It keeps the camera open as long as it has
 * members, and ends when the camera's connection does: clients connect again.
 */

import type { AccessUnit, CodedTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { FramePackets } from '../../rtp/frame-packets.ts';
import type { LiveUnits, UnitReader } from '../../stream/source/unit-feed.ts';
import { rtpTicks, type SentTrack, sentTracks } from './sent-track.ts';

/** One access unit. Shared by all clients; never changes. */
export interface SentFrame {
  readonly track: SentTrack;
  readonly packets: FramePackets;
  /** On the RTP clock of its track. */
  readonly ticks: number;
  readonly mediaMs: number;
  /** A frame of video at which decoding can begin. */
  readonly isKey: boolean;
}

/** Called synchronously and in order. May leave at any time. */
export interface FeedMember {
  /** Its tracks are known, or there are others with the same names. */
  onTracks(tracks: readonly SentTrack[]): void;
  /** For those that play. Hot: once per frame and client. */
  onFrame(frame: SentFrame): void;
  /** null: the camera sends other tracks than those that were described, or their timeline is another. The member has left. */
  onGone(error: GatewayError | null): void;
}

const MS_PER_SEC = 1_000;
/** A longer step of the media time, or one back, is another timeline: that of another node's connection to the camera. */
const MAX_STEP_MS = 10_000;

export class RtspFeed implements UnitReader {
  readonly #units: LiveUnits;
  readonly #clock: Clock;
  readonly #onEmpty: () => void;
  readonly #members = new Set<FeedMember>();
  readonly #playing = new Set<FeedMember>();
  #tracks: readonly SentTrack[] | null = null;
  /** By the index of the camera's tracks. */
  #byIndex: readonly (SentTrack | undefined)[] = [];
  /** The gateway's clock at the first frame: dates frames until the camera reports its own. */
  #lastVideoMs = Number.NaN;
  #firstTime: { readonly mediaMs: number; readonly epochMs: number } | null = null;

  /** `onEmpty`: called once; nothing may join afterwards. */
  constructor(units: LiveUnits, clock: Clock, onEmpty: () => void) {
    this.#units = units;
    this.#clock = clock;
    this.#onEmpty = onEmpty;
  }

  /** Opens the camera. If the tracks are known, `onTracks` is called before this returns. */
  join(member: FeedMember): void {
    const isFirst = this.#members.size === 0;
    this.#members.add(member);
    if (isFirst) this.#units.attach(this);
    else if (this.#tracks !== null) member.onTracks(this.#tracks);
  }

  /** Idempotent. */
  leave(member: FeedMember): void {
    this.#playing.delete(member);
    if (this.#members.delete(member) && this.#members.size === 0) this.#end();
  }

  /** The newest group of pictures so far: what a member that begins to play gets first. */
  *newest(): Iterable<SentFrame> {
    for (const unit of this.#units.newestUnits()) {
      const frame = this.#frameOf(unit);
      if (frame !== null) yield frame;
    }
  }

  /** The member gets frames from now on. */
  play(member: FeedMember): void {
    if (this.#members.has(member)) this.#playing.add(member);
  }

  /** The member gets no more frames for now. Idempotent. */
  halt(member: FeedMember): void {
    this.#playing.delete(member);
  }

  /** The camera's wall clock at a media time, or ours if it reports none. */
  epochMsAt(mediaMs: number): number {
    const known = this.#units.cameraTime ?? this.#firstTime;
    return known === null ? this.#clock.epochMs() : known.epochMs + mediaMs - known.mediaMs;
  }

  onTracks(tracks: readonly CodedTrack[]): void {
    const sent = sentTracks(tracks);
    const isOther = this.#tracks !== null && namesOf(sent) !== namesOf(this.#tracks);
    this.#tracks = sent;
    this.#byIndex = tracks.map((_, index) => sent.find(({ trackIndex }) => trackIndex === index));
    if (isOther) this.#endMembers(null);
    else for (const member of [...this.#members]) member.onTracks(sent);
  }

  /** Borrowed. Hot: once per frame of each watched camera. */
  onAccessUnit(unit: AccessUnit): void {
    if (this.#playing.size === 0) return;
    const frame = this.#frameOf(unit);
    if (frame === null) return;
    if (frame.track.kind === 'video' && this.#hasJumped(unit.dtsTicks, frame.track)) this.#endMembers(null);
    else for (const member of this.#playing) member.onFrame(frame);
  }

  onGone(error: GatewayError): void {
    this.#endMembers(error);
  }

  #hasJumped(dtsTicks: number, { timescaleHz }: SentTrack): boolean {
    const videoMs = (dtsTicks * MS_PER_SEC) / timescaleHz;
    const stepMs = videoMs - this.#lastVideoMs;
    this.#lastVideoMs = videoMs;
    return stepMs < 0 || stepMs > MAX_STEP_MS;
  }

  #frameOf(unit: AccessUnit): SentFrame | null {
    const track = this.#byIndex[unit.trackIndex];
    const packets = track?.packets(unit) ?? null;
    if (track === undefined || packets === null) return null;
    const mediaMs = (unit.ptsTicks * MS_PER_SEC) / track.timescaleHz;
    this.#firstTime ??= {
      mediaMs,
      epochMs: unit.arrivalMonoMs + this.#clock.epochMs() - this.#clock.monoMs(),
    };
    const isKey = unit.isKey && track.kind === 'video';
    return { track, packets, ticks: rtpTicks(track, unit.ptsTicks), mediaMs, isKey };
  }

  #endMembers(error: GatewayError | null): void {
    const members = [...this.#members];
    this.#members.clear();
    this.#playing.clear();
    this.#end();
    for (const member of members) member.onGone(error);
  }

  #end(): void {
    this.#units.detach(this);
    this.#onEmpty();
  }
}

function namesOf(tracks: readonly SentTrack[]): string {
  return JSON.stringify(tracks.map(({ name, trackIndex }) => [name, trackIndex]));
}
