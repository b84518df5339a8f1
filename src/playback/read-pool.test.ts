import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, ReadPool } from './read-pool.ts';

describe('ReadPool', () => {
  it('gives places that do not overlap, until none is left', () => {
    const pool = new ReadPool(8 * BLOCK_BYTES);
    const places = Array.from({ length: 9 }, () => pool.take(BLOCK_BYTES));
    expect(places.map((place) => (place === null ? null : place.offset / BLOCK_BYTES))).toEqual([
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      null,
    ]);
    places[3]!.release();
    places[3]!.release();
    expect(pool.take(BLOCK_BYTES)?.offset).toBe(3 * BLOCK_BYTES);
    expect(pool.take(1)).toBeNull();
  });

  it('finds a place between others for what needs several blocks', () => {
    const pool = new ReadPool(8 * BLOCK_BYTES);
    const places = Array.from({ length: 8 }, () => pool.take(BLOCK_BYTES)!);
    places[2]!.release();
    places[4]!.release();
    expect(pool.take(BLOCK_BYTES + 1)).toBeNull();
    places[5]!.release();
    const place = pool.take(BLOCK_BYTES + 1)!;
    expect([place.offset, place.bytes.length]).toEqual([4 * BLOCK_BYTES, BLOCK_BYTES + 1]);
    expect(place.bytes.buffer).toBe(pool.memory);
  });

  it('has no place for nothing, and none for what would fill it', () => {
    const pool = new ReadPool(8 * BLOCK_BYTES);
    expect(pool.take(0)).toBeNull();
    expect(pool.take(2 * BLOCK_BYTES + 1)).toBeNull();
    expect(pool.take(2 * BLOCK_BYTES)).not.toBeNull();
  });
});
