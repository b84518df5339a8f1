import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import type { LiveStateName } from '../stream/media/live-media.ts';
import { CameraHealth, FLAPPING_OUTAGES, FLAPPING_WINDOW_MS, STEADY_MS } from './camera-health.ts';
import type { DeviceHealthEvent } from './device-health.ts';
import { diagnosticFeed } from './diagnostic-feed.ts';

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

  /** In order. */
  async function eventsOf(cameraUuid: Ruuid): Promise<DeviceHealthEvent[]> {
    const range = { fromMs: 0, toMs: clock.epochMs() + 1, after: null, limit: 1_000 } as const;
    const query = { ...range, kind: 'deviceHealth', order: 'oldest-first' } as const;
    const events = (await store.events.page(orgUuid, query)) as DeviceHealthEvent[];
    return events.filter(({ deviceUuid }) => deviceUuid === cameraUuid);
  }

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

  it('records a camera that keeps coming and going as back only once it stays', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    health.onReport(camera.uuid, reportOf('live'));
    // Events of one instant have no order.
    clock.advance(1_000);
    const startMs = clock.epochMs();
    // Each minute, for two hours.
    for (let minute = 0; minute < 120; minute++) {
      health.onReport(camera.uuid, reportOf('offline'));
      clock.advance(30_000);
      health.onReport(camera.uuid, reportOf('idle', 'reachable'));
      clock.advance(30_000);
    }
    const backMs = clock.epochMs() - 30_000 - startMs;
    clock.advance(STEADY_MS);
    clock.advance(2 * FLAPPING_WINDOW_MS);
    health.onReport(camera.uuid, reportOf('offline'));
    clock.advance(1_000);
    health.onReport(camera.uuid, reportOf('idle', 'reachable'));
    await health.stop();
    const events = (await eventsOf(camera.uuid)).map(({ atMs, body }) => [atMs - startMs, body.symptom]);
    const first = Array.from({ length: FLAPPING_OUTAGES }, (_, outage) => [
      [outage * 60_000, 'DOWN'],
      [outage * 60_000 + 30_000, null],
    ]).flat();
    expect(events.slice(1, first.length)).toEqual(first.slice(0, -1));
    expect(events.slice(first.length).map(([, symptom]) => symptom)).toEqual([null, 'DOWN', null]);
    expect(events[first.length]).toEqual([backMs, null]);
  });

  it('records the first contact after a start, and that nothing has changed', async () => {
    const [broken, fine] = [sampleCamera(orgUuid), sampleCamera(orgUuid)];
    for (const camera of [broken, fine]) await store.cameras.save(camera);
    const firstMs = clock.epochMs();
    for (let start = 0; start < 3; start++) {
      const health = await CameraHealth.start({ store, clock, log: silentLog });
      health.onReport(broken.uuid, reportOf('idle', 'offline'));
      health.onReport(fine.uuid, reportOf('idle', 'reachable'));
      expect(await health.offlineSinceMs(broken.uuid)).toBe(start === 0 ? null : firstMs);
      await health.stop();
      clock.advance(60_000);
    }
    for (const { uuid } of [broken, fine]) {
      expect((await eventsOf(uuid)).map(({ body }) => body.isUnchanged ?? false)).toEqual([
        false,
        true,
        true,
      ]);
    }
    const { events } = await diagnosticFeed(store, orgUuid, { fromMs: 0, toMs: clock.epochMs() });
    expect(events.map(({ activity }) => activity).toSorted()).toEqual([
      'CAMERA_CONNECTED',
      'CAMERA_DISCONNECTED',
    ]);
  });

  it('dates an outage as its report does', async () => {
    const camera = sampleCamera(orgUuid);
    await store.cameras.save(camera);
    const health = await CameraHealth.start({ store, clock, log: silentLog });
    const report = reportOf('offline');
    const atMs = clock.epochMs() - 5_000;
    health.onReport(camera.uuid, { ...report, main: { ...report.main, offlineSinceEpochMs: atMs } });
    await health.stop();
    expect((await eventsOf(camera.uuid)).map((event) => event.atMs)).toEqual([atMs]);
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
