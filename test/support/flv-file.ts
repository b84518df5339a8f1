/** FLV as ffmpeg muxes it: the same tags that it pushes over RTMP. Adobe Flash Video File Format Specification 10.1 §E. */

import { spawnSync } from 'node:child_process';

const FILE_HEADER_BYTES = 9 + 4;
const TAG_HEADER_BYTES = 11;
const TAG_AUDIO = 8;
const TAG_VIDEO = 9;

export interface FlvTagBytes {
  readonly kind: 'audio' | 'video';
  readonly timestampMs: number;
  readonly payload: Buffer;
}

const made = new Map<string, FlvTagBytes[]>();

/** A moving picture at 25 frames per second with a key frame every second, and a tone. `options`: ffmpeg's, of the output. */
export function flvTags(seconds: number, options = '-c:a aac', size = '160x120'): FlvTagBytes[] {
  const key = `${seconds} ${options} ${size}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const sources = `-f lavfi -i testsrc2=size=${size}:rate=25 -f lavfi -i sine=frequency=440:sample_rate=48000`;
  const video = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -b:v 200k';
  const args = `-v error ${sources} -t ${seconds} ${video} ${options} -f flv -`.split(' ');
  const { stdout, stderr, status } = spawnSync('ffmpeg', args, { maxBuffer: 64 * 1_048_576 });
  if (status !== 0) throw new Error(String(stderr));
  const tags: FlvTagBytes[] = [];
  for (let at = FILE_HEADER_BYTES; at < stdout.length; ) {
    const length = stdout.readUIntBE(at + 1, 3);
    const timestampMs = stdout.readUIntBE(at + 4, 3) + stdout[at + 7]! * 0x1000000;
    const payload = stdout.subarray(at + TAG_HEADER_BYTES, at + TAG_HEADER_BYTES + length);
    const type = stdout[at];
    if (type === TAG_VIDEO || type === TAG_AUDIO)
      tags.push({ kind: type === TAG_VIDEO ? 'video' : 'audio', timestampMs, payload });
    at += TAG_HEADER_BYTES + length + 4;
  }
  made.set(key, tags);
  return tags;
}
