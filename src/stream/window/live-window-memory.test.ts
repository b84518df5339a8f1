import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { LentMedia } from '../media/live-media.ts';
import { MAX_OVERDUE_MS } from './live-segment.ts';
import { bytesOf, LiveWindowBench, lent } from './live-window-fixture.ts';

describe('memory', () => {
  it('of unborrowed media is freed as soon as it is forgotten', () => {
    const bench = new LiveWindowBench().segments(3);
    const loans = [lent(bench.window.part(0, 0)), lent(bench.window.segment(2))];
    const bytes = loans.map((loan) => loan.bytes);
    for (const loan of loans) loan.release();
    bench.segments(15);
    expect(bytes.map(({ length }) => length)).toEqual([100, 600]);
    bench.segments(6);
    expect(bytes.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('of borrowed media stays until the last loan ends', () => {
    const bench = new LiveWindowBench().segments(1);
    const [first, second] = [lent(bench.window.part(0, 0)), lent(bench.window.part(0, 0))];
    const { bytes } = first;
    bench.segments(24);
    expect(bench.window.part(0, 0)).toBe('unknown');
    first.release();
    expect([bytes.length, second.bytes]).toEqual([100, bytes]);
    second.release();
    expect(bytes).toHaveLength(0);
  });

  it('of parts that were joined is freed then, or when their loans end', () => {
    const bench = new LiveWindowBench().segments(2);
    const [before, onLoan] = [lent(bench.window.part(0, 0)), lent(bench.window.part(1, 0))];
    const bytes = [before.bytes, onLoan.bytes];
    before.release();
    lent(bench.window.segment(0)).release();
    lent(bench.window.segment(1)).release();
    expect(bytes.map(({ length }) => length)).toEqual([0, 100]);
    onLoan.release();
    expect(bytes[1]).toHaveLength(0);
    expect(bytesOf(bench.window.part(1, 0))).toHaveLength(100);
  });

  it('that is still on loan some time after it was forgotten is recalled', () => {
    const bench = new LiveWindowBench().segments(1);
    const loan = lent(bench.window.part(0, 0));
    const isRecalled = () => loan.isRecalled(bench.clock.monoMs());
    bench.clock.advance(3_600_000);
    expect(isRecalled()).toBe(false);
    bench.segments(24);
    expect([isRecalled(), bench.window.overdueBytes]).toEqual([false, 600]);
    bench.clock.advance(MAX_OVERDUE_MS - 1);
    expect(isRecalled()).toBe(false);
    bench.clock.advance(1);
    expect(isRecalled()).toBe(true);
    loan.release();
    expect([loan.bytes.length, bench.window.overdueBytes]).toEqual([0, 0]);
  });

  it('on loan from many forgotten segments is recalled immediately, the oldest first', () => {
    // Room for 16 segments, and for four that are overdue.
    const bench = new LiveWindowBench({ maxWindowBytes: 9_600 });
    const loans: LentMedia[] = [];
    for (let msn = 0; msn < 30; msn++) {
      bench.segment();
      loans.push(lent(bench.window.part(msn, 0)));
    }
    const recalled = loans.filter((loan) => loan.isRecalled(bench.clock.monoMs()));
    expect(recalled).toEqual(loans.slice(0, 10));
    for (const loan of recalled) loan.release();
    bench.segment();
    expect(bench.window.overdueBytes).toBe(5 * 600);
    expect(loans[10]!.isRecalled(bench.clock.monoMs())).toBe(true);
    expect(loans[11]!.isRecalled(bench.clock.monoMs())).toBe(false);
  });

  it('is freed when the stream is closed, or when it is recalled afterwards', () => {
    const bench = new LiveWindowBench().segments(3);
    const [before, onLoan] = [lent(bench.window.segment(0)), lent(bench.window.segment(1))];
    const { bytes } = before;
    before.release();
    bench.window.close();
    expect([bytes.length, onLoan.bytes.length, bench.window.byteLength]).toEqual([0, 600, 0]);
    bench.clock.advance(MAX_OVERDUE_MS);
    expect(onLoan.isRecalled(bench.clock.monoMs())).toBe(true);
    onLoan.release();
    expect(onLoan.bytes).toHaveLength(0);
  });

  it('is not mixed up, in any order of lending, returning and forgetting', () => {
    const step = fc.record({
      action: fc.constantFrom('segment', 'part', 'whole', 'release'),
      age: fc.nat(20),
      index: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const bench = new LiveWindowBench();
        const loans: { media: LentMedia; expected: Buffer }[] = [];
        let segments = 0;
        for (const { action, age, index } of steps) {
          const msn = segments - 1 - age;
          const part = (at: number) => Buffer.alloc(100, msn * 6 + at);
          if (action === 'segment') {
            bench.segment();
            segments++;
          } else if (action === 'release') loans.splice(index, 1)[0]?.media.release();
          else {
            const media = action === 'part' ? bench.window.part(msn, index) : bench.window.segment(msn);
            const expected = action === 'part' ? part(index) : Buffer.concat([0, 1, 2, 3, 4, 5].map(part));
            if (media !== null && typeof media !== 'string') loans.push({ media, expected });
            else expect(msn < 0 || age > 16).toBe(true);
          }
          for (const { media, expected } of loans) expect(media.bytes.equals(expected)).toBe(true);
        }
      }),
      randomRuns(500),
    );
  });

  it('gives back the rest of a segment that was open when the numbers jumped, and begins with the next one', () => {
    const before = mediaBlockBytes().used;
    const bench = new LiveWindowBench();
    bench.part({ isSegmentStart: true }).part();
    bench.window.restart({ ...bench.numbering, nextMediaSequenceNumber: 1_000 });
    const { byteLength } = bench.window;
    bench.part().part({ isSegmentEnd: true });
    expect(bench.window.byteLength).toBe(byteLength);
    bench.segment();
    expect(bench.numbering.nextMediaSequenceNumber).toBe(1_001);
    bench.window.close();
    expect(mediaBlockBytes().used).toBe(before);
  });
});
