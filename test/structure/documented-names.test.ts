/** Constants, error codes and words in capitals that documents quote exist in the code: renaming one changes the page, too. */

import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { documentsOf, withoutFences } from '../support/markdown.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const CODE = '{src,web,native,scripts,deploy,test,bench}/**/*.{ts,mjs,c,h,yaml,yml,conf}';
/** The facts of the specification name words that the gateway does not use. */
const MORE_CODE = ['docs/spec/facts.yaml'];

/** Names of the system, of standards, and of other programs, and the examples of docs/design/walkthroughs.md. */
const NOT_OURS: ReadonlySet<string> = new Set([
  'CAP_SETUID',
  'HTTPS_PROXY',
  'SO_REUSEADDR',
  'NO_ERROR',
  'DASH_EMPTY_PERIOD',
  'LOCATION_NAME_TOO_SHORT',
  'SLUICE_FFMPEG_NICENESS',
]);
/** Audit actions are made of the kind of thing and one of these. */
const DERIVED = /_(?:CREATE|UPDATE|DELETE)$/;

/** Without comments, which can be as wrong as a page. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function namesInCode(): Set<string> {
  const files = globSync(CODE, { cwd: ROOT }).filter(
    (file) => !/(?:^|\/)(?:node_modules|build)\//.test(file),
  );
  const names = new Set<string>();
  for (const file of [...files, ...MORE_CODE]) {
    const code = withoutComments(readFileSync(join(ROOT, file), 'utf8'));
    for (const [name] of code.matchAll(NAME)) names.add(name);
  }
  return names;
}

function unknownNames(markdown: string, known: ReadonlySet<string>): string[] {
  const spans = [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const names = spans.flatMap((span) => span.match(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/) ?? []);
  return names.filter((name) => !known.has(name) && !NOT_OURS.has(name) && !DERIVED.test(name));
}

it('documents quote only constants and codes that exist', () => {
  const known = namesInCode();
  // The changelog tells history, and the reference is generated from the code.
  const documents = documentsOf(ROOT).filter((file) => !/CHANGELOG\.md$|docs\/reference\//.test(file));
  const unknown = documents.flatMap((file) =>
    unknownNames(readFileSync(file, 'utf8'), known).map((name) => `${relative(ROOT, file)}: ${name}`),
  );
  expect(unknown).toEqual([]);
  expect(unknownNames('of them (`MAX_KNOWN`), `MAX_GONE`', new Set(['MAX_KNOWN']))).toEqual(['MAX_GONE']);
});
