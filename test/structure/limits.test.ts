/** Bounds on what an organization stores are declared in one place (docs/design/limits.md). */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** A number of its own, or a room with one. */
const BOUND_OF_ORGANIZATION = /const MAX_\w*_PER_ORG = [\d_]+;|atMost: [\d_]+/g;

it('no code but the registry says how many of something an organization can have', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|-contract\.ts$|-fixture\.ts$/.test(file),
  );
  expect(files).toContain('src/core/limits/registry.ts');
  const found = files.flatMap((file) =>
    [...readFileSync(resolve(ROOT, file), 'utf8').matchAll(BOUND_OF_ORGANIZATION)]
      .map(([text]) => text)
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
