/** The parts that a round records: the frames of a real clip, over and over, the same in every process. */

import { readFileSync } from 'node:fs';
import { clipTracks } from '../../../src/cmaf/clip-segments.ts';
import { FakeCamera } from '../../../src/cmaf/fake-camera.ts';
import type { CmafPart } from '../../../src/cmaf/part.ts';
import { Segmenter } from '../../../src/cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../../../src/cmaf/segmenter-limits.ts';
import { WallClock } from '../../../src/cmaf/wall-clock.ts';
import { readClip } from '../../../src/isobmff/clip-reader.ts';
import { memorySource } from '../clip-files.ts';

const FRAMES_PER_SEC = 25;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;

export class RecordedParts {
  readonly #segmenter: Segmenter;
  readonly #frames: readonly { readonly data: Uint8Array; readonly isKey: boolean }[];
  readonly #camera = new FakeCamera();
  readonly #frameTicks: number;
  #next = 0;

  /** `fromMs`: wall time of the first frame. `onPart`: the receiver releases its bytes. */
  constructor(clipPath: string, fromMs: number, onPart: (part: CmafPart) => void) {
    const file = readFileSync(clipPath);
    const { video } = clipTracks(readClip(memorySource(file)));
    const { offsets, sizesBytes, keys, count } = video.samples;
    this.#frameTicks = video.track.timescaleHz / FRAMES_PER_SEC;
    this.#frames = Array.from({ length: count }, (_, index) => ({
      data: file.subarray(offsets[index]!, offsets[index]! + sizesBytes[index]!),
      isKey: keys[index] === 1,
    }));
    this.#segmenter = new Segmenter({
      limits: { ...DEFAULT_SEGMENTER_LIMITS, targetSegmentMs: 1_000 },
      content: 'video-and-audio',
      wallClock: new WallClock(fromMs),
      onPart,
    });
    this.#segmenter.setTracks([video.track]);
  }

  push(frames: number): void {
    for (let i = 0; i < frames; i++) {
      const index = this.#next++;
      const { data, isKey } = this.#frames[index % this.#frames.length]!;
      const arrivalMonoMs = index * FRAME_MS;
      this.#segmenter.push(
        this.#camera.picture({ dtsTicks: index * this.#frameTicks, isKey, data, arrivalMonoMs }),
      );
    }
  }
}
