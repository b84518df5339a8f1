import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  degreesOf,
  fitted,
  grouped,
  type MapView,
  panned,
  parsedDegrees,
  screenOf,
  tilesIn,
  worldAt,
  worldOf,
  zoomed,
} from './map-geometry.ts';

const AREA = { widthPx: 800, heightPx: 600 };
const BERLIN = { latitude: 52.52, longitude: 13.405 };
const TEMPLATE = 'https://tiles.example/{z}/{x}/{y}.png';
const view = (zoom: number, place = BERLIN): MapView => ({ center: worldOf(place), zoom });

const PLACES = fc.record({
  latitude: fc.double({ min: -85, max: 85, noNaN: true }),
  longitude: fc.double({ min: -180, max: 179.999, noNaN: true }),
});

describe('the projection', () => {
  it('has Berlin on the tile that map servers have it on', () => {
    const { x, y } = worldOf(BERLIN);
    expect([Math.floor(x * 2 ** 12), Math.floor(y * 2 ** 12)]).toEqual([2_200, 1_343]);
    expect(worldOf({ latitude: 0, longitude: 0 })).toEqual({ x: 0.5, y: 0.5 });
  });

  it('leads back to the same place', () => {
    fc.assert(
      fc.property(PLACES, (place) => {
        const back = degreesOf(worldOf(place));
        expect(back.latitude).toBeCloseTo(place.latitude, 5);
        expect(back.longitude).toBeCloseTo(place.longitude, 5);
      }),
    );
  });

  it('is that of the screen, and back', () => {
    fc.assert(
      fc.property(PLACES, fc.integer({ min: 1, max: 19 }), (place, zoom) => {
        const at = screenOf(worldOf(BERLIN), view(zoom, place), AREA);
        const { latitude, longitude } = degreesOf(worldAt(at, view(zoom, place), AREA));
        expect(latitude).toBeCloseTo(BERLIN.latitude, 3);
        expect(longitude).toBeCloseTo(BERLIN.longitude, 3);
      }),
    );
  });

  it('shows a place beyond the date line next to one before it', () => {
    const fiji = { latitude: -17, longitude: 179.9 };
    const { xPx } = screenOf(worldOf({ latitude: -17, longitude: -179.9 }), view(8, fiji), AREA);
    expect(xPx).toBeGreaterThan(AREA.widthPx / 2);
    expect(xPx).toBeLessThan(AREA.widthPx);
  });
});

describe('tiles', () => {
  it('cover the screen, each once, and no other is requested', () => {
    fc.assert(
      fc.property(PLACES, fc.integer({ min: 3, max: 19 }), (place, zoom) => {
        const tiles = tilesIn(view(zoom, place), AREA, TEMPLATE);
        expect(tiles.length).toBeLessThanOrEqual(5 * 4);
        expect(new Set(tiles.map(({ xPx, yPx }) => `${xPx} ${yPx}`)).size).toBe(tiles.length);
        for (const { xPx, yPx, url } of tiles) {
          expect(xPx > -257 && xPx <= AREA.widthPx && yPx > -257 && yPx <= AREA.heightPx).toBe(true);
          const [z, x, y] = /(\d+)\/(\d+)\/(\d+)\.png$/.exec(url)!.slice(1).map(Number);
          expect(z).toBe(zoom);
          expect(Math.max(x!, y!)).toBeLessThan(2 ** zoom);
        }
      }),
    );
  });

  it('end at the poles, and repeat around the world', () => {
    const tiles = tilesIn({ center: { x: 0, y: 0.5 }, zoom: 1 }, AREA, TEMPLATE);
    expect(new Set(tiles.map(({ url }) => url)).size).toBe(4);
    expect(tiles.length).toBeGreaterThan(4);
  });
});

describe('moving', () => {
  it('keeps what is under the pointer while zooming', () => {
    const at = { xPx: 650, yPx: 120 };
    const before = degreesOf(worldAt(at, view(10), AREA));
    const after = degreesOf(worldAt(at, zoomed(view(10), 2, at, AREA, 19), AREA));
    expect(after.latitude).toBeCloseTo(before.latitude, 5);
    expect(after.longitude).toBeCloseTo(before.longitude, 5);
  });

  it('ends at the largest zoom, and at the poles', () => {
    expect(zoomed(view(18), 5, { xPx: 0, yPx: 0 }, AREA, 19).zoom).toBe(19);
    expect(panned(view(2), 0, 1e6).center.y).toBe(0);
    expect(panned(view(2), -1e4, 0).center.x).toBeLessThan(1);
  });

  it('begins with all places on the screen, a single one with the streets around it', () => {
    const places = [BERLIN, { latitude: 48.137, longitude: 11.575 }, { latitude: 53.55, longitude: 9.99 }];
    const fit = fitted(places, AREA, 19);
    for (const place of places) {
      const { xPx, yPx } = screenOf(worldOf(place), fit, AREA);
      expect(xPx > 0 && xPx < AREA.widthPx && yPx > 0 && yPx < AREA.heightPx).toBe(true);
    }
    expect(fitted([BERLIN], AREA, 19).zoom).toBe(15);
    expect(fitted([BERLIN], AREA, 12).zoom).toBe(12);
    expect(fitted([], AREA, 19).zoom).toBe(2);
  });
});

test('marks that would cover each other are one group', () => {
  const at = (xPx: number) => ({ xPx, yPx: 0 });
  const groups = grouped([0, 10, 100, 105, 300], at, 40);
  expect(groups.map(({ items }) => items)).toEqual([[0, 10], [100, 105], [300]]);
});

test.each([
  ['52.52, 13.405', { latitude: 52.52, longitude: 13.405 }],
  [' -33.9° 151.2° ', { latitude: -33.9, longitude: 151.2 }],
  ['91, 0', null],
  ['0, 181', null],
  ['Berlin', null],
  ['52.52', null],
])('reads %j', (text, degrees) => expect(parsedDegrees(text)).toEqual(degrees));
