import { describe, expect, it } from 'vitest';
import { type LiveReading, liveText } from '../../web/live-sign.ts';

const LIVE: LiveReading = { isPaused: false, behindSec: 0.2, frozenMs: 0 };

describe('the sign for live', () => {
  it.each<[what: string, change: Partial<LiveReading>, state: string, text: string]>([
    ['pictures that come, close to live', {}, 'live', 'Live'],
    ['jitter', { behindSec: 2.4 }, 'live', 'Live'],
    ['pictures that come late', { behindSec: 2.5 }, 'behind', '3 s behind'],
    ['minutes', { behindSec: 125 }, 'behind', '2 min 5 s behind'],
    ['hours', { behindSec: 3 * 3_600 + 725 }, 'behind', '3 h 12 min behind'],
    ['days', { behindSec: 6 * 86_400 + 9_000 }, 'behind', '6 d 2 h behind'],
    ['no picture for a while', { frozenMs: 4_200 }, 'frozen', 'Frozen 4 s'],
    ['no picture, and late', { frozenMs: 4_200, behindSec: 9 }, 'frozen', 'Frozen 4 s'],
    ['a pause', { isPaused: true }, 'paused', 'Paused'],
    ['a pause of a late picture', { isPaused: true, behindSec: 9, frozenMs: 9_000 }, 'paused', 'Paused'],
    ['a playlist without a picture', { frozenMs: null }, 'waiting', 'Live'],
    ['a picture without a playlist', { behindSec: null }, 'waiting', 'Live'],
    ['neither, paused', { behindSec: null, frozenMs: null, isPaused: true }, 'waiting', 'Live'],
  ])('for %s', (_what, change, state, text) => {
    expect(liveText({ ...LIVE, ...change })).toMatchObject({ state, text });
  });

  it.each([
    [5, '5 seconds'],
    [61, '1 minute 1 second'],
    [120, '2 minutes 0 seconds'],
  ])('tells screen readers how far %i s are, in whole words', (behindSec, time) => {
    expect(liveText({ ...LIVE, behindSec }).label).toBe(`${time} behind live. Go to live`);
  });

  it('says "live" aloud only of a live picture, and counts nothing aloud', () => {
    for (const frozenMs of [null, 0, 4_000]) {
      for (const behindSec of [null, 0, 5]) {
        for (const isPaused of [true, false]) {
          const { state, announcement, label } = liveText({ frozenMs, behindSec, isPaused });
          expect([label === 'Playing live', announcement === 'Playing live video']).toEqual([
            state === 'live',
            state === 'live',
          ]);
          expect(announcement).not.toMatch(/\d/);
        }
      }
    }
  });
});
