/** One coded key frame to RGB, in a jailed ffmpeg without network access. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { pictureCommand } from '../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { KeyFrame } from '../stream/live-media.ts';

/** Three bytes per pixel, rows without gaps. */
export interface RgbPicture {
  readonly bytes: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
}

export const RGB_BYTES = 3;
/** Images are never wider: this is the widest poster. */
export const MAX_DECODED_WIDTH_PX = 1_280;
/** And never higher, for cameras mounted sideways. */
const MAX_DECODED_HEIGHT_PX = 2_560;
const DECODE_TIMEOUT_MS = 10_000;

export interface DecoderOptions {
  readonly binary: FfmpegBinary;
  readonly pool: WorkerPool;
  readonly clock: Clock;
}

/** The size of the decoded image: its own, or smaller in the same shape. */
export function decodedSize(widthPx: number, heightPx: number): { widthPx: number; heightPx: number } {
  const scale = Math.min(1, MAX_DECODED_WIDTH_PX / widthPx, MAX_DECODED_HEIGHT_PX / heightPx);
  return {
    widthPx: Math.max(1, Math.round(widthPx * scale)),
    heightPx: Math.max(1, Math.round(heightPx * scale)),
  };
}

/** Fails FFMPEG_POOL_FULL, FFMPEG_BAD_PICTURE (also if it takes too long), or like starting a worker. */
export async function decodeKeyFrame(frame: KeyFrame, options: DecoderOptions): Promise<RgbPicture> {
  const size = decodedSize(frame.widthPx, frame.heightPx);
  const expectedBytes = size.widthPx * size.heightPx * RGB_BYTES;
  const line = pictureCommand(size.widthPx, size.heightPx);
  const spec = { ffmpegPath: options.binary.path, line, network: null, extraFd: null };
  const worker = await options.pool.start(spec, new AbortController().signal);
  const timer = options.clock.after(DECODE_TIMEOUT_MS, () => void worker.kill());
  const bytes = Buffer.allocUnsafe(expectedBytes);
  let receivedBytes = 0;
  worker.stdout.on('data', (chunk: Buffer) => {
    // An image of another size than requested is not valid: copy() stops at the end, and the count reveals it.
    if (receivedBytes < expectedBytes) chunk.copy(bytes, receivedBytes);
    receivedBytes += chunk.length;
    if (receivedBytes > expectedBytes) void worker.kill();
  });
  for (const buffer of frame.fmp4) worker.stdin!.write(buffer);
  worker.stdin!.end();
  const exit = await worker.exited;
  timer.cancel();
  if (receivedBytes !== expectedBytes) {
    const context = { receivedBytes, expectedBytes, exitCode: exit.code, stderr: exit.stderr.at(-1) ?? '' };
    throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE, context);
  }
  return { bytes, ...size };
}
