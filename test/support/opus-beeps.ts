/** When the beeps of a synthetic camera of 320x180 pixels are heard in Opus packets, and when its frames were taken. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OggOpusWriter } from '../../src/sources/sound/ogg-opus.ts';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import { FRAMES_PER_SEC } from './synthetic.ts';

const [WIDTH_PX, HEIGHT_PX] = [320, 180];
const RATE_HZ = 48_000;
const PACKET_SAMPLES = 960;
const LOUD = 1_500;

export interface TimedPacket {
  readonly epochMs: number;
  readonly packet: Buffer;
}

async function decode(input: Buffer, args: readonly string[]): Promise<Buffer> {
  const all = ['-loglevel', 'error', '-i', 'pipe:0', ...args, 'pipe:1'];
  const decoding = promisify(execFile)('ffmpeg', all, { encoding: 'buffer', maxBuffer: 1e9 });
  // One frame is enough for ffmpeg: it may leave the rest of its input unread.
  decoding.child.stdin!.on('error', () => undefined).end(input);
  return (await decoding).stdout;
}

/** Epoch times at which beeps or ticks begin. `packets`: of 20 ms, without a gap. */
export async function beeps(packets: readonly TimedPacket[]): Promise<number[]> {
  const ogg = new OggOpusWriter(1);
  const file = Buffer.concat(packets.map(({ packet }) => ogg.write(packet, 0, packet.length)));
  const pcm = await decode(file, ['-ac', '1', '-ar', String(RATE_HZ), '-f', 's16le']);
  const found: number[] = [];
  let quietUntil = RATE_HZ / 4;
  for (let at = 0; at + 2 <= pcm.length; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) < LOUD) continue;
    const sample = at / 2;
    if (sample > quietUntil) {
      const { epochMs } = packets[Math.floor(sample / PACKET_SAMPLES)]!;
      found.push(epochMs + ((sample % PACKET_SAMPLES) * 1_000) / RATE_HZ);
    }
    quietUntil = sample + RATE_HZ / 2;
  }
  return found;
}

/** The epoch time of the clip's first frame, of which beeps are whole seconds away. `video`: begins with a frame of `epochMs`. */
export async function clipEpochMs(epochMs: number, video: Buffer): Promise<number> {
  const gray = await decode(video, ['-frames:v', '1', '-pix_fmt', 'gray', '-f', 'rawvideo']);
  if (gray.length !== WIDTH_PX * HEIGHT_PX) throw new Error(`a picture of ${gray.length} bytes`);
  const strip = gray.subarray(4 * WIDTH_PX, 5 * WIDTH_PX);
  const frame = readFrameNumberStrip((x) => strip[Math.floor(x * WIDTH_PX)]!)!;
  return epochMs - (frame * 1_000) / FRAMES_PER_SEC;
}

/** How far a time is from a whole second of the clip. */
export function behindOf(ms: number): number {
  return Math.abs((((ms % 1_000) + 1_500) % 1_000) - 500);
}
