/** Frames that the tiles of a shared wall dropped, in all of them together. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Measured } from '../console.ts';
import { type LiveConsole, TILES } from './live-console.ts';

/** Frames that a player decodes, drops, or waits for while it starts are not counted. */
const WARM_UP_MS = 10_000;

interface Tile {
  readonly decoded: number;
  readonly dropped: number;
}

export async function measureWall({ browser, wallUrl }: LiveConsole, seconds: number): Promise<Measured> {
  const page = await browser.newPage();
  try {
    await page.goto(wallUrl);
    await page.waitForFunction(
      (tiles) =>
        [...document.querySelectorAll('video')].filter((each) => each.currentTime > 0).length >= tiles,
      TILES,
    );
    await pause(WARM_UP_MS);
    const before = await countFrames(page);
    await pause(seconds * 1_000);
    const after = await countFrames(page);
    // The page has one more, for the camera that someone enlarges.
    const played = after.map((tile, i) => ({
      decoded: tile.decoded - (before[i]?.decoded ?? 0),
      dropped: tile.dropped - (before[i]?.dropped ?? 0),
    }));
    const tiles = played.filter((_tile, i) => (before[i]?.decoded ?? 0) > 0);
    if (tiles.length < TILES) throw new Error(`only ${tiles.length} tiles play`);
    const sum = (field: keyof Tile) => tiles.reduce((total, tile) => total + tile[field], 0);
    const slowest = Math.min(...tiles.map(({ decoded }) => decoded / seconds));
    return {
      rows: [
        {
          case: `wall of ${TILES} tiles`,
          'frames/s': sum('decoded') / seconds,
          'slowest tile frames/s': slowest,
          'dropped frames': sum('dropped'),
        },
      ],
      figures: { wallDroppedFrames: sum('dropped'), wallSlowestTileFramesPerSec: slowest },
    };
  } finally {
    await page.close();
  }
}

function countFrames(page: Page): Promise<Tile[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('video')].map((video) => {
      const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
      return { decoded: totalVideoFrames, dropped: droppedVideoFrames };
    }),
  );
}
