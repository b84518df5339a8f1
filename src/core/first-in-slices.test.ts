import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { firstInSlices } from './first-in-slices.ts';

it('gives what the beginning of the sorted list would be, and counts all', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.option(fc.integer(), { nil: undefined }), { maxLength: 300 }),
    fc.nat(320),
    async (values, count) => {
      const steps = values.map((value, id) => (value === undefined ? undefined : { value, id }));
      const compare = (a: { value: number; id: number }, b: { value: number; id: number }) =>
        a.value - b.value || a.id - b.id;
      const items = steps.filter((item) => item !== undefined);
      const { total, items: first } = await firstInSlices(steps, count, compare);
      expect(total).toBe(items.length);
      expect(first).toEqual(items.toSorted(compare).slice(0, count));
    },
  );
  await fc.assert(property, randomRuns(100));
});
