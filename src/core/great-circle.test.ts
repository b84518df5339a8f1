import { describe, expect, it } from 'vitest';
import { greatCircleM } from './great-circle.ts';

const at = (latitude: number, longitude: number) => ({ latitude, longitude });

describe('greatCircleM', () => {
  it.each([
    ['nowhere', at(52, 13), at(52, 13), 0],
    ['a quarter of the equator', at(0, 0), at(0, 90), 10_007_557],
    ['pole to pole', at(90, 0), at(-90, 77), 20_015_114],
    ['to the other side', at(0, 0), at(0, 180), 20_015_114],
    ['Berlin to New York', at(52.52, 13.405), at(40.7128, -74.006), 6_385_000],
    ['across the date line', at(0, 179.5), at(0, -179.5), 111_195],
  ])('%s', (_name, a, b, wantedM) => {
    expect(Math.abs(greatCircleM(a, b) - wantedM)).toBeLessThanOrEqual(wantedM * 0.001 + 1);
    expect(greatCircleM(b, a)).toBeCloseTo(greatCircleM(a, b), 3);
  });
});
