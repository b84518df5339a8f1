import { expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { cameraPlaces } from './camera-places.ts';
import type { Acquisition } from './nodes/camera-leases.ts';
import type { ClusterNode } from './nodes/cluster-node.ts';

const CAMERA = newRuuid();
const ACQUIRED: Acquisition = { kind: 'acquired', fence: 4, isContinuation: false };

class Bench {
  isDraining = false;
  claims = 0;
  readonly released: Ruuid[] = [];
  readonly claimed = Promise.withResolvers<Acquisition>();
  readonly places = cameraPlaces(
    {
      ownership: {
        claim: () => {
          this.claims++;
          return this.claimed.promise;
        },
      },
      leases: { release: async (cameraUuid: Ruuid) => void this.released.push(cameraUuid) },
    } as unknown as ClusterNode,
    { linkTo: () => expect.unreachable() },
    () => this.isDraining,
  );
}

it('acquires a camera, unless the node drains', async () => {
  const bench = new Bench();
  bench.claimed.resolve(ACQUIRED);
  expect(await bench.places.acquire(CAMERA)).toEqual(ACQUIRED);
  bench.isDraining = true;
  expect(await bench.places.acquire(CAMERA)).toEqual({ kind: 'unavailable' });
  expect([bench.claims, bench.released]).toEqual([1, []]);
});

it('gives a camera back that it gets after a drain has begun', async () => {
  const bench = new Bench();
  const acquisition = bench.places.acquire(CAMERA);
  bench.isDraining = true;
  bench.claimed.resolve(ACQUIRED);
  expect(await acquisition).toEqual({ kind: 'unavailable' });
  expect(bench.released).toEqual([CAMERA]);
});

it('gives nothing back that it did not get', async () => {
  const bench = new Bench();
  const acquisition = bench.places.acquire(CAMERA);
  bench.isDraining = true;
  bench.claimed.resolve({ kind: 'taken' });
  expect(await acquisition).toEqual({ kind: 'taken' });
  expect(bench.released).toEqual([]);
});
