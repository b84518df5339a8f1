/** Whether the beeps of a synthetic camera of 320x180 pixels are where its frame numbers say, as ffmpeg decodes both. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import { FRAMES_PER_SEC } from './synthetic.ts';

const WIDTH_PX = 320;
const HEIGHT_PX = 180;
/** Sample rate of the decoder's output. */
const SOUND_RATE_HZ = 48_000;
/** A beep's first sample in 16 bits; silence decodes to nothing near it. */
const LOUD = 1_500;

async function decode(media: Buffer, args: readonly string[]): Promise<Buffer> {
  const input = ['-loglevel', 'error', '-copyts', '-i', 'pipe:0', ...args, 'pipe:1'];
  const run = promisify(execFile)('ffmpeg', input, { encoding: 'buffer', maxBuffer: 1e9 });
  // One frame is enough for ffmpeg: it may leave the rest of its input unread.
  run.child.stdin!.on('error', () => undefined).end(media);
  return (await run).stdout;
}

async function startSec(media: Buffer, stream: 'v' | 'a'): Promise<number> {
  const args = [
    '-loglevel',
    'error',
    '-select_streams',
    stream,
    '-show_entries',
    'frame=pts_time',
    '-of',
    'csv=p=0',
    '-',
  ];
  const run = promisify(execFile)('ffprobe', args);
  run.child.stdin!.end(media);
  const times = (await run).stdout.split('\n').map((line) => Number.parseFloat(line));
  return Math.min(...times.filter((time) => !Number.isNaN(time)));
}

/** How far the camera's beeps, one at every full second of its clip, are behind the frames of those seconds. */
export async function soundBehindPictureMs(media: Buffer): Promise<number[]> {
  const gray = await decode(media, ['-map', '0:v', '-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo']);
  if (gray.length !== WIDTH_PX * HEIGHT_PX) throw new Error(`a picture of ${gray.length} bytes`);
  const strip = gray.subarray(4 * WIDTH_PX, 5 * WIDTH_PX);
  const frame = readFrameNumberStrip((x) => strip[Math.floor(x * WIDTH_PX)]!);
  const pcm = await decode(media, ['-map', '0:a', '-ac', '1', '-ar', String(SOUND_RATE_HZ), '-f', 's16le']);
  // Where frame 0 of the clip is on the media timeline.
  const clipStartSec = (await startSec(media, 'v')) - frame! / FRAMES_PER_SEC;
  const soundStartSec = await startSec(media, 'a');
  const behindMs: number[] = [];
  let quietUntil = 0;
  for (let at = 0; at + 2 <= pcm.length; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) < LOUD) continue;
    const atSec = soundStartSec + at / 2 / SOUND_RATE_HZ;
    if (at > quietUntil && at > SOUND_RATE_HZ / 4) {
      const intoSecond = (((atSec - clipStartSec) % 1) + 1.5) % 1;
      behindMs.push((intoSecond - 0.5) * 1_000);
    }
    quietUntil = at + SOUND_RATE_HZ;
  }
  return behindMs;
}
