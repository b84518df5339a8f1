/**
 * The audio that goes with the video: frames wait here until the part that covers their time closes. Video sets the
 * pace; audio that arrives early waits for it.
 *
 * A player shows only what audio and video both cover (Media Source Extensions §3.6), so announced audio must exist
 * whether or not the camera sends it. Silent frames replace missing ones (docs/design/live-timing.md):
 *
 * - While frames arrive, a closed part waits for the frames of its time for as long as frames were late before, and a
 *   little longer (`isReady`). So its audio and video end at most one frame apart. Frames that arrive after that belong to
 *   time that is already filled, and are left out.
 * - While none arrive, every part is immediately filled up to its end.
 * - Frames that stay out of reach of the video are timed by their arrival: if the timestamps of the two tracks have
 *   diverged, that costs some audio and no video.
 */

import { opusSamples } from '../codec/opus/opus-packet.ts';
import type { AccessUnit, AudioTrack } from '../codec/track.ts';
import { AudioDrift } from './audio-drift.ts';
import type { DropReason } from './drop-counts.ts';
import { FragmentTrack } from './fragment-writer.ts';
import { RecentMaximum } from './recent-maximum.ts';
import { SampleQueue } from './sample-queue.ts';
import type { SegmenterProgress } from './segmenter-progress.ts';
import { convertTicks, msToTicks } from './ticks.ts';

/** 20 seconds of AAC at 48 kHz. */
export const MAX_WAITING_FRAMES = 1_024;
export const MAX_WAITING_BYTES = 1_048_576;
/**
 * A video frame that is shown for seconds lets audio run ahead of it; audio further ahead than this does not belong to
 * it.
 */
const MAX_AHEAD_MS = 10_000;
/** Audio later than this is not waited for: viewers would get the video that much later. */
const MAX_LATE_MS = 1_500;
/** Frames out of reach for this long, measured in video time, get new times. A worker's start is over by then. */
const MAX_OUT_OF_REACH_MS = 1_000;
/**
 * How much later than usual a frame may arrive before its time is filled. Short: a viewer's player has a third of a
 * second in its buffer when the next part arrives, and a camera whose frames arrive unevenly teaches the lane to wait
 * longer.
 */
const JITTER_MS = 100;
/** Minimum time for which a late frame is remembered. */
const LATENESS_SPAN_MS = 10_000;
/**
 * In frames: how far after the end of the previous frame the next may begin, if its timestamp is as far from the one
 * before. Then one is missing, and silence replaces it.
 */
const MAX_HOLE_FRAMES = 0.75;
/** A frame that overlaps by more than this does not only come from a clock that is off. */
const MAX_DRIFT_FRAMES = 2.5;
/** The same after silent frames: a real one goes to the nearest place after them. */
const MAX_JOIN_FRAMES = 0.5;

export class AudioLane {
  readonly fragment: FragmentTrack;
  readonly #queue: SampleQueue;
  readonly #timescaleHz: number;
  /** Length of a silent frame; of each frame, except where frames state it themselves. */
  readonly #frameTicks: number;
  /** Opus packets last as long as they say. */
  readonly #isSelfTimed: boolean;
  readonly #silentFrame: Uint8Array;
  readonly #maxAheadTicks: number;
  readonly #maxLateTicks: number;
  readonly #maxOutOfReachTicks: number;
  readonly #jitterTicks: number;
  readonly #lateness: RecentMaximum;
  readonly #drift: AudioDrift;
  /** Output time minus source time. */
  #offsetTicks = 0;
  /** Earliest start of any audio. Before it, the video is missing or the audio is already written. */
  #earliestTicks = 0;
  /** Frames are arriving: parts wait for them. */
  #isLive = false;
  /** The held frame is a silent replacement. */
  #isHeldSilent = false;
  /** How long the held frame lasts. */
  #heldFrameTicks: number;
  /** When the newest frame ends, by its timestamp. */
  #stampedEndTicks = 0;
  /** Time of the video frame at which audio frames began to be out of reach; -1 if they are not. */
  #outOfReachSinceTicks = -1;

  /** `silentFrame`: a silent frame of the track; `trackId`: its ID in the init segment. */
  constructor(track: AudioTrack, silentFrame: Uint8Array, trackId: number) {
    this.#queue = new SampleQueue();
    this.fragment = new FragmentTrack(trackId, this.#queue);
    this.#timescaleHz = track.timescaleHz;
    this.#frameTicks = convertTicks(track.samplesPerFrame, track.sampleRateHz, track.timescaleHz);
    this.#heldFrameTicks = this.#frameTicks;
    this.#isSelfTimed = track.codec === 'opus';
    this.#silentFrame = silentFrame;
    this.#maxAheadTicks = msToTicks(MAX_AHEAD_MS, track.timescaleHz);
    this.#maxLateTicks = msToTicks(MAX_LATE_MS, track.timescaleHz);
    this.#maxOutOfReachTicks = msToTicks(MAX_OUT_OF_REACH_MS, track.timescaleHz);
    this.#jitterTicks = msToTicks(JITTER_MS, track.timescaleHz);
    this.#drift = new AudioDrift(track, this.#frameTicks);
    this.#lateness = new RecentMaximum(msToTicks(LATENESS_SPAN_MS, track.timescaleHz));
  }

  /** End of the audio that is written, in seconds of output time. */
  get endSec(): number {
    return this.#earliestTicks / this.#timescaleHz;
  }

  /** Nothing begins before the end of the audio that another lane has written. */
  goOn({ soundEndSec }: SegmenterProgress): void {
    this.#earliestTicks = Math.max(this.#earliestTicks, Math.round(soundEndSec * this.#timescaleHz));
  }

  /** A timeline begins: the video frame at `sourceTicks` is at `outputTicks`, both in ticks of `timescaleHz`. */
  restart(sourceTicks: number, outputTicks: number, timescaleHz: number): void {
    const outputAudioTicks = convertTicks(outputTicks, timescaleHz, this.#timescaleHz);
    this.#offsetTicks = outputAudioTicks - convertTicks(sourceTicks, timescaleHz, this.#timescaleHz);
    this.#earliestTicks = Math.max(this.#earliestTicks, outputAudioTicks);
    this.#isLive = false;
    this.#outOfReachSinceTicks = -1;
    this.#lateness.reset();
  }

  /**
   * Copies the frame; returns why it was rejected, or null. Frames before the first video frame, and frames for time
   * that is filled, are not a loss. The newest video frame is at `pictureTicks` of `timescaleHz` on the output
   * timeline.
   */
  push(unit: AccessUnit, pictureTicks: number, timescaleHz: number): DropReason | null {
    const queue = this.#queue;
    const pictureAudioTicks = convertTicks(pictureTicks, timescaleHz, this.#timescaleHz);
    if (!this.#isWithinReach(unit.dtsTicks, pictureAudioTicks)) return 'bad-timestamp';
    const stampedTicks = unit.dtsTicks + this.#offsetTicks;
    this.#isLive = true;
    this.#lateness.add(pictureAudioTicks, pictureAudioTicks - stampedTicks);
    if (this.#isFilled(stampedTicks)) return null;
    this.#drift.hear(unit.data, stampedTicks);
    const isAfterLoss = stampedTicks - this.#stampedEndTicks >= this.#frameTicks * MAX_HOLE_FRAMES;
    this.#stampedEndTicks = stampedTicks + this.#ticksOf(unit.data);
    const overlapTicks = queue.isEmpty ? 0 : this.#coveredTicks() - stampedTicks;
    if (this.#drift.isOneTooMany(overlapTicks))
      return overlapTicks > this.#frameTicks * MAX_DRIFT_FRAMES ? 'timestamp-back' : null;
    if (isAfterLoss || this.#isHeldSilent || queue.isEmpty) this.#fillUpTo(stampedTicks);
    else if (this.#drift.needsOneMore(-overlapTicks)) this.#putIn(unit.data);
    if (queue.count >= MAX_WAITING_FRAMES || queue.byteLength + unit.data.length > MAX_WAITING_BYTES) {
      return 'audio-backlog';
    }
    if (queue.isEmpty) this.#hold(unit.data, stampedTicks, false);
    else this.#append(unit.data, false);
    return null;
  }

  /**
   * Whether a part that ends at `endTicks` need not wait any longer: its audio is there, except for at most the held
   * frame, or will be silence. The newest video frame is at `pictureTicks`; all in ticks of `timescaleHz`.
   */
  isReady(endTicks: number, pictureTicks: number, timescaleHz: number): boolean {
    const coveredTicks = this.#coveredTicks();
    if (coveredTicks >= convertTicks(endTicks, timescaleHz, this.#timescaleHz)) return true;
    const lateTicks = convertTicks(pictureTicks, timescaleHz, this.#timescaleHz) - coveredTicks;
    if (lateTicks > this.#patienceTicks()) this.#isLive = false;
    return !this.#isLive;
  }

  /** Nothing waits until the next frame arrives. */
  giveUp(): void {
    this.#isLive = false;
  }

  /** The next fragment takes the frames that begin before `endTicks` of `timescaleHz`; never the held one. */
  takeBefore(endTicks: number, timescaleHz: number): void {
    const endAudioTicks = convertTicks(endTicks, timescaleHz, this.#timescaleHz);
    if (!this.#isLive) this.#coverUntil(endAudioTicks);
    const complete = Math.max(0, this.#queue.count - 1);
    this.fragment.take(this.#queue.countBefore(endAudioTicks, complete));
  }

  /** Like `takeBefore`, at the end of a timeline: nothing waits any longer. */
  takeLastBefore(endTicks: number, timescaleHz: number): void {
    const endAudioTicks = convertTicks(endTicks, timescaleHz, this.#timescaleHz);
    this.#coverUntil(endAudioTicks);
    if (!this.#queue.isEmpty) this.#queue.finishHeld(this.#heldFrameTicks);
    this.fragment.take(this.#queue.countBefore(endAudioTicks, this.#queue.count));
  }

  /** How long the newest frame lasts. */
  get heldFrameTicks(): number {
    return this.#heldFrameTicks;
  }

  /** Duration of the taken frames, in ticks of the track: each lasts as long as its samples. */
  get takenTicks(): number {
    return this.#queue.ticksOf(this.fragment.run.sampleCount);
  }

  /** The taken frames have been written. */
  release(): void {
    if (this.fragment.run.sampleCount === 0) return;
    this.fragment.release();
    this.#earliestTicks = this.#queue.startTicks;
  }

  /** Ends the timeline: waiting frames lie beyond the last video frame. */
  clear(): void {
    this.#queue.clear();
  }

  /**
   * False for a frame too far from the video. Once frames have been that far for a while, the tracks are tied together
   * again.
   */
  #isWithinReach(sourceTicks: number, pictureTicks: number): boolean {
    const aheadTicks = sourceTicks + this.#offsetTicks - pictureTicks;
    if (aheadTicks <= this.#maxAheadTicks && aheadTicks >= -this.#maxLateTicks) {
      this.#outOfReachSinceTicks = -1;
      return true;
    }
    if (this.#outOfReachSinceTicks < 0) this.#outOfReachSinceTicks = pictureTicks;
    if (pictureTicks - this.#outOfReachSinceTicks < this.#maxOutOfReachTicks) return false;
    this.#outOfReachSinceTicks = -1;
    this.#offsetTicks = pictureTicks - sourceTicks;
    this.#lateness.reset();
    return true;
  }

  /** A frame at `stampedTicks` belongs to a time before the first video frame, or to time that is written or filled. */
  #isFilled(stampedTicks: number): boolean {
    if (this.#queue.isEmpty) return stampedTicks < this.#earliestTicks;
    return this.#isHeldSilent && this.#coveredTicks() - stampedTicks > this.#frameTicks * MAX_JOIN_FRAMES;
  }

  /** End of the available audio, or where it must begin. */
  #coveredTicks(): number {
    return this.#queue.isEmpty ? this.#earliestTicks : this.#queue.heldTicks + this.#heldFrameTicks;
  }

  /** How far audio may lag behind the newest video frame. */
  #patienceTicks(): number {
    return Math.min(this.#lateness.value, this.#maxLateTicks) + this.#jitterTicks;
  }

  /** A clock that is off has made room for a frame: `data`, which comes next, is heard twice. */
  #putIn(data: Uint8Array): void {
    if (this.#queue.count >= MAX_WAITING_FRAMES) return;
    if (this.#isSelfTimed) this.#append(this.#silentFrame, true);
    else this.#append(data, false);
  }

  /** Adds silent frames up to where a frame at `stampedTicks` follows, as far as there is room. */
  #fillUpTo(stampedTicks: number): void {
    const queue = this.#queue;
    const joinTicks = this.#frameTicks * MAX_JOIN_FRAMES;
    if (stampedTicks - this.#coveredTicks() < joinTicks) return;
    if (queue.isEmpty) this.#hold(this.#silentFrame, this.#earliestTicks, true);
    while (stampedTicks - this.#coveredTicks() >= joinTicks && queue.count < MAX_WAITING_FRAMES) {
      this.#append(this.#silentFrame, true);
    }
  }

  /** Adds silent frames up to one that begins at `endTicks` or later, which is held. */
  #coverUntil(endTicks: number): void {
    const queue = this.#queue;
    if (queue.isEmpty) {
      if (this.#earliestTicks >= endTicks) return;
      this.#hold(this.#silentFrame, this.#earliestTicks, true);
    }
    while (queue.heldTicks < endTicks && queue.count < MAX_WAITING_FRAMES) {
      this.#append(this.#silentFrame, true);
    }
  }

  /** After the held frame, which lasts as long as a decoder's output for it. */
  #append(data: Uint8Array, isSilent: boolean): void {
    this.#queue.finishHeld(this.#heldFrameTicks);
    this.#hold(data, this.#queue.heldTicks + this.#heldFrameTicks, isSilent);
  }

  #hold(data: Uint8Array, dtsTicks: number, isSilent: boolean): void {
    this.#queue.hold(data, dtsTicks, 0, true);
    this.#isHeldSilent = isSilent;
    this.#heldFrameTicks = this.#ticksOf(data);
  }

  #ticksOf(data: Uint8Array): number {
    const ownTicks = this.#isSelfTimed ? opusSamples(data, 0, data.length) : 0;
    return ownTicks > 0 ? ownTicks : this.#frameTicks;
  }
}
