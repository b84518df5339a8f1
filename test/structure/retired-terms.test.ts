/** Words that CONTRIBUTING.md retires do not come back into the pages that people read. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Decisions are left as they were written. */
const PAGES = ['README.md', 'docs/design/*.md', 'docs/guide/*.{md,yaml}', 'docs/reference/*.md'];
const RETIRED =
  /\b(?:at once|goes on|anew|whoever|stands still|stand still|time-out|look-up|back-off|sub stream)\b/i;

it('pages use no retired term', () => {
  const files = globSync(PAGES, { cwd: ROOT });
  expect(files).toContain('docs/design/access.md');
  const found = files.flatMap((file) =>
    readFileSync(resolve(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const term = RETIRED.exec(line)?.[0];
        return term === undefined ? [] : [`${file}:${index + 1}: ${term}`];
      }),
  );
  expect(found).toEqual([]);
});
