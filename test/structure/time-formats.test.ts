/** Pages show times in the forms of one table (web/words/formats.ts), so that no two pages show the same time in two ways. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const TABLE = 'web/words/formats.ts';
/** They compute with zones, check names of zones, or name files; people read nothing of what they format. */
const COMPUTING = new Set([
  'web/words/choices.ts',
  'web/words/zone.ts',
  'web/console/schedule-now.ts',
  'web/console/snapshot.ts',
  'web/console/time-zones.ts',
  'web/console/timeline-state.ts',
]);

const sources = globSync('web/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.ts'] }).map((file) => ({
  file,
  text: readFileSync(resolve(ROOT, file), 'utf8'),
}));
const filesWith = (pattern: RegExp) =>
  sources
    .filter(({ file, text }) => file !== TABLE && !COMPUTING.has(file) && pattern.test(text))
    .map(({ file }) => file);

it('makes no format of times outside the table', () => {
  expect(filesWith(/new Intl\.(?:DateTimeFormat|RelativeTimeFormat|DurationFormat)\b/)).toEqual([]);
  expect(filesWith(/\.toLocale(?:Date|Time)?String\(/)).toEqual([]);
  expect(filesWith(/\b(?:dateStyle|timeStyle|hourCycle|timeZoneName): '/)).toEqual([]);
  expect(filesWith(/\b(?:hour|minute|second|weekday|month): '(?:numeric|2-digit|short|long)'/)).toEqual([]);
});

it('has no form in the table that no page uses', () => {
  const table = sources.find(({ file }) => file === TABLE)!.text;
  const forms = [...table.matchAll(/^ {2}(\w+): (?:\{|[A-Z]+)/gm)].map(([, form]) => form!);
  expect(forms).toContain('exact');
  const unused = forms.filter((form) => !sources.some(({ text }) => text.includes(`'${form}'`)));
  expect(unused).toEqual([]);
});
