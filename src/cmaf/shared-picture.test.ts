import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import type { BlockRun } from './media-blocks.ts';
import type { PackagedContent } from './packaged-tracks.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const FRAME_TICKS = 3_600;

class Bench {
  readonly camera = new FakeCamera();
  readonly segmenter: Segmenter;

  constructor(content: PackagedContent) {
    const limits = DEFAULT_SEGMENTER_LIMITS;
    const onPart = () => undefined;
    this.segmenter = new Segmenter({ limits, content, wallClock: new WallClock(0), onPart });
    this.segmenter.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  }

  /** Pushes a picture of these bytes, and returns the shared bytes. */
  push(frame: number, isKey: boolean, fill: number): number[] | null {
    const data = Uint8Array.of(fill, fill);
    this.segmenter.push(this.camera.picture({ dtsTicks: frame * FRAME_TICKS, isKey, data }));
    return bytesOf(this.segmenter.sharePicture());
  }
}

function bytesOf(run: BlockRun | null): number[] | null {
  if (run === null) return null;
  const bytes = Buffer.alloc(run.byteLength);
  run.copyTo(bytes, 0);
  return [...bytes];
}

describe('the picture that was pushed last', () => {
  it('is shared if it was kept', () => {
    const bench = new Bench('video-and-audio');
    expect(bench.push(0, false, 1)).toBeNull();
    expect(bench.push(1, true, 2)).toEqual([2, 2]);
    expect(bench.push(2, false, 3)).toEqual([3, 3]);
    // The same time again.
    expect(bench.push(2, false, 4)).toBeNull();
    bench.segmenter.push(bench.camera.audio(0));
    expect(bench.segmenter.sharePicture()).toBeNull();
  });

  it('is no longer shared when its timeline has ended', () => {
    const bench = new Bench('video-and-audio');
    expect(bench.push(0, true, 1)).toEqual([1, 1]);
    bench.segmenter.discontinuity();
    expect(bench.segmenter.sharePicture()).toBeNull();
  });

  it('outlives the segmenter', () => {
    const bench = new Bench('video-and-audio');
    bench.push(0, true, 5);
    const kept = bench.segmenter.sharePicture();
    bench.segmenter.close();
    expect(bytesOf(kept)).toEqual([5, 5]);
    kept?.release();
  });

  it('is not there where only the audio is packaged', () => {
    expect(new Bench('audio').push(0, true, 1)).toBeNull();
  });
});
