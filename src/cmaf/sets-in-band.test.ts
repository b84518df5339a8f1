import { describe, expect, it } from 'vitest';
import type { H265Track, Track, VideoTrack } from '../codec/track.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { type ReadSample, readFragment } from './fake-player.ts';
import type { BlockRun } from './media-blocks.ts';
import { VIDEO_TRACK_ID } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import type { SegmenterProgress } from './segmenter-progress.ts';
import { WallClock } from './wall-clock.ts';

const FRAME_TICKS = 3_600;
const GOP = 25;
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

/** The camera's other resolution. */
const OTHER_VIDEO: VideoTrack = {
  ...FAKE_VIDEO,
  widthPx: 320,
  heightPx: 180,
  sps: [bytes('67640015acd940a02ff9610000030001000003003c8f162d97')],
};
const OTHER_HEAD = sized('67640015acd940a02ff9610000030001000003003c8f162d97', '68ebe3cb22c0');
const HEAD = sized('6764001eacd940a02ff9610000030001000003003c8f162d96', '68ebe3cb22c0');
/** Geovision. */
const HEVC: H265Track = {
  kind: 'video',
  codec: 'h265',
  timescaleHz: 90_000,
  widthPx: 2688,
  heightPx: 1520,
  nominalFrameRateHz: 30,
  codecString: 'hvc1.1.2.L153',
  vps: [bytes('40010c01ffff01400000030000030000030000030099ac09')],
  sps: [
    bytes(
      '42010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08',
    ),
  ],
  pps: [bytes('4401c073c04c90')],
};

/** As samples have them: each after its length. */
function sized(...nalus: readonly string[]): string {
  return nalus.map((hex) => (hex.length / 2).toString(16).padStart(8, '0') + hex).join('');
}

class Bench {
  readonly parts: CmafPart[] = [];
  readonly segmenter: Segmenter;
  readonly #camera = new FakeCamera();
  #frames = 0;

  constructor(content: 'video' | 'video-and-audio' | 'audio' = 'video') {
    const [limits, wallClock] = [DEFAULT_SEGMENTER_LIMITS, new WallClock(0)];
    const onPart = (part: CmafPart) => void this.parts.push(part);
    this.segmenter = new Segmenter({ limits, content, wallClock, onPart });
  }

  /** Two groups of pictures with these tracks, each picture `fill` in the bytes of its slice. */
  play(tracks: readonly Track[], groups = 2): this {
    this.segmenter.setTracks(tracks);
    for (let i = 0; i < groups * GOP; i++) this.push(i % GOP === 0);
    return this;
  }

  push(isKey: boolean): void {
    const data = Uint8Array.of(0, 0, 0, 2, isKey ? 0x65 : 0x41, 7);
    this.segmenter.push(this.#camera.picture({ dtsTicks: this.#frames++ * FRAME_TICKS, isKey, data }));
  }

  /** The bytes before the slice of each key frame that was written, as hex. */
  heads(): string[] {
    const keys = this.samples().filter(({ isKey }) => isKey);
    return keys.map(({ data }) => data.toString('hex').replace(/000000026507$/, ''));
  }

  samples(): ReadSample[] {
    this.segmenter.discontinuity();
    const runs = this.parts.flatMap((part) => readFragment(part.bytes.join()).runs);
    return runs.filter(({ trackId }) => trackId === VIDEO_TRACK_ID).flatMap(({ samples }) => samples);
  }

  progress(): SegmenterProgress {
    this.segmenter.discontinuity();
    return this.segmenter.progress()!;
  }
}

describe('parameter sets of a camera that changes them (ffmpeg ignores a changed EXT-X-MAP)', () => {
  it('are in the init segment alone until they change, then also before each key frame', () => {
    const bench = new Bench().play([FAKE_VIDEO]).play([OTHER_VIDEO]);
    expect(bench.heads()).toEqual(['', '', OTHER_HEAD, OTHER_HEAD]);
    const others = bench.samples().filter(({ isKey }) => !isKey);
    expect(others.every(({ data }) => data.length === 6)).toBe(true);
    expect(bench.segmenter.drops.total).toBe(0);
  });

  it('are also there after a change back: players may have begun with the other ones', () => {
    const bench = new Bench('video-and-audio').play([FAKE_VIDEO, FAKE_AUDIO]);
    bench.play([OTHER_VIDEO, FAKE_AUDIO], 1).play([FAKE_VIDEO, FAKE_AUDIO], 1);
    expect(bench.heads()).toEqual(['', '', OTHER_HEAD, HEAD]);
  });

  it('of H.265 begin with the VPS', () => {
    const other = { ...HEVC, pps: [bytes('4401c173d04c90')] };
    const head = [...HEVC.vps, ...HEVC.sps, ...other.pps].map((set) => Buffer.from(set).toString('hex'));
    expect(new Bench().play([HEVC], 1).play([other], 1).heads()).toEqual(['', sized(...head)]);
  });

  it('stay out when only the audio changes, or the same ones are announced again', () => {
    const bench = new Bench('video-and-audio').play([FAKE_VIDEO, FAKE_AUDIO], 1).play([FAKE_VIDEO], 1);
    expect(bench.play([FAKE_AUDIO, FAKE_VIDEO].toReversed(), 1).heads()).toEqual(['', '', '']);
  });

  it('stay out of what has no video', () => {
    const bench = new Bench('audio').play([FAKE_VIDEO, FAKE_AUDIO], 1).play([OTHER_VIDEO, FAKE_AUDIO], 1);
    bench.segmenter.discontinuity();
    const sizes = bench.parts.flatMap((part) => readFragment(part.bytes.join()).runs[0]!.samples);
    expect(sizes.some(({ data }) => data.includes(OTHER_VIDEO.sps[0]!))).toBe(false);
  });

  it('go on being sent by a segmenter that takes over, in this thread, another one, or another node', () => {
    const unchanged = new Bench();
    unchanged.segmenter.goOn(new Bench().play([FAKE_VIDEO]).progress());
    expect(unchanged.play([FAKE_VIDEO], 1).heads()).toEqual(['']);
    const changed = new Bench();
    changed.segmenter.goOn(new Bench().play([FAKE_VIDEO]).play([OTHER_VIDEO]).progress());
    expect(changed.play([FAKE_VIDEO], 1).heads()).toEqual([HEAD]);
  });

  it('are sent if players may have another init segment from before a restart', () => {
    const first = new Bench().play([FAKE_VIDEO]);
    const { fingerprint } = first.parts[0]!.tracks;
    const same = new Bench();
    same.segmenter.setsInBand.expect(fingerprint);
    expect(same.play([FAKE_VIDEO], 1).heads()).toEqual(['']);
    const other = new Bench();
    other.segmenter.setsInBand.expect(fingerprint);
    expect(other.play([OTHER_VIDEO], 1).heads()).toEqual([OTHER_HEAD]);
    // A node that learns the numbers when it takes over, with its tracks known.
    const late = new Bench();
    late.segmenter.setTracks([OTHER_VIDEO]);
    late.segmenter.setsInBand.expect(fingerprint);
    expect(late.play([OTHER_VIDEO], 1).heads()).toEqual([OTHER_HEAD]);
  });

  it('are not in the bytes that real-time viewers share, who get them on their own', () => {
    const bench = new Bench().play([FAKE_VIDEO]);
    bench.segmenter.setTracks([OTHER_VIDEO]);
    bench.push(true);
    expect(copyOf(bench.segmenter.sharePicture()!).toString('hex')).toBe('000000026507');
  });

  it('are part of the key frame that still images are made of', () => {
    const bench = new Bench().play([FAKE_VIDEO]).play([OTHER_VIDEO], 1);
    bench.segmenter.discontinuity();
    const part = bench.parts.findLast(({ keySample }) => keySample !== null)!;
    const { offsetBytes, sizeBytes } = part.keySample!;
    const picture = part.bytes.join().subarray(offsetBytes, offsetBytes + sizeBytes);
    expect(picture.toString('hex')).toBe(`${OTHER_HEAD}000000026507`);
  });
});

function copyOf(run: BlockRun): Buffer {
  const copy = Buffer.alloc(run.byteLength);
  run.copyTo(copy, 0);
  run.release();
  return copy;
}
