/** Whether the frames that a player showed are those of their times: judged by their numbers alone, not by any clock. */

import { expect } from 'vitest';

export interface ShownNumber {
  /** Burned into the frame; null if it cannot be read. */
  readonly number: number | null;
  /** On the player's media timeline. */
  readonly mediaSec: number;
}

export interface NumberedSource {
  readonly fps: number;
  /** After so many, the numbers begin again. */
  readonly clipFrames: number;
}

/**
 * Expects that every frame has a number, none goes back, and two frames are as far apart in their numbers as in their media
 * times: then each frame is at its place, and only the player left out frames between two.
 */
export function expectInOrder(frames: readonly ShownNumber[], { fps, clipFrames }: NumberedSource): void {
  const wrong = frames.slice(1).flatMap((frame, index) => {
    const before = frames[index]!;
    if (frame.number === null || before.number === null) return [`no number at ${frame.mediaSec} s`];
    const apart = (frame.number - before.number + clipFrames) % clipFrames;
    const expected = Math.round((frame.mediaSec - before.mediaSec) * fps);
    if (apart === expected) return [];
    return [`${before.number} at ${before.mediaSec} s, then ${frame.number} at ${frame.mediaSec} s`];
  });
  expect(wrong).toEqual([]);
}

/** By how many frames a number is later than another one, the shorter way around the clip: negative if it is earlier. */
export function framesAhead(from: number, number: number | null, clipFrames: number): number {
  const apart = ((number ?? Number.NaN) - from) % clipFrames;
  return ((apart + 1.5 * clipFrames) % clipFrames) - clipFrames / 2;
}

/** How many different pictures were shown. */
export function picturesIn(frames: readonly ShownNumber[]): number {
  return new Set(frames.map(({ number }) => number)).size;
}
