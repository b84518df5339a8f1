/** Words that CONTRIBUTING.md retires do not come back into pages, comments, and names. */

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

/** The standard terms are request, query, and response. */
const RETIRED_NAME = /[Ww]ish|[Aa]sked|WISH|ASKED|\w[Aa]nswer|Answer\w|answers?[A-Z_]|\wANSWER|ANSWER\w/;
/** In the gateway's own code, also when it stands alone. */
const RETIRED_IN_GATEWAY = /^[Aa]nswers?$/;
/** Its rows are stored with that name. */
const STORED = 'src/accounts/idempotent-requests.ts';
const DECLARED = /\b(?:const|let|function\*?|class|interface|type|readonly)\s+(?:\{\s*)?#?([\w$]+)/g;
/** Names that callers or stored rows have, and unrelated words. */
const KEPT_NAMES =
  /^(?:\w*_ANSWER_(?:INVALID|REFUSED|TOO_LARGE|UNKNOWN)|\w*BAD_ANSWER|answeredPercent|\w*(?:[Mm]asked|MASKED)\w*)$/;

function isRetired(file: string, name: string): boolean {
  const isGateway =
    file.startsWith('src/') && file !== STORED && !/\.test\.ts$|-fixture\.ts$|\/fake-/.test(file);
  return RETIRED_NAME.test(name) || (isGateway && RETIRED_IN_GATEWAY.test(name));
}

it('names of files and of code use no retired term', () => {
  const files = globSync('{src,web,scripts,bench,test}/**/*.{ts,tsx,mjs}', {
    cwd: ROOT,
    exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/.test(path),
  });
  expect(files.filter((file) => /wish|asked|answer/.test(file))).toEqual([]);
  const names = files.flatMap((file) =>
    readFileSync(resolve(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => !COMMENT.test(line))
      .flatMap((line) => [...line.matchAll(DECLARED)].map(([, name]) => name!))
      .filter((name) => isRetired(file, name) && !KEPT_NAMES.test(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(names).toEqual([]);
});

it('pages use no retired term', () => {
  expect(found(PAGES, () => true)).toEqual([]);
});

it('comments use no retired term', () => {
  expect(found(SOURCES, (line) => COMMENT.test(line))).toEqual([]);
});
