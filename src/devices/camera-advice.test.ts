import { describe, expect, it } from 'vitest';
import type { CameraFault } from '../stream/source/camera-fault.ts';
import { cameraAdvice } from './camera-advice.ts';
import { type ExaminedStream, untriedStream } from './examined-stream.ts';

const FAULT: CameraFault = {
  reason: 'unreachable',
  code: 'DIRECT_UNREACHABLE',
  message: 'The camera cannot be reached.',
  host: null,
  port: null,
  errno: null,
};

const MAIN: ExaminedStream = {
  ...untriedStream(FAULT),
  fault: null,
  videoEncoding: 'h264',
  videoCodec: 'avc1.640028',
  widthPx: 1_920,
  heightPx: 1_080,
  frameRateHz: 25,
  bitsPerSec: 4_000_000,
  keyFrameDistanceMs: 2_000,
  clockOffsetMs: 100,
  audioEncoding: 'mpeg4-generic',
  audioCodec: 'mp4a.40.2',
  audioWay: 'direct',
};
const SUB: ExaminedStream = { ...MAIN, widthPx: 640, heightPx: 360 };
const H265 = { videoEncoding: 'h265', videoCodec: 'hvc1.1.6.L93.B0' };

function codes(main: Partial<ExaminedStream>, sub: Partial<ExaminedStream> | null = {}): string[] {
  const advice = cameraAdvice({ ...MAIN, ...main }, sub === null ? null : { ...SUB, ...sub });
  return advice.map(({ profile, code }) => `${profile} ${code}`);
}

describe('advice about a camera', () => {
  it('is empty if nothing is worth changing', () => expect(codes({})).toEqual([]));

  it.each<[string, Partial<ExaminedStream>, Partial<ExaminedStream> | null, string[]]>([
    ['rare key frames', { keyFrameDistanceMs: 4_000 }, {}, ['main KEY_FRAMES_RARE']],
    ['key frames every 3.9 s', { keyFrameDistanceMs: 3_900 }, {}, []],
    ['no second key frame', {}, { keyFrameDistanceMs: null }, ['sub KEY_FRAMES_MISSING']],
    ['H.265 with H.264 next to it', H265, {}, []],
    ['H.265 twice', H265, H265, ['main H265_WITHOUT_H264']],
    ['H.265 with a broken substream', H265, { fault: FAULT }, ['main H265_WITHOUT_H264']],
    ['H.265 alone', H265, null, ['main H265_WITHOUT_H264', 'main SUBSTREAM_MISSING']],
    ['a worker for video', { needsWorker: true, videoEncoding: 'jpeg' }, {}, ['main VIDEO_NEEDS_WORKER']],
    ['sound only', { widthPx: null, heightPx: null }, {}, ['main VIDEO_MISSING']],
    ['few frames', { frameRateHz: 4 }, {}, ['main FRAME_RATE_LOW']],
    ['five frames', { frameRateHz: 5 }, {}, []],
    ['no audio', { audioWay: null }, {}, ['main AUDIO_MISSING']],
    ['audio for a worker', { audioWay: 'worker' }, {}, ['main AUDIO_NEEDS_WORKER']],
    ['audio that is left out', { audioWay: 'none' }, {}, ['main AUDIO_UNSUPPORTED']],
    ['a fast clock', { clockOffsetMs: 6_000 }, {}, ['main CLOCK_OFF']],
    ['a slow clock', { clockOffsetMs: -6_000 }, {}, ['main CLOCK_OFF']],
    ['an unknown clock', { clockOffsetMs: null }, {}, []],
    ['the same stream twice', {}, { widthPx: 1_920, heightPx: 1_080 }, ['sub SUBSTREAM_LARGER']],
    ['a failed main stream', { fault: FAULT, audioWay: null }, {}, []],
  ])('names %s', (_what, main, sub, expected) => expect(codes(main, sub)).toEqual(expected));

  it('says what viewers notice and what to set', () => {
    const [first] = cameraAdvice({ ...MAIN, keyFrameDistanceMs: 10_020 }, SUB);
    expect(first?.sentence).toBe(
      'A key frame comes every 10 s: viewers wait up to 10 s for the picture. Set the key frame interval to 2 s.',
    );
  });

  it.each([
    [6_000, '6 seconds ahead of'],
    [-600_000, '10 minutes behind'],
    [10_800_000, '3 hours ahead of'],
    [-86_400_000 * 400, '400 days behind'],
  ])('says that a clock is off by %d ms', (clockOffsetMs, words) => {
    const [first] = cameraAdvice({ ...MAIN, clockOffsetMs }, SUB);
    expect(first?.sentence).toContain(words);
  });
});
