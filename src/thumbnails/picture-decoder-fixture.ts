/** Pictures as the packager keeps them, for tests: an initialization section and one fragment with one frame. */

import { spawnSync } from 'node:child_process';
import type { KeyFrame } from '../stream/media/live-media.ts';
import { RGB_BYTES } from './picture-decoder.ts';

/** `color`: of ffmpeg. `slices`: pieces that can be decoded one without the other. */
export function codedPicture(color: string, widthPx: number, heightPx: number, slices = 1): Buffer {
  const source = `color=${color}:size=${widthPx}x${heightPx}:rate=1`;
  return ffmpeg([
    ...['-f', 'lavfi', '-i', source, '-frames:v', '1'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x264-params', `slices=${slices}`],
    ...['-f', 'mp4', '-movflags', '+empty_moov+default_base_moof', 'pipe:1'],
  ]);
}

/** A picture that compresses badly. */
export function codedNoise(widthPx: number, heightPx: number): Buffer {
  const source = `nullsrc=size=${widthPx}x${heightPx}:rate=1,geq=random(1)*255:128:128`;
  return codedFilter(source, ['-crf', '1']);
}

/** `colorspace`: what the stream says about its colors; the values are converted accordingly. */
export function colorBars(widthPx: number, heightPx: number, colorspace: string): Buffer {
  const matrix = colorspace === 'bt709' ? 'bt709' : 'bt601';
  const source = `smptebars=size=${widthPx}x${heightPx}:rate=1,format=rgb24,scale=out_color_matrix=${matrix}`;
  return codedFilter(source, colorspace === 'unknown' ? [] : ['-colorspace', colorspace]);
}

function codedFilter(source: string, options: readonly string[]): Buffer {
  return ffmpeg([
    ...['-f', 'lavfi', '-i', source, '-frames:v', '1', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-pix_fmt', 'yuv420p', ...options],
    ...['-f', 'mp4', '-movflags', '+empty_moov+default_base_moof', 'pipe:1'],
  ]);
}

/** The stream as raw H.264 with start codes. */
export function annexBOf(fmp4: Buffer): Buffer {
  return ffmpeg(['-i', 'pipe:0', '-c', 'copy', '-bsf:v', 'h264_mp4toannexb', '-f', 'h264', 'pipe:1'], fmp4);
}

/**
 * A frame that is not a key frame: every block copies the previous picture. As raw H.264, and as the packager would keep it
 * if a camera passed it off as a key frame.
 */
export function skippedPicture(widthPx: number, heightPx: number): { annexB: Buffer; fmp4: Buffer } {
  const source = `color=black:size=${widthPx}x${heightPx}:rate=1`;
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '0'];
  const two = ffmpeg(['-f', 'lavfi', '-i', source, '-frames:v', '2', ...encode, '-f', 'h264', 'pipe:1']);
  const annexB = Buffer.concat(
    nalus(two).filter((nalu) => NALU_TYPES_WITHOUT_KEY_FRAME.has(nalu[4]! & 0x1f)),
  );
  const file = ['-f', 'mp4', '-movflags', '+empty_moov+default_base_moof', 'pipe:1'];
  const fmp4 = ffmpeg(['-f', 'h264', '-i', 'pipe:0', '-c', 'copy', '-copyinkf', ...file], annexB);
  return { annexB, fmp4 };
}

/** Slices of no key frame, and parameter sets. */
const NALU_TYPES_WITHOUT_KEY_FRAME: ReadonlySet<number> = new Set([1, 7, 8]);

/** Each with a start code of four bytes. */
function nalus(annexB: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const code = Buffer.from([0, 0, 1]);
  for (let at = annexB.indexOf(code); at >= 0; ) {
    const next = annexB.indexOf(code, at + 3);
    const end = next < 0 ? annexB.length : annexB[next - 1] === 0 ? next - 1 : next;
    found.push(Buffer.concat([Buffer.alloc(1), annexB.subarray(at, end)]));
    at = next;
  }
  return found;
}

function ffmpeg(args: readonly string[], input?: Buffer): Buffer {
  const result = spawnSync('ffmpeg', ['-v', 'error', ...args], {
    ...(input === undefined ? {} : { input }),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0) throw new Error(String(result.stderr));
  return result.stdout;
}

export function keyFrameOf(fmp4: Buffer, widthPx: number, heightPx: number, atEpochMs = 1): KeyFrame {
  return { fmp4: [fmp4.subarray(0, 100), fmp4.subarray(100)], widthPx, heightPx, atEpochMs };
}

/** The average of each channel, 0 to 255. */
export function meanColor(rgb: Buffer): [red: number, green: number, blue: number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < rgb.length; at++) sums[at % 3]! += rgb[at]!;
  const pixels = rgb.length / 3;
  return sums.map((sum) => Math.round(sum / pixels)) as [number, number, number];
}

/** Where the seven large bars of `colorBars` are in RGB of that width. */
export function barCenters(widthPx: number): number[] {
  return Array.from(
    { length: 7 },
    (_, bar) => RGB_BYTES * (20 * widthPx + Math.round((widthPx * (bar + 0.5)) / 7)),
  );
}

/** Pixels in which red clearly outweighs the other two. */
export function redPixels(rgb: Buffer): number {
  let count = 0;
  for (let at = 0; at < rgb.length; at += 3) {
    if (rgb[at]! > 120 && rgb[at + 1]! < 90 && rgb[at + 2]! < 90) count++;
  }
  return count;
}
