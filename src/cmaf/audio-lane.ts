/**
 * The audio beside the pictures: frames wait here until the part that covers their time closes. Pictures set the
 * pace; audio that comes early waits for them, audio that comes late goes into a later part.
 */

import type { AacTrack, AccessUnit } from '../codec/track.ts';
import type { DropReason } from './drop-counts.ts';
import { FragmentTrack } from './fragment-writer.ts';
import { AUDIO_TRACK_ID } from './packaged-tracks.ts';
import { SampleQueue } from './sample-queue.ts';
import { convertTicks, msToTicks } from './ticks.ts';

/** 20 seconds of AAC at 48 kHz. */
const MAX_WAITING_FRAMES = 1_024;
const MAX_WAITING_BYTES = 1_048_576;
/** Audio further from the pictures than this, either way, is not theirs. */
const MAX_SKEW_MS = 10_000;
/** A shorter pause is bridged by a long frame; a longer one stays a hole. */
const MAX_BRIDGE_MS = 1_000;

export class AudioLane {
  readonly fragment: FragmentTrack;
  readonly #queue: SampleQueue;
  readonly #timescaleHz: number;
  readonly #frameTicks: number;
  readonly #maxSkewTicks: number;
  readonly #maxBridgeTicks: number;
  /** Output time less source time. */
  #offsetTicks = 0;
  /** Nothing may begin before: there are no pictures, or audio already written. */
  #earliestTicks = 0;

  constructor(track: AacTrack) {
    this.#queue = new SampleQueue();
    this.fragment = new FragmentTrack(AUDIO_TRACK_ID, this.#queue);
    this.#timescaleHz = track.timescaleHz;
    this.#frameTicks = convertTicks(track.samplesPerFrame, track.sampleRateHz, track.timescaleHz);
    this.#maxSkewTicks = msToTicks(MAX_SKEW_MS, track.timescaleHz);
    this.#maxBridgeTicks = msToTicks(MAX_BRIDGE_MS, track.timescaleHz);
  }

  /** A timeline begins: the picture at `sourceTicks` stands at `outputTicks`, both in ticks of `timescaleHz`. */
  restart(sourceTicks: number, outputTicks: number, timescaleHz: number): void {
    const outputAudioTicks = convertTicks(outputTicks, timescaleHz, this.#timescaleHz);
    this.#offsetTicks = outputAudioTicks - convertTicks(sourceTicks, timescaleHz, this.#timescaleHz);
    this.#earliestTicks = Math.max(this.#earliestTicks, outputAudioTicks);
  }

  /**
   * Copies the frame in; returns why not, or null. Frames before the first picture are no loss. The newest picture
   * stands at `pictureTicks` of `timescaleHz` on the output timeline.
   */
  push(unit: AccessUnit, pictureTicks: number, timescaleHz: number): DropReason | null {
    const queue = this.#queue;
    const dtsTicks = unit.dtsTicks + this.#offsetTicks;
    const skewTicks = dtsTicks - convertTicks(pictureTicks, timescaleHz, this.#timescaleHz);
    if (Math.abs(skewTicks) > this.#maxSkewTicks) return 'bad-timestamp';
    if (!queue.isEmpty) {
      const durationTicks = dtsTicks - queue.heldTicks;
      if (durationTicks <= 0) return 'timestamp-back';
      if (queue.count >= MAX_WAITING_FRAMES || queue.byteLength + unit.data.length > MAX_WAITING_BYTES) {
        return 'audio-backlog';
      }
      if (queue.count === 1 && durationTicks > this.#maxBridgeTicks) queue.clear();
      else queue.finishHeld(durationTicks);
    } else if (dtsTicks < this.#earliestTicks) return null;
    queue.hold(unit.data, dtsTicks, 0, true);
    return null;
  }

  /** The next fragment takes the frames that begin before `endTicks` of `timescaleHz`; the held one never. */
  takeBefore(endTicks: number, timescaleHz: number): void {
    const complete = Math.max(0, this.#queue.count - 1);
    this.fragment.take(
      this.#queue.countBefore(convertTicks(endTicks, timescaleHz, this.#timescaleHz), complete),
    );
  }

  /** As `takeBefore` at the end of a timeline: the held frame gets the duration of an ordinary one. */
  takeLastBefore(endTicks: number, timescaleHz: number): void {
    if (!this.#queue.isEmpty) this.#queue.finishHeld(this.#frameTicks);
    const endAudioTicks = convertTicks(endTicks, timescaleHz, this.#timescaleHz);
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
}
