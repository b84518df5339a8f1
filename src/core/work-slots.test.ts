import { expect, it } from 'vitest';
import { WorkSlots } from './work-slots.ts';

it('refuses what exceeds the slots of an owner or of all, and frees them', async () => {
  const slots = new WorkSlots({ perOwner: 2, total: 3, refusal: () => new Error('busy') });
  const ends: (() => void)[] = [];
  const hold = (owner: string) => slots.run(owner, () => new Promise<void>((resolve) => ends.push(resolve)));
  const held = [hold('a'), hold('a'), hold('b')];
  await expect(slots.run('a', async () => 1)).rejects.toThrow('busy');
  await expect(slots.run('c', async () => 1)).rejects.toThrow('busy');
  ends[0]!();
  await held[0];
  expect(await slots.run('a', async () => 1)).toBe(1);
  await expect(slots.run('c', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await slots.run('c', async () => 2)).toBe(2);
  for (const end of ends) end();
  await Promise.all(held);
});
