/** The console counts and compares by the gateway's clock, and says in one place when something is tried again. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

const sources = globSync('web/console/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.ts'] }).map(
  (file) => ({ file, text: readFileSync(resolve(ROOT, file), 'utf8') }),
);
const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

it('reads the browser’s clock only to know the gateway’s', () => {
  expect(filesWith(/\bDate\.now\b|new Date\(\)/)).toEqual(['web/console/gateway-clock.ts']);
});

it('words the next try in one place', () => {
  expect(filesWith(/Next (?:try|attempt)|Trying (?:now|again)/i)).toEqual([
    'web/console/ui/next-try-text.ts',
  ]);
  expect(filesWith(/<Time\w+[^>]*(?:retry|next(?:Try|Retry|Attempt))/)).toEqual([]);
});
