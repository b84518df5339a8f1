import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ErrorDefinition } from '../../core/errors.ts';
import { ERROR_DOMAINS, renderErrorReference } from './error-reference.ts';

const SRC = resolve(import.meta.dirname, '../..');
/** Stand beside or above the API, which cannot import them. */
const NOT_BELOW = /^(?:app|front-door)\//;

describe('error reference', () => {
  it('knows every registry below', async () => {
    const known = new Set<unknown>(ERROR_DOMAINS.map(({ registry }) => registry));
    const missing: string[] = [];
    for (const file of globSync('**/errors.ts', { cwd: SRC })) {
      if (NOT_BELOW.test(file)) continue;
      const exported = (await import(resolve(SRC, file))) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        if (name.endsWith('_ERRORS') && !known.has(value)) missing.push(`${file}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('has no code twice', () => {
    const codes = ERROR_DOMAINS.flatMap(({ registry }) => Object.keys(registry));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  it('lists each code once with its kind and sentence', () => {
    const page = renderErrorReference();
    for (const { registry } of ERROR_DOMAINS) {
      for (const { code, kind } of Object.values<ErrorDefinition>(registry)) {
        expect(page.split('\n').filter((line) => line.startsWith(`| \`${code}\` | ${kind} | `))).toHaveLength(
          1,
        );
      }
    }
  });

  it('takes the registries of what stands above', () => {
    const registry = { OWN: { code: 'OWN', kind: 'limit', message: 'Too | much.' } } as const;
    expect(renderErrorReference([{ title: 'Application', registry }])).toContain(
      '| `OWN` | limit | Too \\| much. |',
    );
  });
});
