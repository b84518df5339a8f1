/** Access units of a made-up camera as viewers hear them: numbered frames of AAC, through the segmenter, for tests. */

import { expect } from 'vitest';
import { buildAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts';
import { silentAacFrame } from '../codec/aac/silent-frame.ts';
import { readFragment } from './fake-player.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

export const FRAME_SAMPLES = 1_024;
const MARK_BYTES = 4;

export interface HeardFrame {
  readonly startMs: number;
  /** Number of the camera's frame; null: silence. */
  readonly frame: number | null;
}

/** A frame with one channel, its loudness in steps of 1.5 dB, and its number at the end. */
export function numberedAacFrame(frame: number, globalGain = 120): Uint8Array {
  const bytes = Buffer.alloc(2 + MARK_BYTES);
  // single_channel_element, tag 0, global_gain; ISO/IEC 14496-3 §4.4.2.1, §4.4.2.7.
  bytes.writeUInt16BE(globalGain << 1);
  bytes.writeUInt32BE(frame, 2);
  return bytes;
}

/** `segmenter` takes the tracks and units of a camera with video and AAC of one channel. */
export class HeardSound {
  readonly config: Uint8Array;
  readonly segmenter: Segmenter;
  readonly #sampleRateHz: number;
  readonly #parts: CmafPart[] = [];

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
    this.config = buildAudioSpecificConfig(sampleRateHz, 1);
    this.segmenter = new Segmenter({
      limits: DEFAULT_SEGMENTER_LIMITS,
      content: 'video-and-audio',
      wallClock: new WallClock(0),
      originMonoMs: 0,
      onPart: (part) => this.#parts.push(part),
    });
  }

  heard(): HeardFrame[] {
    const silence = Buffer.from(silentAacFrame(this.config)!);
    return this.#parts.flatMap((part) => {
      const run = readFragment(part.bytes.join()).runs[1];
      let ticks = run?.startTicks ?? 0;
      return (run?.samples ?? []).map(({ data, durationTicks }) => {
        // Chromium plays frames back to back, whatever their durations say.
        expect(durationTicks).toBe(FRAME_SAMPLES);
        const startMs = (ticks * 1_000) / this.#sampleRateHz;
        ticks += durationTicks;
        return { startMs, frame: silence.equals(data) ? null : data.readUInt32BE(data.length - MARK_BYTES) };
      });
    });
  }
}
