import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { renderErrorReference } from '../../scripts/reference/error-reference.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = resolve(ROOT, 'docs/reference/errors.md');

/** The codes of all registries, each with the file that defines it. */
async function definedCodes(): Promise<string[]> {
  const codes: string[] = [];
  for (const file of globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*-fixture.ts'] })) {
    const names = readFileSync(resolve(ROOT, file), 'utf8').matchAll(/\b(\w+) = defineErrors\(/g);
    for (const [, name] of names) {
      const { [name!]: registry } = (await import(resolve(ROOT, file))) as Record<string, object>;
      if (registry === undefined) throw new Error(`${file} does not export ${name}`);
      codes.push(...Object.keys(registry));
    }
  }
  return codes;
}

it('lists every code of every registry exactly once, and no other', async () => {
  const shown = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` \| /gm)].map(([, code]) => code);
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.toSorted()).toEqual((await definedCodes()).toSorted());
  expect(new Set(shown).size).toBe(shown.length);
});

it('shows a code with its kind and its sentence', () => {
  const registry = { OWN: { code: 'OWN', kind: 'limit', message: 'Too | much.' } } as const;
  expect(renderErrorReference([{ title: 'Application', registry }])).toContain(
    '## Application\n\n| code | kind | message |\n|---|---|---|\n| `OWN` | limit | Too \\| much. |',
  );
});
