import { expect, it } from 'vitest';
import { inOrderOfNames } from './name-order.ts';

it('is that in which people read names, and leaves equal names in their order', async () => {
  const items = ['dock', 'Ämter', 'Zoo', 'Dock', 'Anton', 'dock'].map((name, at) => ({ name, at }));
  const sorted = await inOrderOfNames(items);
  expect(sorted.map(({ name, at }) => `${name} ${at}`)).toEqual([
    'Ämter 1',
    'Anton 4',
    'dock 0',
    'dock 5',
    'Dock 3',
    'Zoo 2',
  ]);
  expect(items[0]).toEqual({ name: 'dock', at: 0 });
});
