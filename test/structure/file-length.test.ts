/** A file that is hard to hold in the head wants a better shape. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = '{src,web,native,test,bench,scripts}/**/*.{ts,mjs,c,h,css,html}';
/** What others wrote, and what is generated. */
const NOT_OURS = /(?:^|\/)(?:node_modules|build|results)(?:\/|$)/;
const MAX_LINES = 500;

it(`no source file has more than ${MAX_LINES} lines`, () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (path) => NOT_OURS.test(path) });
  expect(files).toContain('src/app/main.ts');
  const linesOf = (file: string) => readFileSync(resolve(ROOT, file), 'utf8').split('\n').length - 1;
  expect(files.filter((file) => linesOf(file) > MAX_LINES)).toEqual([]);
});
