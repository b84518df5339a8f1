import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import type { LiveStateName } from '../stream/media/live-media.ts';
import { CameraHealth } from './camera-health.ts';

describe('CameraHealth', () => {
  const clock = new FakeClock();
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  let store: Store;
  beforeEach(async () => {
    store = await openTestStore(clock);
    await store.organizations.save(organization);
  });
  afterEach(() => store.close());

  it('records each time a camera goes offline and comes back, once', async () => {
    const known = sampleCamera(orgUuid);
    await store.cameras.save(known);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    const added = sampleCamera(orgUuid);
    await store.cameras.save(added);
    for (const camera of [known, added]) {
      const states: LiveStateName[] = ['starting', 'live', 'offline', 'starting'];
      for (const state of [...states, 'offline', 'live'] as const) {
        clock.advance(1_000);
        health.onReport(camera.uuid, reportOf(state));
      }
    }
    health.onReport(newRuuid(), reportOf('offline'));
    await health.stop();
    const events = await store.events.page(orgUuid, {
      kind: 'deviceHealth',
      fromMs: 0,
      toMs: clock.epochMs() + 1,
      order: 'oldest-first',
      after: null,
      limit: 100,
    });
    expect(events.map(({ deviceUuid, body }) => [deviceUuid, body])).toEqual(
      [known, added].flatMap(({ uuid }) =>
        [null, 'DOWN', null].map((symptom) => [uuid, { symptom, seenBy: 'gateway' }]),
      ),
    );
  });

  it('records the result of a probe of a closed camera, but nothing about one that was never contacted', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    health.onReport(camera.uuid, reportOf('idle', 'not-checked'));
    health.onReport(camera.uuid, reportOf('idle', 'offline'));
    clock.advance(1_000);
    health.onReport(camera.uuid, reportOf('idle', 'reachable'));
    await health.stop();
    const range = { kind: 'deviceHealth', fromMs: 0, toMs: clock.epochMs() + 1 } as const;
    const events = await store.events.page(orgUuid, {
      ...range,
      order: 'oldest-first',
      after: null,
      limit: 10,
    });
    expect(events.map(({ body }) => body)).toEqual([
      { symptom: 'DOWN', seenBy: 'gateway' },
      { symptom: null, seenBy: 'gateway' },
    ]);
  });

  it('writes nothing, and logs no error, when a camera goes offline after it was stopped', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const errors: string[] = [];
    const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) };
    const events = { ...store.events, add: () => Promise.reject(new Error('the store is closed')) };
    const closing = { cameras: store.cameras, events, onChange: store.onChange.bind(store) };
    const health = await CameraHealth.start({ store: closing as unknown as Store, clock, log });
    await health.stop();
    health.onReport(camera.uuid, reportOf('offline'));
    await health.stop();
    expect(errors).toEqual([]);
  });

  it('forgets removed cameras', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    await store.cameras.remove(orgUuid, camera.uuid);
    health.onReport(camera.uuid, reportOf('offline'));
    await health.stop();
    const range = { kind: 'deviceHealth', fromMs: 0, toMs: clock.epochMs() + 1 } as const;
    expect(await store.events.count(orgUuid, range)).toBe(0);
  });
});
