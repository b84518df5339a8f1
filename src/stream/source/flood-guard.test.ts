import { describe, expect, it } from 'vitest';
import { FLOOD_WINDOW_MS, FloodGuard, MAX_WINDOW_BYTES, MAX_WINDOW_PACKETS } from './flood-guard.ts';

describe('FloodGuard', () => {
  it('admits as many packets as the window allows, and not one more', () => {
    const guard = new FloodGuard();
    expect(guard.admits(MAX_WINDOW_PACKETS, 1, 1_000)).toBe(true);
    expect(guard.admits(1, 1, 1_500)).toBe(false);
    expect(guard.figures(1_500)).toMatchObject({
      packets: MAX_WINDOW_PACKETS + 1,
      bytes: 2,
      elapsedMs: 500,
    });
  });

  it('admits as many bytes as the window allows, and not one more', () => {
    const guard = new FloodGuard();
    expect(guard.admits(1, MAX_WINDOW_BYTES, 0)).toBe(true);
    expect(guard.admits(0, 1, FLOOD_WINDOW_MS - 1)).toBe(false);
  });

  it('begins a new window when the last one is over', () => {
    const guard = new FloodGuard();
    for (let window = 0; window < 5; window++) {
      expect(guard.admits(MAX_WINDOW_PACKETS, MAX_WINDOW_BYTES, window * FLOOD_WINDOW_MS)).toBe(true);
    }
  });

  it.each([
    ['8K at 50 Mbit/s in small packets', 12_500, 500],
    ['a recorder that sends ten seconds of 16 Mbit/s every second', 14_300, 1_400],
  ])('leaves room for %s', (_what, packetsPerSec, packetBytes) => {
    const guard = new FloodGuard();
    for (let ms = 0; ms < 60_000; ms += 10) {
      expect(guard.admits(packetsPerSec / 100, (packetsPerSec / 100) * packetBytes, ms)).toBe(true);
    }
  });
});
