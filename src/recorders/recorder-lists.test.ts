import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { NOW_MS, testChannel, testClock } from './archive-fixture.ts';
import { RECORDER_ERRORS } from './errors.ts';
import type { ArchiveSpan } from './recorder-archive.ts';
import { RecorderLists } from './recorder-lists.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function archive(spans: readonly ArchiveSpan[] = []) {
  const days: number[] = [];
  return {
    days,
    list: async (fromMs: number) => {
      days.push(fromMs);
      return spans;
    },
  };
}

describe('the list of a recorder', () => {
  it('is read by day, kept, and cut to the range', async () => {
    const lists = new RecorderLists(testClock());
    const channel = testChannel('onvif');
    const of = archive([{ fromMs: NOW_MS - 30 * HOUR_MS, toMs: NOW_MS - HOUR_MS }]);
    const range = [NOW_MS - 26 * HOUR_MS, NOW_MS - 2 * HOUR_MS] as const;
    expect(await lists.get(channel, of, ...range)).toEqual([{ fromMs: range[0], toMs: range[1] }]);
    expect(of.days).toHaveLength(2);
    await lists.get(channel, of, ...range);
    expect(of.days).toHaveLength(2);
  });

  it('of today is read again soon, because it grows', async () => {
    const clock = testClock();
    const lists = new RecorderLists(clock);
    const channel = testChannel('onvif');
    const of = archive();
    await lists.get(channel, of, NOW_MS - 30 * HOUR_MS, NOW_MS);
    clock.advance(60_000);
    await lists.get(channel, of, NOW_MS - 30 * HOUR_MS, NOW_MS);
    expect(of.days.map((day) => (NOW_MS - day) / HOUR_MS)).toEqual([36, 12, 12]);
  });

  it('asks nothing about the future', async () => {
    const of = archive();
    await new RecorderLists(testClock()).get(testChannel('onvif'), of, NOW_MS + DAY_MS, NOW_MS + 2 * DAY_MS);
    expect(of.days).toEqual([]);
  });

  it('is made by few requests at the same time, however many cameras there are', async () => {
    const lists = new RecorderLists(testClock());
    const first = testChannel('onvif');
    const channels = Array.from({ length: 8 }, () =>
      testChannel('onvif', { recorderUuid: first.recorder.uuid, orgUuid: first.orgUuid }),
    );
    const waiting: (() => void)[] = [];
    const of = { list: () => new Promise<ArchiveSpan[]>((resolve) => waiting.push(() => resolve([]))) };
    const all = Promise.all(channels.map((channel) => lists.get(channel, of, NOW_MS - HOUR_MS, NOW_MS)));
    await eventually('the first', () => waiting.length > 0);
    expect(waiting).toHaveLength(4);
    let resolved = 0;
    await eventually('all', () => {
      while (resolved < waiting.length) waiting[resolved++]!();
      return resolved === channels.length;
    });
    await all;
  });

  it('of many cameras fails soon if their recorder does not respond', async () => {
    const lists = new RecorderLists(testClock());
    const first = testChannel('onvif');
    const channels = Array.from({ length: 8 }, () =>
      testChannel('onvif', { recorderUuid: first.recorder.uuid }),
    );
    let calls = 0;
    const of = {
      list: async () => {
        calls++;
        throw new GatewayError(RECORDER_ERRORS.RECORDER_UNREACHABLE, {});
      },
    };
    for (const channel of channels) {
      await expect(lists.get(channel, of, NOW_MS - HOUR_MS, NOW_MS)).rejects.toMatchObject({
        code: 'RECORDER_UNREACHABLE',
      });
    }
    expect(calls).toBe(1);
  });

  it('of an organization that looks at many days does not push out that of another', async () => {
    const lists = new RecorderLists(testClock());
    const [greedy, other] = [testChannel('onvif'), testChannel('onvif')] as const;
    const [ofGreedy, ofOther] = [archive(), archive()];
    await lists.get(other, ofOther, NOW_MS - 48 * HOUR_MS, NOW_MS - 30 * HOUR_MS);
    const before = ofOther.days.length;
    for (let day = 0; day < LIMITS.recorderLists.total + 10; day++) {
      await lists.get(greedy, ofGreedy, NOW_MS - (day + 2) * DAY_MS, NOW_MS - (day + 2) * DAY_MS + 1);
    }
    await lists.get(other, ofOther, NOW_MS - 48 * HOUR_MS, NOW_MS - 30 * HOUR_MS);
    expect(ofOther.days).toHaveLength(before);
  });
});
