/**
 * The audio beside the pictures: frames wait here until the part that covers their time closes. Pictures set the
 * pace; audio that comes early waits for them.
 *
 * A player shows only what audio and pictures both cover (Media Source Extensions §3.6), so announced audio must be
 * there whether or not the camera sends it. Where frames are missing, silent ones stand in (docs/design/live-path.md):
 *
 * - While frames come, a part waits for late ones as long as they were late before, and a little longer. What comes
 *   after that belongs to time that is filled already, and is left out.
 * - While none come, every part is filled up to its end at once.
 * - Frames that stay out of reach of the pictures are timed by their arrival: timestamps of the two tracks that have
 *   come apart cost some sound and no picture.
 */

import type { AacTrack, AccessUnit } from '../codec/track.ts';
import type { DropReason } from './drop-counts.ts';
import { FragmentTrack } from './fragment-writer.ts';
import { AUDIO_TRACK_ID } from './packaged-tracks.ts';
import { RecentMaximum } from './recent-maximum.ts';
import { SampleQueue } from './sample-queue.ts';
import { convertTicks, msToTicks } from './ticks.ts';

/** 20 seconds of AAC at 48 kHz. */
export const MAX_WAITING_FRAMES = 1_024;
export const MAX_WAITING_BYTES = 1_048_576;
/** A picture that stands for seconds lets audio run ahead of it; further ahead than this it is not the picture's. */
const MAX_AHEAD_MS = 10_000;
/** Audio later than this is not waited for: viewers would see the pictures that much later. */
const MAX_LATE_MS = 1_500;
/** Out of reach for that long, counted in pictures, frames are timed anew. A worker's start is over by then. */
const MAX_OUT_OF_REACH_MS = 1_000;
/**
 * How much later than usual a frame may come before its time is filled. Little: a viewer's player has a third of a
 * second in hand when the next part comes, and a camera whose frames come unevenly teaches the lane to wait longer.
 */
const JITTER_MS = 100;
/** How long a late frame is remembered, at least. */
const LATENESS_SPAN_MS = 10_000;
/**
 * In frames: what a frame may begin behind the end of the one before it. Beyond, one is missing, and silence stands in.
 * What sounds later than its stamp is noticed less, and a stamp that jumps ahead and back must not cost a frame.
 */
const MAX_HOLE_FRAMES = 0.75;
const MAX_OVERLAP_FRAMES = 1.25;
/** As those, where silent frames end: a real one goes to the nearest place behind them. */
const MAX_JOIN_FRAMES = 0.5;

export class AudioLane {
  readonly fragment: FragmentTrack;
  readonly #queue: SampleQueue;
  readonly #timescaleHz: number;
  readonly #frameTicks: number;
  readonly #silentFrame: Uint8Array;
  readonly #maxAheadTicks: number;
  readonly #maxLateTicks: number;
  readonly #maxOutOfReachTicks: number;
  readonly #jitterTicks: number;
  readonly #lateness: RecentMaximum;
  /** Output time less source time. */
  #offsetTicks = 0;
  /** Nothing may begin before: there are no pictures, or audio already written. */
  #earliestTicks = 0;
  /** Frames come: parts wait for them. */
  #isLive = false;
  /** The held frame is a silent one that stands in. */
  #isHeldSilent = false;
  /** Time of the picture at which frames began to be out of reach; -1 while they are not. */
  #outOfReachSinceTicks = -1;

  /** `silentFrame`: one of the track's. */
  constructor(track: AacTrack, silentFrame: Uint8Array) {
    this.#queue = new SampleQueue();
    this.fragment = new FragmentTrack(AUDIO_TRACK_ID, this.#queue);
    this.#timescaleHz = track.timescaleHz;
    this.#frameTicks = convertTicks(track.samplesPerFrame, track.sampleRateHz, track.timescaleHz);
    this.#silentFrame = silentFrame;
    this.#maxAheadTicks = msToTicks(MAX_AHEAD_MS, track.timescaleHz);
    this.#maxLateTicks = msToTicks(MAX_LATE_MS, track.timescaleHz);
    this.#maxOutOfReachTicks = msToTicks(MAX_OUT_OF_REACH_MS, track.timescaleHz);
    this.#jitterTicks = msToTicks(JITTER_MS, track.timescaleHz);
    this.#lateness = new RecentMaximum(msToTicks(LATENESS_SPAN_MS, track.timescaleHz));
  }

  /** A timeline begins: the picture at `sourceTicks` stands at `outputTicks`, both in ticks of `timescaleHz`. */
  restart(sourceTicks: number, outputTicks: number, timescaleHz: number): void {
    const outputAudioTicks = convertTicks(outputTicks, timescaleHz, this.#timescaleHz);
    this.#offsetTicks = outputAudioTicks - convertTicks(sourceTicks, timescaleHz, this.#timescaleHz);
    this.#earliestTicks = Math.max(this.#earliestTicks, outputAudioTicks);
    this.#isLive = false;
    this.#outOfReachSinceTicks = -1;
    this.#lateness.reset();
  }

  /**
   * Copies the frame in; returns why not, or null. Frames before the first picture, and of time that is filled, are
   * no loss. The newest picture stands at `pictureTicks` of `timescaleHz` on the output timeline.
   */
  push(unit: AccessUnit, pictureTicks: number, timescaleHz: number): DropReason | null {
    const queue = this.#queue;
    const pictureAudioTicks = convertTicks(pictureTicks, timescaleHz, this.#timescaleHz);
    if (!this.#isWithinReach(unit.dtsTicks, pictureAudioTicks)) return 'bad-timestamp';
    const stampedTicks = unit.dtsTicks + this.#offsetTicks;
    this.#isLive = true;
    this.#lateness.add(pictureAudioTicks, pictureAudioTicks - stampedTicks);
    if (this.#isFilled(stampedTicks)) return null;
    if (this.#isOverlapping(stampedTicks)) return 'timestamp-back';
    this.#fillUpTo(stampedTicks);
    if (queue.count >= MAX_WAITING_FRAMES || queue.byteLength + unit.data.length > MAX_WAITING_BYTES) {
      return 'audio-backlog';
    }
    if (queue.isEmpty) this.#hold(unit.data, stampedTicks, false);
    else this.#append(unit.data, false);
    return null;
  }

  /** The next fragment takes the frames that begin before `endTicks` of `timescaleHz`; the held one never. */
  takeBefore(endTicks: number, timescaleHz: number): void {
    const endAudioTicks = convertTicks(endTicks, timescaleHz, this.#timescaleHz);
    if (endAudioTicks - this.#coveredTicks() > this.#patienceTicks()) this.#isLive = false;
    if (!this.#isLive) this.#coverUntil(endAudioTicks);
    const complete = Math.max(0, this.#queue.count - 1);
    this.fragment.take(this.#queue.countBefore(endAudioTicks, complete));
  }

  /** As `takeBefore` at the end of a timeline: nothing more is waited for. */
  takeLastBefore(endTicks: number, timescaleHz: number): void {
    const endAudioTicks = convertTicks(endTicks, timescaleHz, this.#timescaleHz);
    this.#coverUntil(endAudioTicks);
    if (!this.#queue.isEmpty) this.#queue.finishHeld(this.#frameTicks);
    this.fragment.take(this.#queue.countBefore(endAudioTicks, this.#queue.count));
  }

  /** What was taken is written. */
  release(): void {
    if (this.fragment.run.sampleCount === 0) return;
    this.fragment.release();
    this.#earliestTicks = this.#queue.startTicks;
  }

  /** Ends the timeline: what still waits lies beyond the last picture. */
  clear(): void {
    this.#queue.clear();
  }

  /** False for a frame too far from the pictures. Once they have been for a while, the tie between the tracks is made anew. */
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

  /** A frame at `stampedTicks` belongs to time before the first picture, or that is written or filled. */
  #isFilled(stampedTicks: number): boolean {
    if (this.#queue.isEmpty) return stampedTicks < this.#earliestTicks;
    return this.#isHeldSilent && this.#coveredTicks() - stampedTicks > this.#frameTicks * MAX_JOIN_FRAMES;
  }

  #isOverlapping(stampedTicks: number): boolean {
    if (this.#queue.isEmpty) return false;
    return this.#coveredTicks() - stampedTicks > this.#frameTicks * MAX_OVERLAP_FRAMES;
  }

  /** End of the audio there is, or where it has to begin. */
  #coveredTicks(): number {
    return this.#queue.isEmpty ? this.#earliestTicks : this.#queue.heldTicks + this.#frameTicks;
  }

  /** How far audio may lag at the end of a part. */
  #patienceTicks(): number {
    return Math.min(this.#lateness.value, this.#maxLateTicks) + this.#jitterTicks;
  }

  /** Silent frames up to where a frame at `stampedTicks` follows, as far as there is room. */
  #fillUpTo(stampedTicks: number): void {
    const queue = this.#queue;
    const joinTicks = this.#frameTicks * MAX_JOIN_FRAMES;
    const holeTicks = stampedTicks - this.#coveredTicks();
    if (queue.isEmpty) {
      if (holeTicks < joinTicks) return;
      this.#hold(this.#silentFrame, this.#earliestTicks, true);
    } else if (holeTicks < (this.#isHeldSilent ? joinTicks : this.#frameTicks * MAX_HOLE_FRAMES)) return;
    while (stampedTicks - this.#coveredTicks() >= joinTicks && queue.count < MAX_WAITING_FRAMES) {
      this.#append(this.#silentFrame, true);
    }
  }

  /** Silent frames up to one that begins at `endTicks` or later, which is held. */
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

  /** Behind the held frame, which lasts as long as what a decoder makes of it. */
  #append(data: Uint8Array, isSilent: boolean): void {
    this.#queue.finishHeld(this.#frameTicks);
    this.#hold(data, this.#queue.heldTicks + this.#frameTicks, isSilent);
  }

  #hold(data: Uint8Array, dtsTicks: number, isSilent: boolean): void {
    this.#queue.hold(data, dtsTicks, 0, true);
    this.#isHeldSilent = isSilent;
  }
}
