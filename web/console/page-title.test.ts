import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('is set by usePageTitle alone, which adds the number of open alerts', () => {
  const folder = import.meta.dirname;
  const setting = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .filter((path) => /document\.title\s*=/.test(readFileSync(join(folder, path), 'utf8')));
  expect(setting).toEqual(['page-title.ts']);
});
