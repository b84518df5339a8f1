import { expect, it } from 'vitest';
import { eachAlone } from './each-alone.ts';

it('does the work for each item, one after the other, whichever fail', async () => {
  const order: string[] = [];
  const work = async (item: number) => {
    order.push(`begin ${item}`);
    await Promise.resolve();
    if (item % 2 === 1) throw new Error(`no ${item}`);
    order.push(`end ${item}`);
  };
  const failures: string[] = [];
  const failed = await eachAlone([1, 2, 3, 4], work, (item, thrown) => {
    failures.push(`${item}: ${(thrown as Error).message}`);
  });
  expect(order).toEqual(['begin 1', 'begin 2', 'end 2', 'begin 3', 'begin 4', 'end 4']);
  expect([failed, failures]).toEqual([2, ['1: no 1', '3: no 3']]);
});
