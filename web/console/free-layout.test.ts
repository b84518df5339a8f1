import './page-address-fixture.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, type FreeCell, withCamera, withCell } from './free-layout.ts';

const uuids = (count: number) => Array.from({ length: count }, (_, i) => `camera ${i + 1}`);
const cell = (cameraUuid: string, x: number, y: number, width: number, height: number): FreeCell => ({
  cameraUuid,
  x,
  y,
  width,
  height,
});

/** What the gateway would refuse. */
function faults(cells: readonly FreeCell[]): string[] {
  return cells.flatMap((a, i) => [
    ...(a.x < 0 || a.y < 0 || a.x + a.width > 12 || a.y + a.height > 12 ? [`${a.cameraUuid} outside`] : []),
    ...(a.width < 1 || a.height < 1 ? [`${a.cameraUuid} empty`] : []),
    ...cells
      .slice(i + 1)
      .filter(
        (b) => a.x + a.width > b.x && b.x + b.width > a.x && a.y + a.height > b.y && b.y + b.height > a.y,
      )
      .map((b) => `${a.cameraUuid} on ${b.cameraUuid}`),
  ]);
}

describe('a free layout', () => {
  it('begins as the layout before it', () => {
    expect(cellsOf(uuids(6), 'ONE_PLUS_FIVE').slice(0, 2)).toEqual([
      cell('camera 1', 0, 0, 8, 8),
      cell('camera 2', 8, 0, 4, 4),
    ]);
    for (let count = 1; count <= 16; count++) {
      const cells = cellsOf(uuids(count), 'AUTOMATIC');
      expect([count, cells.length, faults(cells)]).toEqual([count, count, []]);
    }
  });

  it('moves and sizes a camera within the grid, and never onto another', () => {
    const cells = [cell('a', 0, 0, 6, 6), cell('b', 6, 0, 6, 6)];
    expect(withCell(cells, cell('a', 0, 6, 6, 6))[0]).toEqual(cell('a', 0, 6, 6, 6));
    expect(withCell(cells, cell('a', 1, 0, 6, 6))).toBe(cells);
    expect(withCell(cells, cell('a', -3, 20, 6, 6))[0]).toEqual(cell('a', 0, 6, 6, 6));
    expect(withCell(cells, cell('b', 6, 0, 0, 40))[1]).toEqual(cell('b', 6, 0, 2, 12));
  });

  it('gives a camera the largest room that is left', () => {
    expect(withCamera([cell('a', 0, 0, 8, 12)], 'b')?.[1]).toEqual(cell('b', 8, 0, 4, 4));
    expect(withCamera([cell('a', 0, 0, 12, 12)], 'b')).toBeNull();
  });

  it('is one that the gateway takes, whatever someone does with it', () => {
    const step = fc.record({
      cameraUuid: fc.constantFrom(...uuids(8)),
      x: fc.integer({ min: -20, max: 20 }),
      y: fc.integer({ min: -20, max: 20 }),
      width: fc.integer({ min: -5, max: 20 }),
      height: fc.integer({ min: -5, max: 20 }),
    });
    fc.assert(
      fc.property(
        fc.array(step),
        fc.constantFrom('AUTOMATIC', 'ONE_PLUS_FIVE', 'THREE_BY_THREE'),
        (steps, kind) => {
          let cells: readonly FreeCell[] = cellsOf(uuids(8), kind);
          for (const wanted of steps) {
            const isThere = cells.some(({ cameraUuid }) => cameraUuid === wanted.cameraUuid);
            cells = isThere ? withCell(cells, wanted) : (withCamera(cells, wanted.cameraUuid) ?? cells);
            expect(faults(cells)).toEqual([]);
          }
        },
      ),
    );
  });
});
