/** Each test file belongs to one tier: what no project includes would run nowhere, without a word. */

import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readInventory } from '../../scripts/long/inventory.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs files of the unit tier again, over another database. */
const SECOND_RUNS = new Set(['postgres']);

const { projects } = readInventory(ROOT);
const projectsOf = (file: string) =>
  Object.entries(projects).flatMap(([name, files]) =>
    !SECOND_RUNS.has(name) && files.includes(file) ? [name] : [],
  );

it('each test file is in one Vitest project', () => {
  const files = globSync('{bench,native,scripts,src,test,web}/**/*.test.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  expect(files.length).toBeGreaterThan(800);
  const elsewhere = files.map((file) => ({ file, projects: projectsOf(file) }));
  expect(elsewhere.filter((each) => each.projects.length !== 1)).toEqual([]);
});
