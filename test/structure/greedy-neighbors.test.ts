/** Each row of the registry of limits is attacked: by the suite test/e2e/greedy-neighbor.test.ts, or by a test that is named. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LIMITS, type LimitName } from '../../src/core/limits/registry.ts';
import { ATTACKED_ELSEWHERE, ROWS_TEST } from '../support/greedy/attacked-elsewhere.ts';
import { ATTACKS } from '../support/greedy/attacks.ts';

const ROOT = join(import.meta.dirname, '../..');
const attacked = new Set<LimitName>(ATTACKS.flatMap(({ rows }) => rows));
const names = Object.keys(LIMITS) as LimitName[];

it('attacks each row of the registry', () => {
  const missing = names.filter(
    (name) => !attacked.has(name) && ATTACKED_ELSEWHERE[name] === undefined && LIMITS[name].kind !== 'rows',
  );
  expect(missing).toEqual([]);
});

it('names a test for each row that the suite does not attack, and only for those', () => {
  expect(Object.keys(ATTACKED_ELSEWHERE).filter((name) => attacked.has(name as LimitName))).toEqual([]);
  for (const file of new Set([...Object.values(ATTACKED_ELSEWHERE), ROWS_TEST])) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect([file, /neighbor|other(?:s|Org)?\b|another|organizations|oldest/i.test(text)]).toEqual([
      file,
      true,
    ]);
  }
});
