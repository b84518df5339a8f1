import { describe, expect, test } from 'vitest';
import { dragged, isZoomed, MAX_SCALE, transformOf, WHOLE, type Zoom, zoomedBy } from './camera-zoom.ts';

/** The place of the picture at a place of the stage. */
function seenAt({ scale, x, y }: Zoom, atX: number, atY: number): readonly number[] {
  return [x + (atX - 0.5) / scale, y + (atY - 0.5) / scale];
}

describe('digital zoom', () => {
  test.each([
    [0.5, 0.5],
    [0.25, 0.75],
    [0, 1],
  ])('keeps what is under the pointer at %s, %s', (atX, atY) => {
    const before = seenAt(WHOLE, atX, atY);
    const close = zoomedBy(WHOLE, 4, atX, atY);
    expect(close.scale).toBe(4);
    expect(seenAt(close, atX, atY)).toEqual(before.map((each) => expect.closeTo(each, 9)));
    const closer = zoomedBy(close, 1.5, 0.4, 0.6);
    const under = seenAt(close, 0.4, 0.6);
    expect(seenAt(closer, 0.4, 0.6)).toEqual(under.map((each) => expect.closeTo(each, 9)));
  });

  test('ends with the whole picture, and at eight times', () => {
    const close = zoomedBy(WHOLE, 100, 0.1, 0.1);
    expect(close.scale).toBe(MAX_SCALE);
    expect(isZoomed(close)).toBe(true);
    expect(zoomedBy(close, 0.001, 0.9, 0.9)).toEqual(WHOLE);
    expect(isZoomed(WHOLE)).toBe(false);
  });

  test('never shows what is beyond the picture', () => {
    for (const zoom of [dragged(zoomedBy(WHOLE, 2), 9, -9), zoomedBy(zoomedBy(WHOLE, 8, 0, 0), 0.2, 1, 1)]) {
      const [left, top] = seenAt(zoom, 0, 0);
      const [right, bottom] = seenAt(zoom, 1, 1);
      expect(Math.min(left!, top!)).toBeGreaterThanOrEqual(-1e-9);
      expect(Math.max(right!, bottom!)).toBeLessThanOrEqual(1 + 1e-9);
    }
    expect(dragged(WHOLE, 0.3, 0.3)).toEqual(WHOLE);
  });

  test('follows a finger', () => {
    const close = zoomedBy(WHOLE, 4);
    expect(dragged(close, 0.4, -0.4)).toEqual({ scale: 4, x: 0.4, y: 0.6 });
    expect(transformOf(WHOLE)).toBe('none');
    expect(transformOf({ scale: 2, x: 0.25, y: 0.75 })).toBe('scale(2) translate(25%, -25%)');
  });
});
