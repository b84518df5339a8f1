/** A file that is hard to hold in the head wants a better shape. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CONSOLE_CALLS } from '../../scripts/reference/console-calls.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = '{src,web,native,test,bench,scripts}/**/*.{ts,mjs,c,h,css,html}';
/** What others wrote, and what is built. */
const NOT_OURS = /(?:^|\/)(?:node_modules|build|results)(?:\/|$)/;
/** In the comment at the top of a file that no one edits. */
const GENERATED = /^\/\*\*[^/]*\bGenerated from [^/]*by `npm run docs`/;
const MAX_LINES = 500;
/** In the comment at the top: why one concept takes more. */
const REASON = /^\/\*\*(?:(?!\*\/)[\s\S])*\bLonger than 500 lines: \S/;

it(`no source file that people edit has more than ${MAX_LINES} lines without a reason at its top`, () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (path) => NOT_OURS.test(path) });
  expect(files).toContain('src/app/main.ts');
  const texts = files.map((file) => [file, readFileSync(resolve(ROOT, file), 'utf8')] as const);
  const long = texts.filter(([, text]) => text.split('\n').length - 1 > MAX_LINES);
  expect(long.filter(([, text]) => GENERATED.test(text)).map(([file]) => file)).toEqual([CONSOLE_CALLS]);
  const unexplained = long.filter(([, text]) => !GENERATED.test(text) && !REASON.test(text));
  expect(unexplained.map(([file]) => file)).toEqual([]);
});

/** Not the arguments of a command: those come in pairs. */
const GROUP = /^\s*\.\.\.(?:\{ \w[^{}]*\}|\[(?!'-)['"\w][^[\]]*\]),$/m;

it('no literal is spread into another one, which only groups what the formatter would list', () => {
  const files = globSync('{src,web,test,bench,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: ROOT,
    exclude: (path) => NOT_OURS.test(path),
  });
  const spread = files.filter((file) => GROUP.test(readFileSync(resolve(ROOT, file), 'utf8')));
  expect(spread).toEqual([]);
});
