/** A name says which module is meant, also where a list of files leaves out the folder. */

import { globSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

it('no two modules of the console have one name, so a page is not taken for what it shows', () => {
  const modules = globSync('web/console/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const names = modules.map((file) => basename(file).replace(/\.tsx?$/, ''));
  expect(names).toContain('alert-list');
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
