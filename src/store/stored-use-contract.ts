/** The contract of counting the records of organizations, and of making room, in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Crossing } from './crossing.ts';
import type { StoredEvent } from './event.ts';
import { resourceKind } from './resource.ts';
import { sampleEvent } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

const QUARTER_HOUR_MS = 900_000;
const NO_BYTES = { bytes: Number.MAX_SAFE_INTEGER };
const TAGS = resourceKind<{ readonly text: string }>('proximityTag');

export function describeStoredUse(context: Context): void {
  describe('stored use', () => {
    const events = (count: number, fields: Partial<StoredEvent>): StoredEvent[] =>
      Array.from({ length: count }, (_, index) =>
        sampleEvent(context.org(), { id: newRuuid(), atMs: index, ...fields }),
      );
    const rowsOf = async (kind: Parameters<Store['use']['of']>[1]) =>
      (await context.store().use.of(context.org(), kind)).rows;

    it('counts what is added, changed and removed, for each organization', async () => {
      const { events: table, use, resources } = context.store();
      const [event] = events(1, { body: { text: 'é' } });
      expect(await table.add([event!, ...events(2, {})])).toBe(3);
      expect(await table.add([event!])).toBe(0);
      await table.add([sampleEvent(context.otherOrg())]);
      const before = await use.of(context.org(), 'event');
      expect(before.rows).toBe(3);
      await table.amend(event!, { text: 'é'.repeat(11) });
      expect((await use.of(context.org(), 'event')).bytes).toBe(before.bytes + 20);
      await table.removeBefore(context.org(), 2, 1);
      expect(await rowsOf('event')).toBe(2);
      const tag = {
        uuid: newRuuid(),
        orgUuid: context.org(),
        name: '',
        parentUuid: null,
        secret: null,
        body: { text: 'a' },
        createdAtMs: 1,
        updatedAtMs: 1,
      };
      await resources.of(TAGS).save(tag);
      const small = await use.of(context.org(), 'proximityTag');
      await resources.of(TAGS).save({ ...tag, body: { text: 'abc' } });
      const grown = await use.of(context.org(), 'proximityTag');
      expect([small.rows, grown.rows, grown.bytes - small.bytes]).toEqual([1, 1, 2]);
      await resources.of(TAGS).remove(context.org(), tag.uuid);
      expect(await use.of(context.org(), 'proximityTag')).toEqual({ rows: 0, bytes: 0 });
    });

    it('makes room for events with the oldest of the credential that reported most', async () => {
      const { events: table, use } = context.store();
      const [greedy, modest] = [newRuuid(), newRuuid()];
      // The future does not make others' events the oldest.
      await table.add(events(20, { reporterUuid: greedy, atMs: 9_000_000_000_000 }));
      await table.add(events(10, { reporterUuid: modest }));
      await table.add([sampleEvent(context.otherOrg(), { atMs: 1 })]);
      const bound = { rows: 12, ...NO_BYTES };
      expect(await table.removeExcess(context.org(), bound, 7)).toBe(7);
      expect(await table.removeExcess(context.org(), bound, 50)).toBe(11);
      expect(await table.removeExcess(context.org(), bound, 50)).toBe(0);
      const kept = await table.page(context.org(), {
        kind: 'posEvent',
        fromMs: 0,
        toMs: 100,
        order: 'oldest-first',
        after: null,
        limit: 50,
      });
      expect(kept).toHaveLength(10);
      expect((await use.of(context.otherOrg(), 'event')).rows).toBe(1);
      const { bytes } = await use.of(context.org(), 'event');
      expect(await table.removeExcess(context.org(), { rows: 100, bytes: bytes - 1 }, 50)).toBe(1);
    });

    it('makes room for crossings with the oldest of the device that has most, and keeps the sums right', async () => {
      const { crossings } = context.store();
      const busy = { deviceUuid: newRuuid(), facet: '' };
      const quiet = { deviceUuid: newRuuid(), facet: '' };
      const at = (device: typeof busy, atMs: number): Crossing => ({
        ...device,
        id: newRuuid(),
        atMs,
        object: 'HUMAN',
        objectId: 1,
        direction: 'INGRESS',
      });
      const half = QUARTER_HOUR_MS / 2;
      await crossings.add(context.org(), [at(quiet, 0), at(quiet, half)]);
      await crossings.add(
        context.org(),
        Array.from({ length: 8 }, (_, index) => at(busy, index * half)),
      );
      expect(await crossings.removeExcess(context.org(), { rows: 7, ...NO_BYTES }, 50)).toBe(3);
      expect(await rowsOf('crossing')).toBe(7);
      const runs = [{ startMs: 0, lengthMs: QUARTER_HOUR_MS, count: 4 }];
      const counts = (device: typeof busy) =>
        crossings.counts(context.org(), {
          devices: [device],
          runs,
          fromMs: 0,
          toMs: 4 * QUARTER_HOUR_MS,
          isDeduplicated: false,
        });
      expect((await counts(busy)).map(({ ingressCount }) => ingressCount)).toEqual([1, 2, 2]);
      expect((await counts(quiet)).map(({ ingressCount }) => ingressCount)).toEqual([2]);
      expect(await crossings.removeExcess(context.org(), { rows: 7, ...NO_BYTES }, 50)).toBe(0);
    });

    it('makes room for occupancy counts with the oldest of the device that has most', async () => {
      const { occupancy } = context.store();
      const [busy, quiet] = [newRuuid(), newRuuid()];
      const count = (deviceUuid: Ruuid, atMs: number) => ({
        deviceUuid,
        facet: '',
        id: newRuuid(),
        atMs,
        count: 1,
      });
      await occupancy.add(
        context.org(),
        Array.from({ length: 5 }, (_, index) => count(busy, index)),
      );
      await occupancy.add(context.org(), [count(quiet, 0)]);
      expect(await occupancy.removeExcess(context.org(), { rows: 2, ...NO_BYTES }, 50)).toBe(4);
      expect(await occupancy.hasReported(context.org(), quiet)).toBe(true);
      expect(await occupancy.removeExcess(context.org(), { rows: 2, ...NO_BYTES }, 50)).toBe(0);
    });
  });
}
