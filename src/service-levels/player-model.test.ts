import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { PlayerModel } from './player-model.ts';

/** The wall clock runs with the monotonic one, 1,000 s ahead. */
const EPOCH_MS = 1_000_000;
const model = () => new PlayerModel((monoMs) => EPOCH_MS + monoMs);

/** A part of 320 ms that was taken at `atMs` of the monotonic clock. */
const part = (atMs: number, durationMs = 320) => ({ epochMs: EPOCH_MS + atMs, durationMs });

describe('the model of a player', () => {
  it('plays without a stall what arrives in time, as far behind live as it began', () => {
    const player = model();
    for (let i = 0; i < 4; i++) player.load(part(i * 320), 1_300);
    player.begin(EPOCH_MS + 300, 1_300);
    for (let i = 4; i < 28; i++) player.load(part(i * 320), (i + 1) * 320 + 20);
    const totals = player.totals(9_300);
    expect(totals).toMatchObject({ playedMs: 8_000, stalledMs: 0, stalls: 0 });
    expect(totals.delaysMs).toEqual(new Array(8).fill(1_000));
  });

  it('stands still when nothing is left, and its delay grows by that', () => {
    const player = model();
    player.load(part(0, 1_000), 1_000);
    player.begin(EPOCH_MS, 1_000);
    player.load(part(1_000, 2_000), 3_500);
    const totals = player.totals(5_000);
    expect(totals).toMatchObject({ playedMs: 2_500, stalledMs: 1_500, stalls: 1 });
    expect(totals.delaysMs).toEqual([1_000, 2_000, 2_500, 2_500]);
  });

  it('hides what is shorter than a frame of a slow camera', () => {
    const player = model();
    player.load(part(0, 1_000), 0);
    player.begin(EPOCH_MS, 0);
    player.load(part(1_000, 1_000), 1_099);
    expect(player.totals(2_000)).toMatchObject({ stalls: 0, stalledMs: 0 });
  });

  it('counts a stall that goes on, once', () => {
    const player = model();
    player.load(part(0, 500), 0);
    player.begin(EPOCH_MS, 0);
    expect(player.totals(2_000)).toMatchObject({ playedMs: 500, stalledMs: 1_500, stalls: 1 });
  });

  it('stands still from where it was when what was loaded is dropped', () => {
    const player = model();
    player.load(part(0, 10_000), 0);
    player.begin(EPOCH_MS, 0);
    player.drop(1_000);
    player.load(part(3_000, 1_000), 4_000);
    expect(player.totals(4_500)).toMatchObject({ playedMs: 1_500, stalledMs: 3_000, stalls: 1 });
  });

  it('accounts for every instant since it began, whatever arrives when', () => {
    const step = fc.record({
      afterMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 3_000, noNaN: true }),
      isDropped: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.array(step, { maxLength: 40 }),
        (startMs, steps) => {
          const player = model();
          player.load(part(startMs), startMs);
          player.begin(EPOCH_MS + startMs, startMs);
          let nowMs = startMs;
          let loadedMs = 320;
          for (const { afterMs, durationMs, isDropped } of steps) {
            nowMs += afterMs;
            if (isDropped) player.drop(nowMs);
            player.load(part(nowMs, durationMs), nowMs);
            loadedMs += durationMs;
          }
          const { playedMs, stalledMs, stalls, delaysMs } = player.totals(nowMs);
          const sinceMs = nowMs - startMs;
          expect(playedMs).toBeLessThanOrEqual(Math.min(loadedMs, sinceMs) + 1e-3);
          expect(playedMs + stalledMs).toBeLessThanOrEqual(sinceMs + 1e-3);
          // Only interruptions that are too short to count are missing.
          expect(playedMs + stalledMs).toBeGreaterThanOrEqual(sinceMs - 100 * (steps.length + 1) - 1e-3);
          expect(stalledMs).toBeGreaterThanOrEqual(stalls * 100 - 1e-3);
          expect(Math.abs(delaysMs.length - sinceMs / 1_000)).toBeLessThanOrEqual(1);
        },
      ),
      randomRuns(300),
    );
  });
});
