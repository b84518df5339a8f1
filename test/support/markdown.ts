/** Helpers for tests of the documents: which documents there are, and where they have code or headings. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute paths of all documents of the repository. */
export function documentsOf(root: string): string[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, 'docs', name));
  const others = [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'bench/README.md',
    'deploy/README.md',
  ].map((name) => join(root, name));
  return [...others, ...inDocs];
}

/** Fenced blocks contain examples: nothing in them is a link, a heading or a citation. */
export function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, '');
}

/** As GitHub makes them: of a heading's text, lower case, without punctuation; a repeated one gets a number. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
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
