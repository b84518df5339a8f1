import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeldFrames } from './held-frames.ts';

let shown: string[];
let closed: string[];
let held: HeldFrames;
let startMs: number;
/** When sound of epoch 0 is heard, after the start; null: nothing is heard. */
let soundMs: number | null;

beforeEach(() => {
  vi.useFakeTimers();
  [shown, closed, soundMs, startMs] = [[], [], 100, performance.now()];
  held = new HeldFrames(
    (epochMs) => (soundMs === null ? null : startMs + soundMs + epochMs),
    (_frame, epochMs) => shown.push(`${epochMs} at ${performance.now() - startMs}`),
  );
});
afterEach(() => vi.useRealTimers());

function put(...epochsMs: number[]): void {
  for (const epochMs of epochsMs) {
    held.put({ close: () => closed.push(String(epochMs)) } as unknown as VideoFrame, epochMs);
  }
}

it('shows frames when their sound is heard', () => {
  put(0, 40);
  vi.advanceTimersByTime(1_000);
  expect(shown).toEqual(['0 at 100', '40 at 140']);
});

it('follows sound that is played later than it was', () => {
  put(0, 40);
  soundMs = 200;
  vi.advanceTimersByTime(1_000);
  expect(shown).toEqual(['0 at 200', '40 at 240']);
});

it('shows late frames immediately, and all that are held once there is no sound, in order', () => {
  put(-200, 0);
  soundMs = null;
  put(40);
  expect(shown).toEqual(['-200 at 0', '0 at 0', '40 at 0']);
});

it('holds few frames', () => {
  put(...Array.from({ length: 10 }, (_, index) => 500 + index));
  expect(shown).toEqual(['500 at 0', '501 at 0']);
});

it('closes what it holds', () => {
  put(0, 40);
  held.clear();
  vi.advanceTimersByTime(1_000);
  expect([shown, closed]).toEqual([[], ['0', '40']]);
});
