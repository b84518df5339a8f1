import './page-address-fixture.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingCells } from '../wall-layout.ts';
import { type Arrangement, arrange, screensOf, type WallLayout } from './wall-screens.ts';

const DESKTOP = { widthPx: 1_440, heightPx: 852 };
const PHONE = { widthPx: 390, heightPx: 790 };
const uuids = (count: number) => Array.from({ length: count }, (_, i) => `camera ${i + 1}`);
const layout = (kind: WallLayout['kind'], cells: WallLayout['cells'] = []): WallLayout => ({
  kind,
  cells,
  tourSec: 0,
});

/** Pairs of tiles that cover each other, and tiles that reach beyond the area. */
function faults({ tiles }: Arrangement): string[] {
  const slack = 1e-9;
  return tiles.flatMap((a, i) => [
    ...(a.x + a.width > 1 + slack || a.y + a.height > 1 + slack ? [`${a.cameraUuid} reaches beyond`] : []),
    ...tiles
      .slice(i + 1)
      .filter(
        (b) =>
          a.x + a.width > b.x + slack &&
          b.x + b.width > a.x + slack &&
          a.y + a.height > b.y + slack &&
          b.y + b.height > a.y + slack,
      )
      .map((b) => `${a.cameraUuid} covers ${b.cameraUuid}`),
  ]);
}

describe('the pages of a wall', () => {
  it.each([
    ['AUTOMATIC', 9, [9]],
    ['AUTOMATIC', 20, [16, 4]],
    ['ONE_PLUS_FIVE', 13, [6, 6, 1]],
    ['TWO_BY_TWO', 4, [4]],
    ['TWO_BY_TWO', 9, [4, 4, 1]],
    ['THREE_BY_THREE', 10, [9, 1]],
    ['FOUR_BY_FOUR', 16, [16]],
    ['FREE', 3, [3]],
    ['AUTOMATIC', 0, []],
  ] as const)('of %s with %i cameras have %j', (kind, count, sizes) => {
    const screens = screensOf('Lobby', uuids(count), layout(kind));
    expect(screens.map(({ cameraUuids }) => cameraUuids.length)).toEqual(sizes);
    expect(screens.flatMap(({ cameraUuids }) => cameraUuids)).toEqual(uuids(count));
  });

  it('of a free layout begin with the cells, and show cameras without one on the next', () => {
    const cell = { cameraUuid: 'camera 2', x: 3, y: 0, width: 6, height: 12 };
    const gone = { cameraUuid: 'removed', x: 0, y: 0, width: 3, height: 3 };
    const screens = screensOf('Lobby', uuids(3), layout('FREE', [gone, cell]));
    expect(screens).toEqual([
      {
        title: 'Lobby',
        cameraUuids: ['camera 2'],
        cells: [{ x: 0.25, y: 0, width: 0.5, height: 1 }],
      },
      { title: 'Lobby', cameraUuids: ['camera 1', 'camera 3'], cells: null },
    ]);
  });
});

describe('cameras on the screen', () => {
  const kinds = ['AUTOMATIC', 'ONE_PLUS_FIVE', 'TWO_BY_TWO', 'THREE_BY_THREE', 'FOUR_BY_FOUR'] as const;

  it('never cover each other, and are all there, in any layout, area, and with any camera forward', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 320, max: 3_000 }),
        fc.integer({ min: 200, max: 2_000 }),
        fc.option(fc.integer({ min: 0, max: 16 })),
        (kind, count, widthPx, heightPx, at) => {
          for (const screen of screensOf('', uuids(count), layout(kind))) {
            // The one after the last is the camera of an alert that is not on this page.
            const large = at === null ? null : (screen.cameraUuids[at] ?? 'another');
            const forward = large === null ? null : ({ cameraUuid: large, kind: 'large' } as const);
            const arrangement = arrange(screen, { widthPx, heightPx }, forward);
            expect(faults(arrangement)).toEqual([]);
            const shown = new Set(arrangement.tiles.map(({ cameraUuid }) => cameraUuid));
            expect(shown).toEqual(new Set([...(large === null ? [] : [large]), ...screen.cameraUuids]));
          }
        },
      ),
    );
  });

  it('are in one column on a phone, or in two if there are many, and the page scrolls', () => {
    const [few] = screensOf('', uuids(3), layout('THREE_BY_THREE'));
    expect(new Set(arrange(few!, PHONE, null).tiles.map(({ x }) => x))).toEqual(new Set([0]));
    const [many] = screensOf('', uuids(16), layout('ONE_PLUS_FIVE'));
    const { tiles } = arrange(many!, PHONE, null);
    expect(new Set(tiles.map(({ x }) => x))).toEqual(new Set([0, 0.5]));
    const [all] = screensOf('', uuids(16), layout('AUTOMATIC'));
    expect(arrange(all!, PHONE, null).heightPx).toBeGreaterThan(PHONE.heightPx);
  });

  it('leave the screen to one that is alone', () => {
    const [screen] = screensOf('', uuids(9), layout('AUTOMATIC'));
    expect(arrange(screen!, DESKTOP, { cameraUuid: 'camera 4', kind: 'alone' }).tiles).toEqual([
      { cameraUuid: 'camera 4', x: 0, y: 0, width: 1, height: 1, isLarge: true },
    ]);
  });

  it('play the main stream where they are large', () => {
    const [screen] = screensOf('', uuids(6), layout('ONE_PLUS_FIVE'));
    const { tiles } = arrange(screen!, DESKTOP, null);
    expect(tiles.map(({ isLarge }) => isLarge)).toEqual([true, false, false, false, false, false]);
  });

  it('fit as a square of nine', () => {
    expect(fittingCells(9, DESKTOP)[4]).toEqual({ x: 1 / 3, y: 1 / 3, width: 1 / 3, height: 1 / 3 });
  });
});
