/** Parts of an imaginary camera, as the recorder gets them, and a folder for recordings. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FAKE_VIDEO, FakeCamera } from '../cmaf/fake-camera.ts';
import type { CmafPart } from '../cmaf/part.ts';
import { Segmenter } from '../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../cmaf/segmenter-limits.ts';
import { WallClock } from '../cmaf/wall-clock.ts';
import type { H264Track } from '../codec/track.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordedPart } from './recording-writer.ts';
import type { RecordedStream } from './segment-index.ts';

export const BOOT_ID = Buffer.alloc(16, 7);
export const OTHER_BOOT_ID = Buffer.alloc(16, 8);
const FRAME_TICKS = 3_600;
const FRAMES_PER_GOP = 25;
const FRAME_BYTES = 400;

/** Another SPS: 640×360, Baseline. */
export const OTHER_VIDEO: H264Track = { ...FAKE_VIDEO, pps: [Buffer.from('68ebe3cb22c1', 'hex')] };

export interface FakePart {
  readonly part: RecordedPart;
  readonly bytes: Buffer;
}

export function newStream(): RecordedStream {
  return { cameraUuid: newRuuid(), rendition: 'main' };
}

/** A folder that is gone after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-recording-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function toRecordedPart(part: CmafPart, init: Uint8Array | null, isFirst = false): RecordedPart {
  return {
    timescaleHz: part.tracks.pace.timescaleHz,
    startTicks: part.startTicks,
    durationTicks: part.durationTicks,
    pictures: part.pictures,
    epochMs: part.epochMs,
    isSegmentStart: part.isSegmentStart,
    isSegmentEnd: part.isSegmentEnd,
    isDiscontinuity: part.isSegmentStart && (part.hasDiscontinuity || isFirst),
    init,
  };
}

/** 25 frames a second, a key frame and a segment every second. */
export class FakeStream {
  readonly clock: FakeClock;
  readonly #camera = new FakeCamera();
  readonly #segmenter: Segmenter;
  #parts: FakePart[] = [];
  #init: Buffer | null = null;
  #frames = 0;
  #isFirst = true;

  constructor(clock = new FakeClock(), video: H264Track = FAKE_VIDEO) {
    this.clock = clock;
    this.#segmenter = new Segmenter({
      limits: { ...DEFAULT_SEGMENTER_LIMITS, targetSegmentMs: 1_000 },
      content: 'video-and-audio',
      wallClock: new WallClock(clock.epochMs() - clock.monoMs()),
      onPart: (part) => {
        const init = part.tracks.init === this.#init ? null : part.tracks.init;
        this.#init = part.tracks.init;
        this.#parts.push({ part: toRecordedPart(part, init, this.#isFirst), bytes: part.bytes.join() });
        this.#isFirst = false;
        part.bytes.release();
      },
    });
    this.setVideo(video);
  }

  setVideo(video: H264Track): void {
    this.#segmenter.setTracks([video]);
  }

  discontinuity(): void {
    this.#segmenter.discontinuity();
  }

  /** The parts that come while this many frames arrive, each when it was captured. */
  frames(count: number): FakePart[] {
    for (let i = 0; i < count; i++) {
      const index = this.#frames++;
      const isKey = index % FRAMES_PER_GOP === 0;
      const data = new Uint8Array(isKey ? 4 * FRAME_BYTES : FRAME_BYTES).fill(index & 0xff);
      const arrivalMonoMs = this.clock.monoMs();
      this.#segmenter.push(
        this.#camera.picture({ dtsTicks: index * FRAME_TICKS, isKey, data, arrivalMonoMs }),
      );
      this.clock.advance(40);
    }
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Whole segments, from the start of one. The first frame of the next is on its way. */
  segments(count: number): FakePart[] {
    return this.frames(count * FRAMES_PER_GOP + (this.#frames === 0 ? 1 : 0));
  }
}

/** The bytes of each segment as a viewer gets it; unfinished ones too. */
export function segmentBytes(parts: readonly FakePart[]): Buffer[] {
  const segments: Buffer[][] = [];
  for (const { part, bytes } of parts) {
    if (part.isSegmentStart) segments.push([]);
    segments.at(-1)?.push(bytes);
  }
  return segments.map((pieces) => Buffer.concat(pieces));
}
