import { describe, expect, it } from 'vitest';
import type { ErrorDefinition } from '../core/errors.ts';
import { ERROR_DOMAINS, renderErrorReference } from './error-reference.ts';

describe('error reference', () => {
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
