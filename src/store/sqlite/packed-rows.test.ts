import { describe, expect, it } from 'vitest';
import { STEPS_PER_SLICE } from '../../core/sliced-work.ts';
import { packRows, unpackRows } from './packed-rows.ts';

const rowsOf = (count: number, text = '') => Array.from({ length: count }, (_, id) => [id, text, null, -0.5]);

describe('packed rows', () => {
  it.each([0, 1, STEPS_PER_SLICE])('are not created for %i rows', (count) => {
    expect(packRows(rowsOf(count))).toBeNull();
  });

  it.each([STEPS_PER_SLICE + 1, 10 * STEPS_PER_SLICE, 1_000])('return %i rows unchanged, twice', (count) => {
    const rows = rowsOf(count, 'Ä "x"\u{1f3a5}');
    const packed = packRows(rows)!;
    expect(packed.rowCount).toBe(count);
    expect(packed.ends).toHaveLength(Math.ceil(count / STEPS_PER_SLICE));
    expect([...unpackRows(packed)]).toEqual(rows);
    expect([...unpackRows(packed)]).toEqual(rows);
  });

  it('are fewer per pack if they are long', () => {
    const rows = rowsOf(10, 'x'.repeat(100_000));
    const packed = packRows(rows)!;
    expect(packed.ends).toHaveLength(10);
    expect([...unpackRows(packed)]).toEqual(rows);
  });

  it('can be moved to another thread', () => {
    const packed = packRows(rowsOf(1_000))!;
    const moved = structuredClone(packed, { transfer: [packed.bytes.buffer] });
    expect(packed.bytes).toHaveLength(0);
    expect([...unpackRows(moved)]).toEqual(rowsOf(1_000));
  });
});
