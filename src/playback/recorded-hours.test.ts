import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordingSpan } from '../store/recording.ts';
import { HOUR_MS, LISTED_HOURS, RecordedHours } from './recorded-hours.ts';

const camera = newRuuid();
const HOUR = 500_000;
const ALWAYS = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];
const at = (hours: number) => (HOUR + hours) * HOUR_MS;

let clock: FakeClock;
let spans: RecordingSpan[];
let requested: [number, number][];
let failure: Error | null;
let hours: RecordedHours;

beforeEach(() => {
  clock = new FakeClock(at(100) + 1);
  spans = [];
  requested = [];
  failure = null;
  const media = {
    hours: async (_stream: unknown, fromMs: number, toMs: number) => {
      requested.push([fromMs, toMs]);
      if (failure !== null) throw failure;
      return spans;
    },
  };
  hours = new RecordedHours({ media, clock });
});

const runs = async (shown = ALWAYS) =>
  (await hours.runs(camera, shown)).map(({ hour, count }) => [hour - HOUR, count]);

describe('the hours in which a camera has something', () => {
  it('are those that a file reaches into, in order, joined', async () => {
    spans = [
      { startMs: at(5.5), endMs: at(6.2) },
      { startMs: at(1), endMs: at(2) },
      { startMs: at(2), endMs: at(2.5) },
      { startMs: at(1.2), endMs: at(1.3) },
    ];
    expect(await runs()).toEqual([
      [1, 2],
      [5, 2],
    ]);
  });

  it('are cut to what a viewer may see', async () => {
    spans = [{ startMs: at(1.5), endMs: at(6.5) }];
    expect(
      await runs([
        { fromMs: at(0), toMs: at(1.5) },
        { fromMs: at(2.5), toMs: at(3) },
        { fromMs: at(5.9), toMs: at(9) },
      ]),
    ).toEqual([
      [2, 1],
      [5, 2],
    ]);
    expect(await runs([])).toEqual([]);
  });

  it('reach from 400 days ago to the end of the hour that has begun', async () => {
    await runs();
    expect(requested).toEqual([[at(101 - LISTED_HOURS), at(101)]]);
    expect(hours.listed()).toEqual({ fromMs: at(101 - LISTED_HOURS), toMs: at(101) });
  });

  it('are read once for all who ask within 5 s, and again after a failure', async () => {
    await Promise.all([runs(), runs()]);
    expect(requested).toHaveLength(1);
    clock.advance(5_000);
    failure = new Error('store');
    await expect(runs()).rejects.toThrow('store');
    failure = null;
    await runs();
    expect(requested).toHaveLength(3);
  });
});
