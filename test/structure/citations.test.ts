/** Pages and files that comments and documents name are there, and so are the headings behind a `#`. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, documentsOf, withoutFences } from '../support/markdown.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CODE_FOLDERS = ['src', 'web', 'test', 'bench', 'scripts', 'native', '.ci'];
const CODE_FILES = /\.(?:ts|mjs|c|h|py|html|css)$/;

/** A path or a file name of the repository, perhaps with a heading. */
const CITATION =
  /(?<![\w/.@:<>*…-])(?:\.{1,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|md|c|h|py|yaml)\b(?:#[\w-]+)?(?![\w/<*…])/g;

/** A file that people write, and files of libuv and ffmpeg. */
const NOT_OURS = /^(?:(?:\.\/)?sluice\.yaml|unix\/stream\.c|libavformat\/hls\.c)$/;

/** Pages that are cited by nickname cannot be looked up. */
const NICKNAME = /\bDESIGN\b|\b(?:the )?spec(?:'s)?,? (?:§|")|\(spec[,;)]|\(design, "/;

interface Citation {
  readonly file: string;
  readonly target: string;
}

function codeFiles(): string[] {
  return CODE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => CODE_FILES.test(name) && !/(?:^|\/)(?:build|node_modules)\//.test(name))
      .map((name) => join(ROOT, folder, name)),
  );
}

/** Block comments that begin a line, and line comments; in house style there are no others. */
function commentsOf(code: string): string {
  const blocks = code.matchAll(/^[ \t]*\/\*[\s\S]*?\*\//gm);
  const lines = code.matchAll(/(?:^|\s)\/\/ .*$/gm);
  return [...blocks, ...lines].map(([text]) => text).join('\n');
}

/** Paths stand in code spans; links are checked by docs-links.test.ts. */
function codeSpansOf(markdown: string): string {
  return [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, text]) => text).join('\n');
}

function citationsIn(text: string): string[] {
  return [...text.matchAll(CITATION)].map(([target]) => target).filter((target) => !NOT_OURS.test(target));
}

const NAMES = new Set([...codeFiles(), ...documentsOf(ROOT)].map((file) => basename(file)));

/** Why the citation leads nowhere; null when it leads somewhere. */
function faultOf({ file, target }: Citation): string | null {
  const [path = '', anchor] = target.split('#', 2);
  const places = [ROOT, join(ROOT, 'src'), dirname(file)].map((folder) => resolve(folder, path));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) return path.includes('/') || !NAMES.has(path) ? 'there is no such file' : null;
  if (anchor === undefined) return null;
  if (extname(found) !== '.md') return 'an anchor needs a document';
  return anchorsOf(readFileSync(found, 'utf8')).has(anchor) ? null : 'there is no such heading';
}

function faults(files: readonly string[], textOf: (content: string) => string): string[] {
  return files.flatMap((file) =>
    citationsIn(textOf(readFileSync(file, 'utf8')))
      .map((target) => ({ file, target, fault: faultOf({ file, target }) }))
      .filter(({ fault }) => fault !== null)
      .map(({ target, fault }) => `${relative(ROOT, file)}: ${target}: ${fault}`),
  );
}

describe('citations', () => {
  it('are found in comments and code spans', () => {
    const code = [
      "const a = 'docs/no.md'; // see docs/a.md#b.",
      '/** As docs/c.md says (docs/d.md, e.ts). */',
      ' * docs/no.md',
    ].join('\n');
    expect(citationsIn(commentsOf(code)).sort()).toEqual(['docs/a.md#b', 'docs/c.md', 'docs/d.md', 'e.ts']);
    expect(citationsIn(codeSpansOf('`src/a/b.ts` c.ts `d/*.ts`\n```\n`no.ts`\n```\n'))).toEqual([
      'src/a/b.ts',
    ]);
  });

  it('tell a dead one from a good one', () => {
    const file = join(ROOT, 'src/core/clock.ts');
    expect(faultOf({ file, target: 'docs/design/missing.md' })).toBe('there is no such file');
    expect(faultOf({ file, target: 'missing-file.ts' })).toBe('there is no such file');
    expect(faultOf({ file, target: 'docs/design/README.md#missing' })).toBe('there is no such heading');
    expect(faultOf({ file, target: 'docs/design/README.md#design' })).toBeNull();
    expect(faultOf({ file, target: 'errors.ts' })).toBeNull();
  });

  it('of comments lead somewhere', () => {
    const files = codeFiles().filter((file) => file !== import.meta.filename);
    expect(files.length).toBeGreaterThan(800);
    expect(faults(files, commentsOf)).toEqual([]);
  });

  it('of documents lead somewhere', () => {
    expect(faults(documentsOf(ROOT), codeSpansOf)).toEqual([]);
  });

  it('name their page', () => {
    expect(NICKNAME.test('decided (spec, "Common types")')).toBe(true);
    const nicknamed = codeFiles()
      .filter(
        (file) => file !== import.meta.filename && NICKNAME.test(commentsOf(readFileSync(file, 'utf8'))),
      )
      .map((file) => relative(ROOT, file));
    expect(nicknamed).toEqual([]);
  });
});
