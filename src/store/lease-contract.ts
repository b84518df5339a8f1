/** The contract of leases and claimed events in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Lease } from './lease.ts';
import { sampleEvent } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';

const LONG_MS = 60_000;
/** Expires before the next statement, or soon after. */
const SHORT_MS = 1;

export function describeLeases({
  store,
  org,
  otherOrg,
}: {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}): void {
  const [ours, theirs] = [newRuuid(), newRuuid()];
  /** By the database's clock, which the test cannot set. */
  const takenLater = async (name: string, owner: Ruuid): Promise<Lease> => {
    for (;;) {
      const lease = await store().leases.take(name, owner, LONG_MS);
      if (lease !== null) return lease;
    }
  };

  describe('leases', () => {
    it('belong to one owner, who can take them again', async () => {
      const { leases } = store();
      const lease = await leases.take('sweep', ours, LONG_MS);
      expect(lease).toMatchObject({ name: 'sweep', owner: ours });
      expect(await leases.take('sweep', theirs, LONG_MS)).toBeNull();
      expect(await leases.take('sweep', ours, LONG_MS)).toEqual(lease);
      expect(await leases.take('other', theirs, LONG_MS)).toMatchObject({ owner: theirs });
    });

    it('are taken by one of several that ask at once', async () => {
      const { leases } = store();
      const owners = Array.from({ length: 8 }, newRuuid);
      const taken = await Promise.all(owners.map((owner) => leases.take('sweep', owner, LONG_MS)));
      expect(taken.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it('that expired belong to the next owner, with a higher fence, and not to the one before', async () => {
      const { leases } = store();
      const before = (await leases.take('sweep', ours, SHORT_MS))!;
      const after = await takenLater('sweep', theirs);
      expect(after.fence).toBeGreaterThan(before.fence);
      expect([await leases.keep(before, LONG_MS), await leases.release(before)]).toEqual([false, false]);
      expect([await leases.keep(after, LONG_MS), await leases.release(after)]).toEqual([true, true]);
    });

    it('have a higher fence after they were given back', async () => {
      const { leases } = store();
      const before = (await leases.take('sweep', ours, SHORT_MS))!;
      const between = await takenLater('sweep', theirs);
      await leases.release(between);
      const after = (await leases.take('sweep', ours, LONG_MS))!;
      expect(after.fence).toBeGreaterThanOrEqual(between.fence);
      expect(after.fence).toBeGreaterThan(before.fence);
      expect(await leases.keep(before, LONG_MS)).toBe(false);
    });

    it('can be kept after they expired, as long as no one took them', async () => {
      const { leases } = store();
      const lease = (await leases.take('sweep', ours, SHORT_MS))!;
      // Takes longer than the lease.
      for (let count = 0; count < 5; count++) await leases.takeExpired('nothing', ours, SHORT_MS, 1);
      expect(await leases.keep(lease, LONG_MS)).toBe(true);
      expect(await leases.take('sweep', theirs, LONG_MS)).toBeNull();
    });

    it('that expired are taken by their prefix, each by one of several that ask at once', async () => {
      const { leases } = store();
      for (const name of ['work/a', 'work/b', 'work/c', 'other/a']) await leases.take(name, ours, SHORT_MS);
      await leases.take('work/held', ours, LONG_MS);
      const taken: string[] = [];
      await until(async () => {
        const found = await Promise.all([
          leases.takeExpired('work/', theirs, LONG_MS, 2),
          leases.takeExpired('work/', newRuuid(), LONG_MS, 2),
        ]);
        taken.push(...found.flat().map(({ name }) => name));
        return taken.length >= 3;
      });
      expect(taken.sort()).toEqual(['work/a', 'work/b', 'work/c']);
      expect(await leases.takeExpired('work/', theirs, LONG_MS, 9)).toEqual([]);
    });

    it('are all given back by their owner', async () => {
      const { leases } = store();
      await leases.take('one', ours, LONG_MS);
      await leases.take('two', theirs, LONG_MS);
      await leases.releaseAll(ours);
      expect(await leases.take('one', theirs, LONG_MS)).not.toBeNull();
      expect(await leases.take('two', ours, LONG_MS)).toBeNull();
    });
  });

  describe('unfinished events', () => {
    const added = async (count: number) => {
      const { events } = store();
      const unfollow = events.follow(() => undefined);
      const alerts = Array.from({ length: count }, (_, index) =>
        sampleEvent(org(), { kind: 'policyAlert', atMs: index + 1 }),
      );
      await events.add(alerts);
      unfollow();
      return alerts;
    };

    it('are claimed oldest first, and again by who has them', async () => {
      const { events } = store();
      const alerts = await added(3);
      const claim = { owner: ours, ttlMs: LONG_MS };
      expect(await events.claimUnfinished(2, claim)).toEqual(alerts.slice(0, 2));
      expect(await events.claimUnfinished(2, claim)).toEqual(alerts.slice(0, 2));
      expect(await events.keepClaims(alerts.slice(0, 2), claim)).toBe(true);
      await events.finish(alerts.slice(0, 2), ours);
      expect(await events.claimUnfinished(2, claim)).toEqual(alerts.slice(2));
    });

    it('are claimed of one organization after the other', async () => {
      const { events } = store();
      const alerts = await added(3);
      const unfollow = events.follow(() => undefined);
      const theirs = sampleEvent(otherOrg(), { kind: 'policyAlert', atMs: 9 });
      await events.add([theirs]);
      unfollow();
      const claim = { owner: ours, ttlMs: LONG_MS };
      const ofOne = await events.claimUnfinished(2, claim, otherOrg());
      const ofOther = await events.claimUnfinished(2, claim, org());
      expect([ofOne, ofOther]).toEqual([alerts.slice(0, 2), [theirs]]);
      await events.finish([theirs], ours);
      expect(await events.claimUnfinished(2, claim, org())).toEqual(alerts.slice(0, 2));
    });

    it('are claimed of one credential of an organization after the other', async () => {
      const { events } = store();
      const unfollow = events.follow(() => undefined);
      const [one, other] = [newRuuid(), newRuuid()].toSorted();
      const alerts = [one, one, one, other, other].map((reporterUuid, index) =>
        sampleEvent(org(), { kind: 'policyAlert', atMs: index + 1, reporterUuid: reporterUuid! }),
      );
      await events.add(alerts);
      unfollow();
      const claim = { owner: ours, ttlMs: LONG_MS };
      const turns: number[][] = [];
      for (let turn = 0; turn < 4; turn++) {
        const claimed = await events.claimUnfinished(2, claim, org());
        turns.push(claimed.map(({ atMs }) => atMs));
        await events.finish(claimed, ours);
      }
      expect(turns).toEqual([[1, 2], [4, 5], [3], []]);
    });

    it('are claimed by one of several that share the database', async () => {
      const { events, leases } = store();
      const alerts = await added(6);
      const owners = [newRuuid(), newRuuid(), newRuuid()];
      const claimed = await Promise.all(
        owners.map((owner) => events.claimUnfinished(2, { owner, ttlMs: LONG_MS })),
      );
      // Alone with its database, a gateway claims nothing: each sees the same.
      const expected = leases.isShared ? alerts : Array(3).fill(alerts.slice(0, 2)).flat();
      expect(claimed.flat().sort((a, b) => a.atMs - b.atMs)).toEqual(
        expected.toSorted((a, b) => a.atMs - b.atMs),
      );
    });

    it('whose claim expired are another one’s, and stay unfinished by the first', async () => {
      const { events, leases } = store();
      const alerts = await added(2);
      await events.claimUnfinished(2, { owner: ours, ttlMs: SHORT_MS });
      const next = { owner: theirs, ttlMs: LONG_MS };
      await until(async () => (await events.claimUnfinished(2, next)).length === 2);
      expect(await events.keepClaims(alerts, { owner: ours, ttlMs: LONG_MS })).toBe(!leases.isShared);
      await events.finish(alerts, ours);
      expect(await events.unfinished(9)).toEqual(leases.isShared ? alerts : []);
      await events.finish(alerts, theirs);
      expect(await events.unfinished(9)).toEqual([]);
    });

    it('that are given back are free at once', async () => {
      const { events } = store();
      const alerts = await added(2);
      await events.claimUnfinished(2, { owner: ours, ttlMs: LONG_MS });
      await events.releaseClaims(ours);
      expect(await events.claimUnfinished(2, { owner: theirs, ttlMs: LONG_MS })).toEqual(alerts);
    });
  });
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}
