import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { PieceList, Pieces } from './pieces.ts';

const MAX_BLOCK_BYTES = 100_000;

const pieces = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b'),
    offset: fc.nat(500_000),
    byteLength: fc.integer({ min: 1, max: 200_000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

describe('blocks of pieces', () => {
  it('contain exactly the requested bytes, in order and bounded', () => {
    fc.assert(
      fc.property(pieces, fc.nat(), fc.nat(), (spans, a, b) => {
        const list = new PieceList();
        for (const span of spans) list.add(span);
        const whole = new Pieces(list.packed());
        expect(whole.byteLength).toBe(spans.reduce((sum, { byteLength }) => sum + byteLength, 0));
        const first = a % whole.byteLength;
        const end = first + 1 + (b % (whole.byteLength - first));
        // As positions in the files, run by run.
        const wanted: string[] = [];
        let start = 0;
        for (const { name, offset, byteLength } of spans) {
          const from = Math.max(first, start);
          const to = Math.min(end, start + byteLength);
          if (to > from) push(wanted, name, offset + from - start, to - from);
          start += byteLength;
        }
        const found: string[] = [];
        for (const block of whole.blocks(first, end, MAX_BLOCK_BYTES)) {
          expect(block.byteLength).toBeLessThanOrEqual(MAX_BLOCK_BYTES);
          for (const [offset, byteLength] of block.parts) {
            expect(offset + byteLength).toBeLessThanOrEqual(block.byteLength);
            push(found, block.name, block.offset + offset, byteLength);
          }
        }
        expect(found).toEqual(wanted);
      }),
      randomRuns(500),
    );
  });

  it('join what lies close together in a file', () => {
    const list = new PieceList();
    list.add({ name: 'a', offset: 0, byteLength: 10 });
    list.add({ name: 'a', offset: 10, byteLength: 5 });
    list.add({ name: 'a', offset: 1_000, byteLength: 10 });
    list.add({ name: 'b', offset: 1_010, byteLength: 10 });
    const whole = new Pieces(list.packed());
    expect(whole.count).toBe(3);
    expect([...whole.blocks(0, 35, 4_096)]).toEqual([
      {
        name: 'a',
        offset: 0,
        byteLength: 1_010,
        parts: [
          [0, 15],
          [1_000, 10],
        ],
      },
      { name: 'b', offset: 1_010, byteLength: 10, parts: [[0, 10]] },
    ]);
  });
});

/** Runs that follow each other are one. */
function push(runs: string[], name: string, offset: number, byteLength: number): void {
  const last = runs.at(-1)?.split(' ');
  if (last?.[0] === name && Number(last[1]) + Number(last[2]) === offset) {
    runs[runs.length - 1] = `${name} ${last[1]} ${Number(last[2]) + byteLength}`;
  } else runs.push(`${name} ${offset} ${byteLength}`);
}
