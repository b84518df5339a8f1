/**
 * Audio that is samples (G.711, G.726, L16, L8) as FLAC, on the thread that reads the camera: no process, no waiting. Every
 * sample of the camera is in it, unchanged. Payloads have any length; frames have one (`BLOCK_MS`).
 *
 * The timestamps of a camera decide where its samples belong, but not to the millisecond: cameras stamp packets when their
 * software gets around to it. So samples follow each other without a gap while their timestamps are about right. A sound
 * card whose clock is off by some hundred ppm gets one sample more or less every now and then, where it is heard least.
 * One that is off by more, as the timeline knows, is resampled: only then are samples changed.
 */

import { FlacEncoder } from '../../codec/flac/flac-encoder.ts';
import { MAX_PARTITION_ORDER } from '../../codec/flac/rice-partitions.ts';
import type { PcmDecoder } from '../../codec/pcm/pcm-decoder.ts';
import type { FlacTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { PcmFormat } from './pcm-format.ts';
import { SampleClock } from './sample-clock.ts';
import { SamplePace } from './sample-pace.ts';
import { MAX_STRETCH, stretchSamples } from './sample-stretch.ts';
import type { SoundPath, SoundPathEvents } from './sound-path.ts';

/** Length of a frame: two packets of the usual 20 ms. Shorter ones cost headers, longer ones time. */
const BLOCK_MS = 40;
/** A block of a multiple of this can be split into as many partitions, each with a Rice parameter of its own. */
const FINEST_PARTITIONS = 1 << MAX_PARTITION_ORDER;
/** Payloads are decoded in pieces of this length: codes of 2, 3, 4, 5, 8, 16 and twice 16 bits all end at such a boundary. */
const SLICE_BYTES = 960;
/** The most samples in a byte: codes of two bits. */
const MAX_SAMPLES_PER_BYTE = 4;

export class FlacSound implements SoundPath {
  readonly track: FlacTrack;
  readonly #format: PcmFormat;
  readonly #events: SoundPathEvents;
  readonly #pace: SamplePace;
  readonly #decoder: PcmDecoder;
  readonly #encoder: FlacEncoder;
  /** As decoded. */
  readonly #decoded = new Int16Array(SLICE_BYTES * MAX_SAMPLES_PER_BYTE);
  readonly #stretched = new Int16Array(Math.ceil(SLICE_BYTES * MAX_SAMPLES_PER_BYTE * (1 + MAX_STRETCH)));
  /** The samples for the blocks: one of these two. */
  #samples = this.#decoded;
  /** Samples that the stretch has made so far, less those that were put in. */
  #owedSamples = 0;
  readonly #left: Int32Array;
  readonly #right: Int32Array | null;
  readonly #times: SampleClock;
  /** Samples per channel in the block that is being filled. */
  #filled = 0;
  #isAfterGap = false;
  #isClosed = false;

  constructor(format: PcmFormat, clock: Clock, events: SoundPathEvents) {
    const { sampleRateHz, channelCount } = format;
    const blockSamples = blockSamplesOf(sampleRateHz);
    this.#format = format;
    this.#pace = new SamplePace(sampleRateHz, clock);
    this.#events = events;
    this.#decoder = format.openDecoder();
    this.#encoder = new FlacEncoder({ sampleRateHz, channelCount, blockSamples });
    const { madeOf } = format;
    this.track = madeOf === undefined ? this.#encoder.track : { ...this.#encoder.track, madeOf };
    this.#left = new Int32Array(blockSamples);
    this.#right = channelCount === 2 ? new Int32Array(blockSamples) : null;
    this.#times = new SampleClock(sampleRateHz);
  }

  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch = 0): void {
    if (this.#isClosed) return;
    const { channelCount } = this.#format;
    const count = Math.floor(this.#decoder.samplesIn(end - start) / channelCount);
    if (count === 0 || !this.#pace.take(count)) return;
    const holeTicks = this.#times.place(clockTicks, count, this.#isAfterGap);
    this.#isAfterGap = false;
    if (holeTicks > 0) this.#hole(holeTicks);
    let correction = this.#times.takeCorrection(count);
    let skipped = Math.max(0, -holeTicks);
    for (let at = start; at < end; at += SLICE_BYTES) {
      const sampleCount = this.#decoder.decode(chunk, at, Math.min(end, at + SLICE_BYTES), this.#decoded);
      const frames = this.#stretch(Math.floor(sampleCount / channelCount), stretch);
      this.#append(Math.min(skipped, frames), frames, correction);
      skipped = Math.max(0, skipped - frames);
      correction = 0;
    }
  }

  gap(): void {
    this.#isAfterGap = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Stretches `count` decoded samples of each channel. Returns how many there are then. */
  #stretch(count: number, stretch: number): number {
    this.#samples = this.#decoded;
    if (stretch === 0) this.#owedSamples = 0;
    this.#owedSamples += count * Math.max(-MAX_STRETCH, Math.min(MAX_STRETCH, stretch));
    const added = Math.trunc(this.#owedSamples);
    if (added === 0 || count + added <= 0) return count;
    this.#owedSamples -= added;
    this.#samples = this.#stretched;
    stretchSamples(this.#decoded, count, this.#format.channelCount, count + added, this.#stretched);
    return count + added;
  }

  /** Appends the samples `[from, end)` of each channel, with one more (1), one less (-1) or as they are (0). */
  #append(from: number, end: number, correction: number): void {
    const corrected = correction === 0 || from >= end ? -1 : this.#quietest(from, end);
    for (let index = from; index < end; index++) {
      if (index === corrected && correction < 0) {
        continue;
      }
      this.#put(index);
      if (index === corrected) this.#put(index);
    }
  }

  /** Hot. One sample of each channel. */
  #put(index: number): void {
    const right = this.#right;
    if (right === null) this.#left[this.#filled] = this.#samples[index]!;
    else {
      this.#left[this.#filled] = this.#samples[2 * index]!;
      right[this.#filled] = this.#samples[2 * index + 1]!;
    }
    this.#filled += 1;
    this.#times.advance();
    if (this.#filled === this.#left.length) this.#emit();
  }

  #emit(): void {
    const startTicks = this.#times.ticks - this.#filled;
    this.#filled = 0;
    const frame = this.#encoder.encode(this.#left, this.#right);
    if (startTicks >= 0 && !this.#isClosed) this.#events.onUnit(startTicks, frame);
  }

  /** Samples are missing: the rest of the block is silent, or as much of it as they would have filled. */
  #hole(ticks: number): void {
    const silent = this.#filled === 0 ? 0 : Math.min(ticks, this.#left.length - this.#filled);
    this.#left.fill(0, this.#filled, this.#filled + silent);
    this.#right?.fill(0, this.#filled, this.#filled + silent);
    this.#filled += silent;
    this.#times.advance(silent);
    if (this.#filled === this.#left.length) this.#emit();
    this.#times.advance(ticks - silent);
  }

  /** Where a sample more or less is heard least: the one that differs least from the one before. */
  #quietest(from: number, end: number): number {
    const { channelCount } = this.#format;
    let quietest = from;
    let least = Number.POSITIVE_INFINITY;
    for (let index = from + 1; index < end; index++) {
      const at = index * channelCount;
      const step = Math.abs(this.#samples[at]! - this.#samples[at - channelCount]!);
      if (step >= least) continue;
      least = step;
      quietest = index;
    }
    return quietest;
  }
}

/** About BLOCK_MS: exactly that at 8, 16, 24, 32 and 48 kHz. */
function blockSamplesOf(sampleRateHz: number): number {
  return Math.round((sampleRateHz * BLOCK_MS) / 1_000 / FINEST_PARTITIONS) * FINEST_PARTITIONS;
}
