/** Random tests run a counted number of times, from one seed: what fails on one machine fails on the next. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const HELPER = 'test/support/random-runs.ts';
const THIS = 'test/structure/random-tests.test.ts';

const files = globSync('{src,test}/**/*.ts', { cwd: ROOT })
  .filter((file) => file !== HELPER && file !== THIS)
  .map((file) => ({ file, text: readFileSync(resolve(ROOT, file), 'utf8') }))
  .filter(({ text }) => text.includes("from 'fast-check'"));

it('every assertion of fast-check takes its number of runs and its seed from one place', () => {
  const asserting = files.filter(({ text }) => text.includes('fc.assert('));
  expect(asserting.length).toBeGreaterThan(40);
  const others = asserting.filter(({ text }) => !text.includes('randomRuns('));
  expect(others.map(({ file }) => file)).toEqual([]);
});

it('none runs until a time is over', () => {
  const own = files.filter(({ text }) => /interruptAfterTimeLimit|numRuns:|\bseed:/.test(text));
  expect(own.map(({ file }) => file)).toEqual([]);
});
