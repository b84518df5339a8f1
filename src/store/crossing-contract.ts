/** The contract of crossings in every store. Part of the store contract. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { BucketRun, Crossing, CrossingCount } from './crossing.ts';
import type { Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
}

const QUARTER_HOUR_MS = 900_000;
const START_MS = 1_767_225_600_000;

export function describeCrossings(context: Context): void {
  describe('crossings', () => {
    it('are counted the same as by a plain count, no matter how they arrive', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(crossingFields(), { maxLength: 25 }), { maxLength: 4 }),
          fc.constantFrom(1, 3, 4, 7),
          fc.nat(QUARTER_HOUR_MS * 3),
          fc.nat(QUARTER_HOUR_MS * 16),
          fc.boolean(),
          async (batches, quartersPerBucket, fromOffsetMs, lengthMs, isDeduplicated) => {
            const devices = [newRuuid(), newRuuid()];
            const known = new Map<string, Crossing>();
            for (const batch of batches) {
              const crossings = batch.map(({ device, ...fields }): Crossing => {
                return { ...fields, deviceUuid: devices[device]!, facet: '', object: 'HUMAN' };
              });
              await context.store().crossings.add(context.org(), crossings);
              for (const crossing of crossings) {
                const key = crossing.deviceUuid + crossing.id;
                if (!known.has(key)) known.set(key, crossing);
              }
            }
            const run = { startMs: START_MS, lengthMs: quartersPerBucket * QUARTER_HOUR_MS, count: 16 };
            const range = { fromMs: START_MS + fromOffsetMs, toMs: START_MS + fromOffsetMs + lengthMs };
            const counts = await context.store().crossings.counts(context.org(), {
              devices: devices.map((deviceUuid) => ({ deviceUuid, facet: '' })),
              ...range,
              runs: [run],
              isDeduplicated,
            });
            expect(counts).toEqual(plainCounts([...known.values()], run, range, isDeduplicated));
          },
        ),
        randomRuns(50),
      );
    });

    it('name the devices that have some, and none of another organization', async () => {
      const device = newRuuid();
      const crossing = { deviceUuid: device, facet: 'v0', id: 'a', atMs: START_MS, objectId: 1 };
      const { crossings } = context.store();
      await crossings.add(context.org(), [{ ...crossing, object: 'HUMAN', direction: 'INGRESS' }]);
      expect(await crossings.reporters(context.org())).toContain(device);
      expect(await crossings.reporters(newRuuid())).toEqual([]);
    });

    it('are counted over more buckets and devices than are looked up individually', async () => {
      const devices = Array.from({ length: 12 }, () => newRuuid());
      const run = { startMs: START_MS, lengthMs: QUARTER_HOUR_MS, count: 9_000 };
      const crossings = devices.flatMap((deviceUuid, device) =>
        Array.from({ length: 60 }, (_, index): Crossing => {
          const atMs =
            START_MS + ((index * 7_919 + device * 104_729) % 9_000) * QUARTER_HOUR_MS + (index % 7);
          const sort = {
            object: 'HUMAN',
            objectId: index % 5,
            direction: index % 2 ? 'EGRESS' : 'INGRESS',
          } as const;
          return { deviceUuid, facet: '', id: `c${index}`, atMs, ...sort };
        }).flatMap((crossing) => [
          crossing,
          { ...crossing, id: `${crossing.id}-again`, atMs: crossing.atMs + 9 },
        ]),
      );
      for (let at = 0; at < crossings.length; at += 1_000) {
        await context.store().crossings.add(context.org(), crossings.slice(at, at + 1_000));
      }
      const range = { fromMs: START_MS + 3, toMs: START_MS + 8_999 * QUARTER_HOUR_MS + 5 };
      const counts = await context.store().crossings.counts(context.org(), {
        devices: devices.map((deviceUuid) => ({ deviceUuid, facet: '' })),
        ...range,
        runs: [run],
        isDeduplicated: true,
      });
      expect(counts).toEqual(plainCounts(crossings, run, range, true));
    });
  });
}

/** Occupancy counts, the newest of them. */
export function describeLatestOccupancy(context: Context): void {
  describe('occupancy counts', () => {
    it('are listed from the newest, of the devices and facets that are wanted', async () => {
      const [first, second, other] = [newRuuid(), newRuuid(), newRuuid()];
      const count = (deviceUuid: Ruuid, facet: string, id: string, afterMs: number) => ({
        deviceUuid,
        facet,
        id,
        atMs: START_MS + afterMs,
        count: afterMs,
      });
      const { occupancy } = context.store();
      await occupancy.add(context.org(), [
        count(first, '', 'a', 1),
        count(first, 'v0', 'b', 5),
        count(first, 'v0', 'c', 3),
        count(second, '', 'd', 4),
        count(other, '', 'e', 9),
      ]);
      const latest = async (devices: readonly [Ruuid, string][], limit: number, org = context.org()) => {
        const wanted = devices.map(([deviceUuid, facet]) => ({ deviceUuid, facet }));
        return (await occupancy.latest(org, wanted, limit)).map(({ id }) => id);
      };
      expect(
        await latest(
          [
            [first, ''],
            [second, ''],
          ],
          3,
        ),
      ).toEqual(['b', 'd', 'c']);
      expect(await latest([[first, 'v0']], 9)).toEqual(['b', 'c', 'a']);
      expect(await latest([[first, 'v1']], 9)).toEqual([]);
      expect(await latest([[first, '']], 9, newRuuid())).toEqual([]);
      expect(await latest([[newRuuid(), '']], 9)).toEqual([]);
      const reporters = await occupancy.reporters(context.org());
      expect(reporters.filter((uuid) => uuid === first)).toEqual([first]);
      expect(await occupancy.reporters(newRuuid())).toEqual([]);
    });
  });
}

function crossingFields() {
  return fc.record({
    device: fc.nat(1),
    id: fc.integer({ min: 0, max: 40 }).map(String),
    atMs: fc
      .tuple(fc.nat(14), fc.constantFrom(0, 1, 2, QUARTER_HOUR_MS - 1))
      .map(([quarter, restMs]) => START_MS + quarter * QUARTER_HOUR_MS + restMs),
    objectId: fc.nat(2),
    direction: fc.constantFrom('INGRESS' as const, 'EGRESS' as const),
  });
}

/** Row by row, with a set of the crossings seen. */
function plainCounts(
  crossings: readonly Crossing[],
  run: BucketRun,
  range: { readonly fromMs: number; readonly toMs: number },
  isDeduplicated: boolean,
): CrossingCount[] {
  const counts = new Map<number, { ingressCount: number; egressCount: number }>();
  const seen = new Set<string>();
  for (const { deviceUuid, atMs, objectId, direction } of crossings) {
    if (atMs < range.fromMs || atMs >= range.toMs) continue;
    const bucket = Math.floor((atMs - run.startMs) / run.lengthMs);
    if (bucket >= run.count) continue;
    const object = `${bucket} ${deviceUuid} ${objectId} ${direction}`;
    if (isDeduplicated && seen.has(object)) continue;
    seen.add(object);
    const count = counts.get(bucket) ?? { ingressCount: 0, egressCount: 0 };
    if (direction === 'INGRESS') count.ingressCount += 1;
    else count.egressCount += 1;
    counts.set(bucket, count);
  }
  return [...counts]
    .map(([bucket, count]) => ({ bucketStartMs: run.startMs + bucket * run.lengthMs, ...count }))
    .sort((a, b) => a.bucketStartMs - b.bucketStartMs);
}
