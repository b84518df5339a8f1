import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordingHead } from '../store/recording.ts';
import { excessOfDisk, excessOfStream, limitsOfStream } from './retention-rules.ts';

const HOUR_MS = 3_600_000;
const cameraUuid = newRuuid();
/** Five files of an hour and 100 bytes each. */
const FILES: readonly RecordingHead[] = Array.from({ length: 5 }, (_, number) => ({
  cameraUuid,
  rendition: 'main',
  number,
  byteLength: 100,
  startMs: number * HOUR_MS,
  endMs: (number + 1) * HOUR_MS,
}));

describe('retention', () => {
  it.each([
    ['nothing', { keepMs: 10 * HOUR_MS, maxCameraBytes: null }, 0],
    ['what ended before the time to keep', { keepMs: 3 * HOUR_MS, maxCameraBytes: null }, 2],
    ['what is beyond the size', { keepMs: 10 * HOUR_MS, maxCameraBytes: 250 }, 3],
    ['what is beyond the size by a byte', { keepMs: 10 * HOUR_MS, maxCameraBytes: 499 }, 1],
    ['nothing at the size', { keepMs: 10 * HOUR_MS, maxCameraBytes: 500 }, 0],
    ['the more of both', { keepMs: 3 * HOUR_MS, maxCameraBytes: 250 }, 3],
    ['everything', { keepMs: 10 * HOUR_MS, maxCameraBytes: 0 }, 5],
  ])('deletes %s', (_, limits, expected) => {
    expect(excessOfStream(FILES, 500, limits, 5 * HOUR_MS + 1)).toBe(expected);
  });

  it.each([
    [1_000, 0],
    [999, 1],
    [800, 2],
    [0, 5],
  ])('with %i bytes free of 1000, deletes %i files', (freeBytes, expected) => {
    expect(excessOfDisk(FILES, freeBytes, { minFreeBytes: 1_000 })).toBe(expected);
  });
});

describe('limitsOfStream', () => {
  const limits = {
    keepMs: 30,
    keepSubMs: 60,
    keepKeyFramesMs: 365,
    keepForSharesMs: 7,
    maxCameraBytes: 100,
    maxOrganizationBytes: null,
    minFreeBytes: 1,
  };
  it.each([
    [
      { keepMs: null, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null },
      { keepMs: 30, keepForSharesMs: 7, maxCameraBytes: 100 },
    ],
    [
      { keepMs: 90, keepSubMs: null, keepKeyFramesMs: null, maxBytes: 500 },
      { keepMs: 90, keepForSharesMs: 7, maxCameraBytes: 500 },
    ],
    [
      { keepMs: 3, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null },
      { keepMs: 3, keepForSharesMs: 3, maxCameraBytes: 100 },
    ],
  ])('of a camera that says %j', (own, expected) => {
    expect(limitsOfStream(limits, own, 'main')).toEqual(expected);
  });

  it.each([
    ['as all substreams', { keepMs: null, keepSubMs: null }, 60],
    ['as its main stream, which has a time of its own', { keepMs: 3, keepSubMs: null }, 3],
    ['for a time of its own', { keepMs: 3, keepSubMs: 90 }, 90],
  ])('keeps a substream %s', (_, own, keepMs) => {
    expect(limitsOfStream(limits, { ...own, keepKeyFramesMs: null, maxBytes: null }, 'sub')).toEqual({
      keepMs,
      keepForSharesMs: Math.min(keepMs, 7),
      maxCameraBytes: 100,
    });
  });

  it.each([
    ['as all', {}, {}, 365],
    ['for a time of its own', { keepKeyFramesMs: 700 }, {}, 700],
    ['not at all', {}, { keepKeyFramesMs: null }, 0],
  ])('keeps key frames %s, in half of the size', (_, own, all, keepMs) => {
    const given = { keepMs: 3, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null, ...own };
    expect(limitsOfStream({ ...limits, ...all }, given, 'key-frames')).toEqual({
      keepMs,
      keepForSharesMs: keepMs,
      maxCameraBytes: 50,
    });
  });
});
