/** No test is judged by a clock: a machine that does other things too would be what it measures. */

import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ALLOWED, NEXT_TO_SOURCES } from './judged-by-clock.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = ['test/**/*.ts', 'src/**/*.test.ts', 'web/console/**/*.test.ts']
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .filter((file) => basename(file) !== basename(import.meta.filename));
const MATCHER = /\.toBe(?:Less|Greater)Than(?:OrEqual)?\(/g;
const READING = /\b(?:performance|Date)\.now\(\)|\bsystemClock\.\w+\(\)/;
/** A name that ends in the unit of clocks. */
const NAME = /\b[a-z]\w*Ms\b(?!\.length)/g;
/** Times in a stream or a recording, whichever machine it is on. */
const MEDIA_TIME =
  /^(?:behind|duration|endEpoch|epoch|first|hole|interval|longest|step|takenAt|takenEpoch|times|timestamp|wentOnEpoch)Ms$/;

interface Comparison {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Each `expect(…).toBeLessThan(…)` and the like, on one line. */
function comparisonsIn(file: string, source: string): Comparison[] {
  return [...source.matchAll(MATCHER)].map(({ index }) => {
    const start = source.lastIndexOf('expect', index);
    const text = source.slice(start, source.indexOf(';', index)).replace(/\s+/g, ' ');
    return { file, line: source.slice(0, start).split('\n').length, text };
  });
}

/** Names count where clocks are read: elsewhere, time is that of a stream or of a FakeClock. */
function isOfClock(text: string, readsClocks: boolean): boolean {
  if (READING.test(text)) return true;
  const names = text.match(NAME) ?? [];
  return readsClocks && names.some((name) => !MEDIA_TIME.test(name));
}

const judged = FILES.flatMap((file) => {
  const source = readFileSync(resolve(ROOT, file), 'utf8');
  const readsClocks = file.startsWith('test/') || READING.test(source);
  return comparisonsIn(file, source).filter(({ text }) => isOfClock(text, readsClocks));
});

const isAllowed = ({ file, text }: Comparison) =>
  [...ALLOWED, ...NEXT_TO_SOURCES].some(
    (one) => basename(file).startsWith(`${one.file}.`) && text.includes(one.text),
  );

it('finds comparisons of clocks', () => {
  const source = 'const took = 1;\nexpect(performance.now() - sinceMs).toBeLessThan(\n  5,\n);';
  expect(comparisonsIn('a.ts', source)).toEqual([
    { file: 'a.ts', line: 2, text: 'expect(performance.now() - sinceMs).toBeLessThan( 5, )' },
  ]);
  expect(isOfClock('expect(Date.now()).toBeGreaterThan(5)', false)).toBe(true);
  expect(isOfClock('expect(tookMs).toBeLessThan(5)', true)).toBe(true);
  expect(isOfClock('expect(tookMs).toBeLessThan(5)', false)).toBe(false);
  expect(isOfClock('expect(durationMs).toBeLessThan(5)', true)).toBe(false);
});

it('no test compares a reading of a clock, but for those that are listed with a reason', () => {
  const found = judged.filter((one) => !isAllowed(one));
  expect(found.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

it('each listed one is there', () => {
  const unused = ALLOWED.filter(
    ({ file, text }) =>
      !judged.some((one) => basename(one.file).startsWith(`${file}.`) && one.text.includes(text)),
  );
  expect(unused).toEqual([]);
});
