import { describe, expect, it } from 'vitest';
import { delayText } from '../../web/delay-text.ts';
import type { Refusal } from '../../web/open.ts';
import { hasClock, isAlarming, type TileReading, tileText, wallSummary } from '../../web/tile-text.ts';
import { wallGrid } from '../../web/wall-grid.ts';

const NOW_MS = new Date(2026, 0, 1, 12).getTime();
const LIVE: TileReading = {
  loss: null,
  refusal: null,
  message: '',
  isBlocked: false,
  isPast: false,
  frozenMs: 0,
  behindSec: 0.1,
  ageSec: 0.2,
  lastPictureEpochMs: NOW_MS - 200,
  offlineSinceEpochMs: null,
  nowEpochMs: NOW_MS,
};

const hidden = (untilEpochMs: number | null): Refusal => ({
  reason: 'hidden-by-schedule',
  untilEpochMs,
  retryAfterSec: null,
});

describe('a tile', () => {
  it.each<[what: string, change: Partial<TileReading>, state: string, badge: string]>([
    ['frames that come', {}, 'live', 'Live'],
    ['no frame yet', { frozenMs: null, behindSec: null, ageSec: null }, 'loading', 'Connecting'],
    ['frames that come late', { behindSec: 2.5, ageSec: 3 }, 'behind', 'Behind'],
    ['no frame for a while', { frozenMs: 2_100, ageSec: 2.1 }, 'frozen', 'Frozen'],
    ['an offline camera', { loss: 'camera-offline', ageSec: 60 }, 'lost', 'Offline'],
    [
      'an offline camera of which no frame came',
      { frozenMs: null, offlineSinceEpochMs: NOW_MS },
      'lost',
      'Offline',
    ],
    ['a lost stream', { loss: 'stalled' }, 'lost', 'No video'],
    ['a codec that the browser does not know', { loss: 'unplayable' }, 'lost', 'No video'],
    ['a browser that wants a tap', { isBlocked: true }, 'blocked', 'Paused'],
    ['a schedule', { refusal: hidden(null), loss: 'stalled' }, 'empty', 'Off'],
    ['the past, whatever is live', { isPast: true, loss: 'camera-offline' }, 'past', 'Recorded'],
    ['only sound', { refusal: { ...hidden(null), reason: 'sound-only' } }, 'no-picture', 'No picture'],
    ['a full share', { refusal: { ...hidden(null), reason: 'viewer-limit' } }, 'loading', 'Waiting'],
  ])('says what there is: %s', (_what, change, state, badge) => {
    expect(tileText({ ...LIVE, ...change })).toMatchObject({ state, badge });
  });

  it('is red only if its picture stands, and never shows a picture without its age', () => {
    expect(
      ['live', 'behind', 'loading', 'blocked', 'empty', 'no-picture', 'frozen', 'lost'].filter((state) =>
        isAlarming(state as 'live'),
      ),
    ).toEqual(['frozen', 'lost']);
    expect(tileText({ ...LIVE, loss: 'camera-offline', ageSec: 75 }).delay).toBe('75 s');
    expect(tileText({ ...LIVE, frozenMs: 3_000, ageSec: 3.04 }).delay).toBe('3.0 s');
  });

  it('says since when a camera is offline, as the gateway knows it, and when its last frame was taken', () => {
    const loss = { loss: 'camera-offline' as const, lastPictureEpochMs: NOW_MS - 61_000 };
    const since = tileText({ ...LIVE, ...loss, offlineSinceEpochMs: NOW_MS - 60_000 });
    expect(since.title).toMatch(/^Offline since (?:11:59|11:59\sAM)$/);
    expect(since.text).toMatch(/^Last picture 11:58:59/);
    expect(since.spoken).toBe(since.title);
    const yesterday = tileText({ ...LIVE, ...loss, offlineSinceEpochMs: NOW_MS - 86_400_000 });
    expect(yesterday.title).toMatch(/^Offline since .*Dec/);
    // A page that does not know it says nothing about it.
    expect(tileText({ ...LIVE, ...loss }).title).toBe('The camera is offline');
    expect(tileText({ ...LIVE, loss: 'camera-offline', lastPictureEpochMs: null }).text).toBe('');
    // What the gateway found a moment ago does not speak against frames that come.
    expect(tileText({ ...LIVE, offlineSinceEpochMs: NOW_MS }).state).toBe('live');
  });

  it('has a clock only while the frame on the screen is the newest one, or of a recording', () => {
    const states = ['live', 'behind', 'past', 'loading', 'blocked', 'empty', 'no-picture', 'frozen', 'lost'];
    expect(states.filter((state) => hasClock(state as 'live'))).toEqual(['live', 'behind', 'past']);
  });

  it('says when a hidden camera is back, or what its owner wrote', () => {
    const back = tileText({ ...LIVE, refusal: hidden(NOW_MS + 3_600_000) }).text;
    expect(back).toMatch(/^Back at (?:13:00|1:00\sPM)\.$/);
    expect(tileText({ ...LIVE, refusal: hidden(NOW_MS + 30 * 3_600_000) }).text).toMatch(/Jan/);
    expect(tileText({ ...LIVE, refusal: hidden(NOW_MS + 1), message: 'Off shift.' }).text).toBe('Off shift.');
  });

  it('tells screen readers nothing that counts', () => {
    for (const ageSec of [3, 4, 5]) {
      const text = tileText({ ...LIVE, frozenMs: ageSec * 1_000, ageSec });
      expect(text.spoken).toBe('The video is frozen');
    }
  });
});

describe('the age of a picture', () => {
  it.each([
    [-0.3, '<0.1 s'],
    [0.04, '<0.1 s'],
    [0.1, '0.1 s'],
    [9.9, '9.9 s'],
    [9.96, '10 s'],
    [99, '99 s'],
    [120, '2 min'],
    [7_200, '2 h'],
  ])('of %f s is %s', (sec, text) => {
    expect(delayText(sec)).toBe(text);
  });
});

it('the header counts cameras, and those without live video', () => {
  expect(wallSummary(['live'])).toBe('1 camera');
  expect(wallSummary(['live', 'empty', 'frozen', 'lost'])).toBe('4 cameras, 2 without live video');
  expect(wallSummary(['lost', 'lost'], 64_000)).toBe(
    '2 cameras, 2 without live video. No answer for 1 min 4 s',
  );
});

describe('the grid', () => {
  it.each([
    [1, 1920, 1030, { columns: 1, rows: 1 }],
    [4, 1920, 1030, { columns: 2, rows: 2 }],
    [9, 1920, 1030, { columns: 3, rows: 3 }],
    [16, 1920, 1030, { columns: 4, rows: 4 }],
    [6, 1920, 1030, { columns: 3, rows: 2 }],
    [2, 600, 1000, { columns: 1, rows: 2 }],
    [0, 1280, 700, { columns: 1, rows: 1 }],
    // A phone held upright scrolls, and so does anything on which tiles would be stamps.
    [16, 390, 800, { columns: 1, rows: null }],
    [16, 800, 300, { columns: 4, rows: null }],
  ])('of %i tiles on %i × %i', (tiles, widthPx, heightPx, grid) => {
    expect(wallGrid(tiles, widthPx, heightPx)).toEqual(grid);
  });
});
