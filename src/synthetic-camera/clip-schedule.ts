/**
 * When each frame of an endlessly repeated clip is due. Counted from one start, so that nothing drifts: frame n is due
 * n frame times after it, however late earlier frames were.
 */

import type { Clip } from './clip.ts';
import { VIDEO_CLOCK_RATE_HZ } from './clip-packets.ts';

/** Samples per AAC frame. */
const AAC_SAMPLES_PER_FRAME = 1_024;

export class ClipSchedule {
  readonly #startMonoMs: number;
  /** When frame 0 was due, by the wall clock. */
  readonly startEpochMs: number;
  readonly #fps: number;
  readonly #audioRateHz: number;
  readonly #samplesPerFrame: number;
  readonly #presentationDelays: readonly number[] | null;

  constructor(clip: Clip, startMonoMs: number, startEpochMs: number) {
    this.#startMonoMs = startMonoMs;
    this.startEpochMs = startEpochMs;
    this.#fps = clip.fps;
    this.#presentationDelays = clip.presentationDelays ?? null;
    const isAac = clip.audio === null || !('encoding' in clip.audio);
    this.#audioRateHz = clip.audio?.trueRateHz ?? clip.audio?.sampleRateHz ?? 1;
    this.#samplesPerFrame = isAac ? AAC_SAMPLES_PER_FRAME : clip.audio.samplesPerFrame;
  }

  pictureDueMonoMs(index: number): number {
    return this.#startMonoMs + (index * 1_000) / this.#fps;
  }

  /** First frame that is not due before `nowMonoMs`. */
  nextPicture(nowMonoMs: number): number {
    return Math.max(0, Math.ceil(((nowMonoMs - this.#startMonoMs) * this.#fps) / 1_000));
  }

  /** First audio frame that begins with video frame `index` or later. */
  audioFrameOf(index: number): number {
    return Math.ceil((index * this.#audioRateHz) / this.#fps / this.#samplesPerFrame);
  }

  /** When a frame is shown, in ticks of the RTP clock since the start. */
  pictureTicks(index: number): number {
    const delays = this.#presentationDelays;
    return this.videoTicks(delays === null ? index : index + delays[index % delays.length]!);
  }

  /** In ticks of the RTP clock since the start; does not wrap. */
  videoTicks(index: number): number {
    return Math.round((index * VIDEO_CLOCK_RATE_HZ) / this.#fps);
  }

  audioTicks(index: number): number {
    return index * this.#samplesPerFrame;
  }

  /** The camera's wall clock at a frame. */
  pictureEpochMs(index: number): number {
    return this.startEpochMs + (index * 1_000) / this.#fps;
  }

  audioEpochMs(index: number): number {
    return this.startEpochMs + (index * this.#samplesPerFrame * 1_000) / this.#audioRateHz;
  }
}
