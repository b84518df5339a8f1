import { beforeEach, describe, expect, test } from 'vitest';
import { SlowNetwork, StreamChoice } from '../../web/stream-choice.ts';

const FRAME_MS = 40;

let choice: StreamChoice;
let nowMs: number;
beforeEach(() => {
  choice = new StreamChoice();
  nowMs = 1_000_000;
});

/** Frames of `durationMs`, the first `lagMs` late, each later than the one before by `growthMs`. Returns the changes. */
function watch(durationMs: number, lagMs = 50, growthMs = 0): string[] {
  const changes: string[] = [];
  for (let index = 0; index * FRAME_MS < durationMs; index++) {
    nowMs += FRAME_MS;
    if (choice.note(nowMs - lagMs - index * growthMs, nowMs)) changes.push(choice.name);
  }
  return changes;
}

describe('the choice of a stream', () => {
  test('stays with the main stream, whatever the clocks say', () => {
    expect(watch(60_000, -5_000_000)).toEqual([]);
    expect(choice.name).toBe('ws');
  });

  test('is not misled by the group of pictures that a viewer starts with', () => {
    expect([watch(FRAME_MS * 50, 10_000, -200), watch(5_000)]).toEqual([[], []]);
  });

  test('bears a hiccup of the network', () => {
    watch(2_000);
    expect([watch(600, 2_000), watch(10_000)]).toEqual([[], []]);
  });

  test('takes the substream when frames come later and later, and the main stream again after a while', () => {
    watch(2_000);
    expect(watch(3_000, 50, FRAME_MS)).toEqual(['wsl']);
    expect(watch(10_000)).toEqual([]);
    expect(watch(10_000)).toEqual(['ws']);
    expect(watch(60_000)).toEqual([]);
  });

  test('takes the main stream where the substream does not play', () => {
    watch(2_000);
    expect(watch(3_000, 50, FRAME_MS)).toEqual(['wsl']);
    choice.giveUpSub();
    expect([choice.name, watch(5_000)]).toEqual(['ws', []]);
  });

  test('tries the main stream less and less often if the network does not carry it, up to two minutes', () => {
    const pausesMs: number[] = [];
    for (let round = 0; round < 6; round++) {
      expect(watch(3_000, 50, FRAME_MS)).toEqual(['wsl']);
      const loweredAtMs = nowMs;
      while (choice.name === 'wsl') watch(FRAME_MS);
      pausesMs.push(Math.round((nowMs - loweredAtMs) / 5_000) * 5);
    }
    expect(pausesMs).toEqual([15, 30, 60, 120, 120, 120]);
  });
});

describe('a network that is too slow for the smallest stream', () => {
  /** Frames of `durationMs`, each `lagMs` late. Returns when it is called too slow; null: never. */
  function slowAfterMs(network: SlowNetwork, durationMs: number, lagMs: number): number | null {
    const sinceMs = nowMs;
    for (let index = 0; index * FRAME_MS < durationMs; index++) {
      nowMs += FRAME_MS;
      if (network.note(lagMs, nowMs)) return nowMs - sinceMs;
    }
    return null;
  }

  test('is called that after 8 s of late frames, not after a hiccup', () => {
    const network = new SlowNetwork();
    expect(slowAfterMs(network, 60_000, 50)).toBeNull();
    expect(slowAfterMs(network, 6_000, 1_500)).toBeNull();
    expect(slowAfterMs(network, 6_000, 50)).toBeNull();
    expect(slowAfterMs(network, 6_000, 1_500)).toBeNull();
    expect(slowAfterMs(network, 6_000, 1_500)).toBe(2_000);
  });

  test('is one on which frames are late again and again, though it catches up in between', () => {
    const network = new SlowNetwork();
    slowAfterMs(network, 1_000, 50);
    let afterSec = 0;
    while (slowAfterMs(network, 3_000, 1_500) === null && slowAfterMs(network, 1_000, 50) === null)
      afterSec += 4;
    expect(afterSec).toBeGreaterThanOrEqual(8);
    expect(afterSec).toBeLessThanOrEqual(20);
  });

  test('is one on which the video stands still twice, unless it played in between', () => {
    const network = new SlowNetwork();
    expect(network.noteStall()).toBe(false);
    slowAfterMs(network, 6_000, 50);
    expect(network.noteStall()).toBe(false);
    expect(network.noteStall()).toBe(true);
    // The next attempt begins anew.
    expect(network.noteStall()).toBe(false);
  });

  test('is no camera that pauses for minutes', () => {
    const network = new SlowNetwork();
    slowAfterMs(network, 1_000, 50);
    nowMs += 600_000;
    expect(slowAfterMs(network, 6_000, 1_500)).toBeNull();
  });
});
