/**
 * Limits the cost of a conversion. Decoding costs by the pixel, whatever the file weighs: 83 minutes of black in 4K are 81 MB and
 * a trillion pixels. So pixels are counted: those that the container declares before anything is decoded, and those that are
 * decoded meanwhile. Work of a decoder that yields no frame is bounded by its processor time.
 */

import { type ErrorContext, GatewayError } from '../core/errors.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** 90 minutes of 1920 × 1088 at 30 frames per second; measured: half an hour of one core of 2023. */
export const MAX_CONVERSION_PIXELS = 90 * 60 * 30 * 1_920 * 1_088;
/** Twice that. */
export const MAX_CONVERSION_CPU_SEC = 3_600;
/** Limit for an ffmpeg that hangs: one that works is bounded by its processor time. */
export const MAX_CONVERSION_MS = 3 * 3_600_000;
/** To find out what a file has: some frames are decoded. */
export const MAX_PROBE_CPU_SEC = 120;
/** A container that declares more does not mean it: Matroska's clock and MPEG's are taken for rates. */
export const MAX_DECLARED_FRAMES_PER_SEC = 120;

export interface ConversionBounds {
  readonly pixels: number;
  /** Processor time. */
  readonly cpuSec: number;
}

export const CONVERSION_BOUNDS: ConversionBounds = {
  pixels: MAX_CONVERSION_PIXELS,
  cpuSec: MAX_CONVERSION_CPU_SEC,
};

const BILLION = 1e9;

/** Fails UPLOAD_TOO_COSTLY. */
export function expectPixels(framePx: number, frames: number, maxPixels: number): void {
  const pixels = framePx * frames;
  if (pixels <= maxPixels) return;
  throw new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_COSTLY, { pixels, maxPixels, frames, framePx });
}

/** Its time is used up: that of the processor, or, of what hangs, all of it. */
export function outOfTime(spentSec: number, frames: number): GatewayError {
  return new GatewayError(UPLOAD_ERRORS.UPLOAD_TOO_COSTLY, { spentSec, frames });
}

/** The file's size or cost in words; '': the error is about something else. */
export function costSentence({ pixels, frames, framePx, spentSec }: ErrorContext): string {
  const count = (value: unknown): string => Math.round(Number(value)).toLocaleString('en');
  if (typeof pixels === 'number') {
    const billions = count(pixels / BILLION);
    return `The clip has ${billions} billion: ${count(frames)} frames of ${count(framePx)} pixels.`;
  }
  if (typeof spentSec !== 'number') return '';
  return `After ${count(spentSec)} s, ${count(frames)} frames were converted.`;
}
