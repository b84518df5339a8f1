/** Pictures that are not one progressive frame each, at one rate: real streams by x264, judged by ffmpeg. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { splitAnnexB } from '../../codec/byte-stream.ts';
import type { H264Track } from '../../codec/track.ts';
import {
  FRAME_TICKS,
  RecordingReceiver,
  SamplePackets,
  VIDEO_TRACK_WITHOUT_SETS,
} from '../sample-stream-fixture.ts';

const START_CODE = Buffer.from([0, 0, 0, 1]);
const FRAMES = 50;

/** NAL units of each frame, in decoding order, with delimiters between the frames. */
function encode(...more: readonly string[]): Uint8Array[][] {
  const { stdout, stderr } = spawnSync('ffmpeg', [
    ...[
      '-v',
      'error',
      '-nostdin',
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=160x128:rate=25:duration=${FRAMES / 25}`,
    ],
    ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-preset', 'medium', ...more, '-f', 'h264', 'pipe:1'],
  ]);
  expect(stderr.toString()).toBe('');
  const frames: Uint8Array[][] = [];
  for (const nalu of splitAnnexB(stdout)) {
    if ((nalu[0]! & 0x1f) === 9) frames.push([]);
    frames.at(-1)!.push(nalu);
  }
  return frames;
}

/** Frames that ffmpeg decodes of the receiver's output, and its complaints. */
function decode(recorder: RecordingReceiver): { readonly frames: number; readonly text: string } {
  const bytes: Uint8Array[] = [];
  const { sps, pps } = recorder.announced[0]![0] as H264Track;
  for (const nalu of [...sps, ...pps]) bytes.push(START_CODE, nalu);
  for (const { data } of recorder.units) {
    for (let at = 0; at < data.length; ) {
      const end = at + 4 + Buffer.from(data.buffer, data.byteOffset).readUInt32BE(at);
      bytes.push(START_CODE, data.subarray(at + 4, end));
      at = end;
    }
  }
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      '-v',
      'warning',
      '-nostdin',
      '-f',
      'h264',
      '-i',
      'pipe:0',
      '-fps_mode',
      'passthrough',
      '-f',
      'rawvideo',
      'pipe:1',
    ],
    { input: Buffer.concat(bytes), maxBuffer: 64_000_000 },
  );
  return { frames: stdout.length / (160 * 128 * 1.5), text: stderr.toString() };
}

describe('real streams come out whole', () => {
  it.each<[string, readonly string[]]>([
    [
      'interlaced, adaptive by macroblock',
      ['-flags', '+ildct+ilme', '-x264-params', 'aud=1:tff=1:bframes=0'],
    ],
    ['interlaced, with B-frames', ['-flags', '+ildct+ilme', '-x264-params', 'aud=1:bff=1:bframes=2']],
    ['a pyramid of B-frames', ['-x264-params', 'aud=1:bframes=7:b-adapt=0:b-pyramid=normal']],
    [
      'picture order that follows decoding (pic_order_cnt_type 2)',
      ['-x264-params', 'aud=1:bframes=0', '-tune', 'zerolatency'],
    ],
    ['eight slices per picture', ['-x264-params', 'aud=1:slices=8:bframes=0']],
  ])('%s', (_title, encoder) => {
    const frames = encode(...encoder);
    expect(frames).toHaveLength(FRAMES);
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS], lossPolicy: 'repair' });
    const packets = new SamplePackets(0);
    frames.forEach((nalus, index) => {
      recorder.feed(packets.picture(index * FRAME_TICKS, nalus), index * 40);
    });
    expect(recorder.dropped).toEqual([]);
    expect(recorder.units).toHaveLength(FRAMES);
    const { frames: decoded, text } = decode(recorder);
    expect(text).not.toMatch(/error|conceal|missing/i);
    expect(decoded).toBe(FRAMES);
  });
});
