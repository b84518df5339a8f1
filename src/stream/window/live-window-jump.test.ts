/** A window whose numbers jump: another node takes over from one that has crashed. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { bytesOf, LiveWindowBench, NEWEST, UNUSED } from './live-window-fixture.ts';
import { PathKey } from './path-signer.ts';

const LIMITS = { windowMs: 6_000 };
const JUMPED = { ...UNUSED, nextMediaSequenceNumber: 1_000, nextDiscontinuitySequence: 100 };

function inManifest({ window }: LiveWindowBench): number[] {
  return window.manifestSegments().map(({ msn }) => msn);
}

function held(bench: LiveWindowBench, numbers: readonly number[]): boolean[] {
  return numbers.map((msn) => bench.window.segment(msn) !== null);
}

it('lists only what has the new numbers, and still gives out what viewers know from before', () => {
  const bench = new LiveWindowBench(LIMITS).segments(5).part({ isSegmentStart: true });
  const [known, open] = [bytesOf(bench.window.segment(4)), bytesOf(bench.window.part(5, 0))];
  bench.window.restart(JUMPED);
  expect(bench.window.playlist(NEWEST)).toBe('wait');
  expect([bytesOf(bench.window.segment(4)), bytesOf(bench.window.part(5, 0))]).toEqual([known, open]);
  bench.segment();
  const { mediaSequence, segments } = bench.parsed();
  expect([mediaSequence, segments.length]).toEqual([1_000, 1]);
  expect(bench.text()).toContain('#EXT-X-DISCONTINUITY-SEQUENCE:99\n');
  expect([bytesOf(bench.window.segment(4)), bytesOf(bench.window.part(5, 0))]).toEqual([known, open]);
  expect([bench.window.segment(5), bench.window.part(5, 1), bench.window.part(6, 0)]).toEqual([
    null,
    'unknown',
    'unknown',
  ]);
  expect(bench.window.part(1_001, 0)).toBe('wait');
});

it('forgets it in the stream’s time, like all that has left the list', () => {
  const bench = new LiveWindowBench(LIMITS).segments(3);
  bench.window.restart(JUMPED);
  expect(held(bench, [0, 1, 2])).toEqual([true, true, true]);
  bench.segments(2);
  expect(held(bench, [0, 1, 2])).toEqual([true, true, true]);
  bench.segments(2);
  expect(held(bench, [0, 1, 2])).toEqual([false, false, false]);
  expect(held(bench, [1_000, 1_001, 1_002, 1_003])).toEqual([true, true, true, true]);
});

it('is in manifests, which can have a gap in their numbers, until the window is full again', () => {
  const bench = new LiveWindowBench(LIMITS).segments(5).part({ isSegmentStart: true });
  const listed = bench.window.listedSegments().map(({ msn }) => msn);
  expect(listed.length).toBeLessThan(6);
  expect(inManifest(bench)).toEqual(listed);
  bench.window.restart(JUMPED);
  // Other nodes may have more of the open one.
  const complete = listed.slice(0, -1);
  expect(inManifest(bench)).toEqual(complete);
  bench.segment();
  expect(inManifest(bench)).toEqual([...complete.slice(-2), 1_000]);
  bench.segments(2);
  expect(inManifest(bench)).toEqual([1_000, 1_001, 1_002]);
  bench.segments(3);
  expect(inManifest(bench)).toEqual(bench.window.listedSegments().map(({ msn }) => msn));
});

it('is in manifests, even if nothing of it was complete: players need the Period that they play', () => {
  const bench = new LiveWindowBench(LIMITS).part({ isSegmentStart: true }).part();
  bench.window.restart(JUMPED);
  expect(inManifest(bench)).toEqual([0]);
  bench.part({ isSegmentStart: true, hasDiscontinuity: true });
  bench.window.restart({ ...JUMPED, nextMediaSequenceNumber: 2_000 });
  // A viewer who plays the first Period has yet to learn about the second.
  expect(inManifest(bench)).toEqual([0, 1_000]);
  bench.part({ isSegmentStart: true, hasDiscontinuity: true });
  expect(inManifest(bench)).toEqual([0, 1_000, 2_000]);
});

it('forgets it first when memory is short', () => {
  const bench = new LiveWindowBench({ ...LIMITS, maxWindowBytes: 2_000 }).segments(3);
  bench.window.restart(JUMPED);
  bench.segment();
  expect(held(bench, [0, 1, 2, 1_000])).toEqual([false, true, true, true]);
  expect(inManifest(bench)).toEqual([1, 2, 1_000]);
  bench.segments(2);
  expect(held(bench, [1, 2, 1_000])).toEqual([false, false, true]);
});

it('keeps it as long, however often the numbers jump', () => {
  const bench = new LiveWindowBench(LIMITS).segments(3);
  bench.window.restart(JUMPED);
  bench.segment();
  bench.window.restart({ ...JUMPED, nextMediaSequenceNumber: 2_000 });
  expect(held(bench, [0, 1, 2, 3, 999, 1_000, 1_001])).toEqual([true, true, true, false, false, true, false]);
  expect(inManifest(bench)).toEqual([1, 2, 1_000]);
  bench.segments(3);
  expect(held(bench, [0, 1, 2, 1_000, 2_000])).toEqual([false, false, false, false, true]);
});

it('keeps what it had if the numbers jump once more before anything was published', () => {
  const bench = new LiveWindowBench(LIMITS).segments(2);
  bench.window.restart(JUMPED);
  bench.part();
  bench.window.restart({ ...JUMPED, nextMediaSequenceNumber: 2_000 });
  bench.segment();
  expect(held(bench, [0, 1, 1_000, 2_000])).toEqual([true, true, false, true]);
});

it('keeps the shared paths of what it had', () => {
  const signer = new PathKey(Buffer.alloc(32)).signerOf(newRuuid(), 'main');
  const bench = new LiveWindowBench(LIMITS, UNUSED, false, null, { signer, lifeMs: 60_000 }).segments(3);
  const shared = () => bench.window.playlist({ ...NEWEST, isShared: true });
  const path = (msn: number) => {
    const text = (shared() as { text: string }).text;
    return new RegExp(`^.*/([^/]+)/seg_${msn}\\.m4v$`, 'm').exec(text)![1]!;
  };
  const former = path(2);
  bench.window.restart(JUMPED);
  bench.segments(2);
  expect(bench.window.sharedForMs(2, former)).toBeGreaterThan(0);
  expect(bench.window.sharedForMs(1_001, path(1_001))).toBeGreaterThan(0);
  expect(bench.window.sharedForMs(500, former)).toBe(0);
});

it('is the same at those who mirror it, and leaves nothing behind', () => {
  const before = mediaBlockBytes().used;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('segment', 'part', 'jump', 'copy'), { minLength: 3, maxLength: 40 }),
      (operations) => {
        const bench = new LiveWindowBench({ ...LIMITS, maxWindowBytes: 4_000 }).segment();
        const copies: LiveWindowBench[] = [];
        let next = 1_000;
        let isOpen = false;
        for (const operation of operations) {
          if (operation === 'part') bench.part({ isSegmentStart: !isOpen });
          else if (operation === 'segment') bench.segment();
          isOpen = operation === 'part' || (operation === 'copy' && isOpen);
          if (operation === 'jump') {
            bench.window.restart({ ...bench.numbering, nextMediaSequenceNumber: next });
            next += 1_000;
          } else if (operation === 'copy') {
            const copy = new LiveWindowBench({ ...LIMITS, maxWindowBytes: 4_000 });
            copy.window.become(bench.window.state());
            copies.push(copy);
            const numbers = [0, 1, 2, 3, 4, 5].flatMap((at) => [at, 1_000 + at, next - 1_000 + at]);
            expect(held(copy, numbers)).toEqual(held(bench, numbers));
            expect(inManifest(copy)).toEqual(inManifest(bench));
            expect(copy.window.byteLength).toBe(bench.window.byteLength);
          }
        }
        for (const { window } of [bench, ...copies]) window.close();
      },
    ),
    randomRuns(100),
  );
  expect(mediaBlockBytes().used).toBe(before);
});
