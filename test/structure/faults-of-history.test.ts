/** Patches that bring back faults of history (docs/design/simulation.md) still fit the code: one that does not proves nothing. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const FAULTS = join(ROOT, 'test/simulation/faults-of-history');

interface Hunk {
  readonly file: string;
  /** The lines that must be there. */
  readonly before: string;
}

/** Of a unified diff. */
function hunksOf(patch: string): Hunk[] {
  const hunks: { file: string; lines: string[] }[] = [];
  let file = '';
  for (const line of patch.split('\n')) {
    const [, named] = /^--- a\/(.+)$/.exec(line) ?? [];
    if (named !== undefined) file = named;
    else if (line.startsWith('@@')) hunks.push({ file, lines: [] });
    else if (hunks.length > 0 && /^[ -]/.test(line)) hunks.at(-1)!.lines.push(line.slice(1));
  }
  return hunks.map(({ file: of, lines }) => ({ file: of, before: `${lines.join('\n')}\n` }));
}

describe('a fault of history', () => {
  it.each(readdirSync(FAULTS))('fits the code: %s', (name) => {
    const hunks = hunksOf(readFileSync(join(FAULTS, name), 'utf8'));
    expect(hunks.length).toBeGreaterThan(0);
    for (const { file, before } of hunks) {
      expect(readFileSync(join(ROOT, file), 'utf8').split(before).length).toBe(2);
    }
  });
});
