/** The parts of the test of kill -9: the same in both processes. Frames of a real size, so that a kill can split a write. */

import { FAKE_VIDEO, FakeCamera } from '../cmaf/fake-camera.ts';
import { Segmenter } from '../cmaf/segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../cmaf/segmenter-limits.ts';
import { WallClock } from '../cmaf/wall-clock.ts';
import { RecordingKeys } from './recording-cipher.ts';
import type { RecordedPart } from './recording-writer.ts';

export const CRASH_TEST_KEYS = new RecordingKeys(Buffer.alloc(32, 9));

const FRAMES = 6_000;
const FRAMES_PER_GOP = 25;
const FRAME_BYTES = 20_000;
const BASE_MS = Date.UTC(2026, 0, 1);

/** Produced one by one: together they would fill the memory. */
export function* crashTestParts(): Generator<{ part: RecordedPart; bytes: Buffer }> {
  const waiting: { part: RecordedPart; bytes: Buffer }[] = [];
  let init: Buffer | null = null;
  const segmenter = new Segmenter({
    limits: { ...DEFAULT_SEGMENTER_LIMITS, targetSegmentMs: 1_000 },
    content: 'video-and-audio',
    wallClock: new WallClock(BASE_MS),
    onPart: ({ bytes, tracks, ...part }) => {
      waiting.push({
        part: {
          timescaleHz: tracks.pace.timescaleHz,
          startTicks: part.startTicks,
          durationTicks: part.durationTicks,
          pictures: part.pictures,
          epochMs: part.epochMs,
          isSegmentStart: part.isSegmentStart,
          isSegmentEnd: part.isSegmentEnd,
          isDiscontinuity: part.hasDiscontinuity,
          init: tracks.init === init ? null : tracks.init,
        },
        bytes: bytes.join(),
      });
      init = tracks.init;
      bytes.release();
    },
  });
  segmenter.setTracks([FAKE_VIDEO]);
  const camera = new FakeCamera();
  for (let index = 0; index < FRAMES; index++) {
    const data = new Uint8Array(FRAME_BYTES).fill(1 + (index % 255));
    const isKey = index % FRAMES_PER_GOP === 0;
    segmenter.push(camera.picture({ dtsTicks: index * 3_600, isKey, data, arrivalMonoMs: index * 40 }));
    yield* waiting.splice(0);
  }
}
