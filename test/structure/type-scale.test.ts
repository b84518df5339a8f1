/** Sizes of text in the console are those of its scale (tokens.css), so that pages look like one program. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const STYLES = resolve(import.meta.dirname, '../../web/console/style');
const files = globSync('*.css', { cwd: STYLES }).filter((name) => name !== 'tokens.css');
const read = (name: string) => readFileSync(resolve(STYLES, name), 'utf8');

it('names each size of text by the scale', () => {
  const own = files.flatMap((name) =>
    [...read(name).matchAll(/font(?:-size)?:[^;]*\b\d+(?:\.\d+)?px[^;]*/g)].map(
      ([rule]) => `${name}: ${rule}`,
    ),
  );
  expect(own).toEqual([]);
});

it('moves nothing for people who asked for less motion', () => {
  const moving = files.filter((name) => {
    const css = read(name);
    const [before = ''] = css.split('@media (prefers-reduced-motion: no-preference)');
    return /^\s*(?:animation|transition):/m.test(before);
  });
  expect(moving).toEqual([]);
});
