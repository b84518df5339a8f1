/** All styles of the console end up in one document: a class that two files define means what the later file says. */

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const STYLES = resolve(import.meta.dirname, '../../web/console/style');

/** The classes of which a style sheet says how each element with them looks, also if only in a media query. */
function definedClasses(css: string): Set<string> {
  const rules = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{/g);
  const selectors = [...rules].flatMap(([, list = '']) => list.split(/,(?![^(]*\))/));
  return new Set(selectors.map((selector) => selector.trim()).filter((each) => /^\.[\w-]+$/.test(each)));
}

function classesOfSeveral(files: readonly (readonly [name: string, css: string])[]): string[] {
  const homes = new Map<string, string[]>();
  for (const [name, css] of files) {
    for (const each of definedClasses(css)) homes.set(each, [...(homes.get(each) ?? []), name]);
  }
  return [...homes]
    .filter(([, names]) => names.length > 1)
    .map(([each, names]) => `${each}: ${names.join(', ')}`);
}

it('finds a class that two files define, in a list of selectors and in a media query too', () => {
  const found = classesOfSeveral([
    ['a', '.one, .two { gap: 1px; }\n.three p { gap: 1px; }\n.four:is(.five, .six) { gap: 1px; }'],
    ['b', '/* .three { } */ @media (width < 9px) { .two { gap: 2px; } }\n.six .three { gap: 1px; }'],
    ['c', '.three { gap: 1px; }\n.a, p.one { gap: 1px; }'],
  ]);
  expect(found).toEqual(['.two: a, b']);
});

it('no class of the console is defined by two style files', () => {
  const files = readdirSync(STYLES).filter((name) => name.endsWith('.css'));
  expect(files).toContain('parts.css');
  expect(classesOfSeveral(files.map((name) => [name, readFileSync(resolve(STYLES, name), 'utf8')]))).toEqual(
    [],
  );
});
