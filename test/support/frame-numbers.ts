/** The frame numbers that a synthetic camera's video shows, as ffmpeg decodes it. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 512 * 1_024 * 1_024;

/** `media`: an init segment and what follows it. Every frame in order; null where the number cannot be read. */
export async function decodedFrameNumbers(
  media: readonly Buffer[],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): Promise<(number | null)[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-frames-'));
  try {
    const file = join(folder, 'media.mp4');
    await writeFile(file, Buffer.concat(media));
    return await readFrameNumbers(['-i', file], { widthPx, heightPx });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `input`: ffmpeg's arguments. `frames`: how many it decodes; absent: all. */
export async function readFrameNumbers(
  input: readonly string[],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
  frames?: number,
): Promise<(number | null)[]> {
  const limit = frames === undefined ? [] : ['-frames:v', `${frames}`];
  const output = ['-fps_mode', 'passthrough', ...limit, '-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
  const options = { encoding: 'buffer' as const, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await run(
    'ffmpeg',
    ['-nostdin', '-v', 'error', ...input, '-map', '0:v', ...output],
    options,
  );
  const frameBytes = widthPx * heightPx;
  return Array.from({ length: stdout.length / frameBytes }, (_, index) =>
    readFrameNumberStrip(
      (x, y) => stdout[index * frameBytes + Math.floor(y * heightPx) * widthPx + Math.floor(x * widthPx)]!,
    ),
  );
}

export interface NumberedFrame {
  /** The frame's number in the camera's clip; null: it could not be read. */
  readonly number: number | null;
  /** Wall time that the gateway gives the frame, epoch milliseconds. */
  readonly wallMs: number;
}

/**
 * Expects that each frame of one life of a synthetic camera shows the number for its wall time: as late as the first ones
 * arrived, and all alike, so that none is missing or out of place. A stream is dated by its first frames, which a busy
 * machine reads late.
 */
export function expectNumbersInTime(
  frames: readonly NumberedFrame[],
  { startEpochMs, clipFrames, fps }: { startEpochMs: number; clipFrames: number; fps: number },
): void {
  const late = frames.map(({ number, wallMs }) => {
    const index = Math.round(((wallMs - startEpochMs) * fps) / 1_000);
    const apart = (((index - (number ?? Number.NaN)) % clipFrames) + clipFrames) % clipFrames;
    return apart > clipFrames / 2 ? apart - clipFrames : apart;
  });
  expect(Math.max(...late) - Math.min(...late)).toBeLessThanOrEqual(1);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(-1);
}
