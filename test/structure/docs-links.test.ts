/** Relative links in the documents work: they point to an existing file and, after a `#`, to one of its headings. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

interface Link {
  readonly file: string;
  /** As written, without a title. */
  readonly target: string;
}

function documents(): string[] {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, 'docs', name));
  const atTop = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(ROOT, name));
  return [...atTop, ...inDocs];
}

/** Fenced blocks and code spans contain examples: nothing in them is a link or a heading. */
function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, '');
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '');
}

/** Links and pictures, inline and by reference. */
function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown);
  const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const definitions = text.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm);
  return [...inline, ...definitions].map((match) => match[1]!);
}

/** As GitHub makes them: of a heading's text, lower case, without punctuation; a repeated one gets a number. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const headings = withoutFences(markdown).matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm);
  for (const [, heading] of headings) {
    const slug = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Why the link leads nowhere; null when it leads somewhere. */
function faultOf({ file, target }: Link): string | null {
  const [path = '', anchor] = target.split('#', 2);
  const to = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
  if (relative(ROOT, to).startsWith('..')) return 'leads out of the repository';
  if (!existsSync(to)) return 'there is no such file';
  if (anchor === undefined) return null;
  if (!to.endsWith('.md') || !statSync(to).isFile()) return 'an anchor needs a document';
  return anchorsOf(readFileSync(to, 'utf8')).has(anchor) ? null : 'there is no such heading';
}

const isRelative = (target: string): boolean => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target);

describe('links in documents', () => {
  const links = documents().flatMap((file) =>
    linksOf(readFileSync(file, 'utf8')).map((target): Link => ({ file, target })),
  );

  it('are found', () => {
    expect(links.length).toBeGreaterThan(30);
    const found = linksOf('![p](a.png) [x](<b.md> "t") `[no](c.md)`\n```\n[no](d.md)\n```\n[r]: e.md#f\n');
    expect(found).toEqual(['a.png', 'b.md', 'e.md#f']);
  });

  it('know the anchors of headings', () => {
    const anchors = anchorsOf('# A `b` – C!\n## Twice\n## Twice\n```\n# no\n```\n### [L](x.md)_y\n');
    expect([...anchors]).toEqual(['a-b--c', 'twice', 'twice-1', 'l_y']);
  });

  it('tell a dead link from a good one', () => {
    const file = join(ROOT, 'README.md');
    expect(faultOf({ file, target: 'docs/guide/missing.md' })).toBe('there is no such file');
    expect(faultOf({ file, target: 'docs/design/README.md#missing' })).toBe('there is no such heading');
    expect(faultOf({ file, target: '../outside.md' })).toBe('leads out of the repository');
    expect(faultOf({ file, target: 'docs/design/README.md#design' })).toBeNull();
  });

  it('lead somewhere', () => {
    const dead = links
      .filter(({ target }) => isRelative(target))
      .map((link) => ({ ...link, file: relative(ROOT, link.file), fault: faultOf(link) }))
      .filter(({ fault }) => fault !== null);
    expect(dead).toEqual([]);
  });
});
