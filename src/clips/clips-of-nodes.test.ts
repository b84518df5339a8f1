/** Several gateways on one database: one of them makes a clip. */

import { expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import type { LeaseRepository } from '../store/lease.ts';
import type { Store } from '../store/store.ts';
import { ClipsFixture, START_MS, testRecording } from './clips-fixture.ts';

/** The store as it is for gateways that share it. */
function sharedStore(store: Store): Store {
  const { leases } = store;
  const shared: LeaseRepository = {
    isShared: true,
    take: (...args) => leases.take(...args),
    takeExpired: (...args) => leases.takeExpired(...args),
    keep: (...args) => leases.keep(...args),
    release: (...args) => leases.release(...args),
    releaseAll: (...args) => leases.releaseAll(...args),
  };
  const { resources, cameras, nvrs, locations, events } = store;
  const onChange: Store['onChange'] = (listener) => store.onChange(listener);
  return { resources, cameras, nvrs, locations, events, onChange, leases: shared } as Store;
}

it('a clip is made by one of them, and by another one when that leaves it', async () => {
  const home = await ClipsFixture.open();
  const nodes: ClipsFixture[] = [];
  for (let at = 0; at < 2; at++) {
    const node = new ClipsFixture(sharedStore(home.store), await testRecording());
    for (const camera of home.cameras) node.recorded.set(camera, home.recorded.get(camera)!);
    nodes.push(node);
  }
  const [one, two] = nodes as [ClipsFixture, ClipsFixture];
  const copies = () => nodes.map(({ thread }) => thread.messages.filter(({ op }) => op === 'copy').length);
  one.thread.isHanging = true;
  const uuid = await one.clips.splice(home.orgUuid, {
    devices: home.cameras,
    startMs: START_MS + 1_480,
    durationSec: 3,
    hasAudio: true,
  });
  await eventuallyEqual(copies, [1, 0]);
  await two.clips.begin();
  await two.clips.settled();
  expect(copies()).toEqual([1, 0]);
  expect((await home.find(uuid)).body.status).toBe('INITIATING');
  // It stops in an orderly way, and gives back its lease.
  one.maker.close();
  await one.clips.close();
  await eventuallyEqual(() => {
    if (copies()[1] === 0) two.clock.advance(10_000);
    return copies();
  }, [1, 1]);
  await eventuallyEqual(async () => (await home.find(uuid)).body.status, 'COMPLETE');
  expect(copies()).toEqual([1, 1]);
  await two.clips.close();
  two.maker.close();
});
