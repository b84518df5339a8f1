import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { openStore } from '../../store/open-store.ts';
import { sampleCamera, sampleOrganisation } from '../../store/sample-entities.ts';
import type { Store } from '../../store/store.ts';
import type { LiveStateName } from '../../stream/live-media.ts';
import { CameraHealth } from './camera-health.ts';

describe('CameraHealth', () => {
  const clock = new FakeClock();
  const organisation = sampleOrganisation();
  const orgUuid = organisation.uuid;
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ kind: 'sqlite', path: ':memory:', fieldKey: Buffer.alloc(32), clock });
    await store.organisations.save(organisation);
  });
  afterEach(() => store.close());

  it('writes down each time a camera goes and comes back, once', async () => {
    const known = sampleCamera(orgUuid);
    await store.cameras.save(known);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    const added = sampleCamera(orgUuid);
    await store.cameras.save(added);
    for (const camera of [known, added]) {
      const states: LiveStateName[] = ['starting', 'live', 'offline', 'starting'];
      for (const state of [...states, 'offline', 'live'] as const) {
        clock.advance(1_000);
        health.onStatusChange(camera.uuid, state);
      }
    }
    health.onStatusChange(newRuuid(), 'offline');
    await health.stop();
    const events = await store.events.page(orgUuid, {
      ...{ kind: 'deviceHealth', fromMs: 0, toMs: clock.epochMs() + 1, order: 'oldest-first', after: null },
      limit: 100,
    });
    expect(events.map(({ deviceUuid, body }) => [deviceUuid, body])).toEqual(
      [known, added].flatMap(({ uuid }) =>
        [null, 'DOWN', null].map((symptom) => [uuid, { symptom, seenBy: 'gateway' }]),
      ),
    );
  });

  it('forgets removed cameras', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    await store.cameras.remove(orgUuid, camera.uuid);
    health.onStatusChange(camera.uuid, 'offline');
    await health.stop();
    const range = { kind: 'deviceHealth', fromMs: 0, toMs: clock.epochMs() + 1 } as const;
    expect(await store.events.count(orgUuid, range)).toBe(0);
  });
});
