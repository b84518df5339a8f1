import { closeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errnoOf } from './system-error.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

it.each([
  ['the system', () => closeSync(999_999), 'EBADF'],
  ['Node, for a wrong argument', () => closeSync('x' as unknown as number), null],
  ['our own code', () => (undefined as unknown as { x: number }).x, null],
])('finds the errno of an error of %s', (_, work, errno) => {
  const thrown = thrownBy(work);
  expect(thrown).toBeInstanceOf(Error);
  expect(errnoOf(thrown)).toBe(errno);
});
