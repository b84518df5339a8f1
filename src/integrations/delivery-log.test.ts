import { expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { DeliveryLog } from './delivery-log.ts';

const orgUuid = newRuuid();
const [rule, webhook, deleted, unknown] = [newRuuid(), newRuuid(), newRuuid(), newRuuid()];

/** One call, whose cause was deleted since. */
const log = new DeliveryLog({
  deliveries: {
    async page(_org, { parentUuid }) {
      const isCaused = parentUuid === undefined || parentUuid === deleted;
      const delivery = { uuid: newRuuid(), orgUuid, parentUuid: deleted } as never;
      return { items: isCaused ? [delivery] : [], next: null };
    },
  },
  lockdownRules: { has: async (_org, uuid) => uuid === rule },
  webhooks: { has: async (_org, uuid) => uuid === webhook },
});
const countOf = async (causeUuid: Ruuid | undefined) =>
  (await log.page(orgUuid, { causeUuid, order: 'oldest-first', after: null, limit: 9 })).items.length;

it('has the calls of every cause, including a deleted one', async () => {
  expect(await countOf(undefined)).toBe(1);
  expect(await countOf(deleted)).toBe(1);
});

it('has no calls of a rule or a webhook that caused none', async () => {
  expect(await countOf(rule)).toBe(0);
  expect(await countOf(webhook)).toBe(0);
});

it('does not know a cause that never existed', async () => {
  await expect(countOf(unknown)).rejects.toMatchObject({
    code: 'DELIVERY_CAUSE_NOT_FOUND',
    context: { cause: unknown },
  });
});
