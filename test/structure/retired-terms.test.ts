/** Words that CONTRIBUTING.md retires do not come back into pages and comments. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Decisions are left as they were written. */
const PAGES = ['README.md', 'docs/design/*.md', 'docs/guide/*.{md,yaml}', 'docs/reference/*.md'];
const SOURCES = ['{src,web,scripts,bench,native,test/support,test/simulation}/**/*.{ts,tsx,mjs,c,h}'];
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const RETIRED =
  /\b(?:at once|goes on|anew|whoever|beside|stands still|stand still|time-out|look-up|back-off|sub stream)\b/i;
/** A name of a folder on the wire (docs/design/dash.md). */
const WIRE = /\bbeside\//;

function found(patterns: readonly string[], isRead: (line: string) => boolean): string[] {
  const files = globSync(patterns, {
    cwd: ROOT,
    exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/.test(path),
  });
  expect(files.length).toBeGreaterThan(10);
  return files.flatMap((file) =>
    readFileSync(resolve(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const term = isRead(line) && !WIRE.test(line) ? RETIRED.exec(line)?.[0] : undefined;
        return term === undefined ? [] : [`${file}:${index + 1}: ${term}`];
      }),
  );
}

it('pages use no retired term', () => {
  expect(found(PAGES, () => true)).toEqual([]);
});

it('comments use no retired term', () => {
  expect(found(SOURCES, (line) => COMMENT.test(line))).toEqual([]);
});
