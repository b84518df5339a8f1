import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { AddressRules } from '../devices/address-rules.ts';
import { FakeOnvifDevice } from '../devices/onvif/fake-onvif-device.ts';
import { DoorService } from '../platform/access-control/door-service.ts';
import { LandingService } from '../platform/access-control/landing-service.ts';
import { AlertPauses } from '../platform/policies/alert-pauses.ts';
import type { AddressReach } from '../sources/network/camera-address.ts';
import type { Camera } from '../store/entities.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { CameraEvents } from './camera-events.ts';
import type { SeenEvent } from './recorded-events.ts';

const until = (ask: () => boolean) => vi.waitUntil(ask, { interval: 5, timeout: 5_000 });
const motion = (State: 'true' | 'false') =>
  ({ topic: 'tns1:VideoSource/MotionAlarm', operation: 'Changed', data: { State } }) as const;

const TAMPERED = {
  topic: 'tns1:RuleEngine/TamperDetector/Tamper',
  operation: 'Changed',
  data: { IsTamper: 'true' },
} as const;

describe('CameraEvents', () => {
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  let clock: FakeClock;
  let store: Store;
  let camera: Camera;
  let device: FakeOnvifDevice;
  let events: CameraEvents;
  let seen: SeenEvent[];
  let logged: string[];
  let log: Log;
  let clocks: Map<Ruuid, number | null>;

  beforeEach(async () => {
    clock = new FakeClock();
    store = await openTestStore(clock);
    await store.organizations.save(organization);
    device = await FakeOnvifDevice.open({
      events: {},
      clockEpochMs: clock.epochMs() + 3_600_000,
      login: { username: 'viewer', password: 'p&ss' },
    });
    [seen, logged, clocks] = [[], [], new Map()];
    camera = watched();
    await store.cameras.save(camera);
    const note = (_fields: object, message: string) => void logged.push(message);
    log = { ...silentLog, info: note, warn: note, child: () => log };
  });
  afterEach(async () => {
    await events.close();
    await device.close();
    await store.close();
  });

  const watched = (more: Partial<Camera> = {}): Camera =>
    sampleCamera(orgUuid, {
      onvifUrl: new CredentialUrl(`http://viewer:p%26ss@127.0.0.1:${device.port}`),
      ...more,
    });
  const start = async (undeclaredReach: AddressReach = 'no-local', placedHere: Ruuid[] | null = null) => {
    events = await CameraEvents.start({
      store,
      clock,
      log,
      random: () => 0,
      placedHere,
      addressRules: new AddressRules({ undeclaredReach, networks: { operator: [], of: () => [] } }),
      onSeen: (more) => seen.push(...more),
      onClock: (uuid, offsetMs) => void clocks.set(uuid, offsetMs),
    });
  };
  const alerts = async () => {
    const range = { kind: 'policyAlert', fromMs: 0, toMs: clock.epochMs() + 1 } as const;
    return store.events.page(orgUuid, { ...range, order: 'oldest-first', after: null, limit: 100 });
  };
  const subscribed = () => until(() => device.pullPoint.pulls > 0);

  it('makes an alert of motion when it begins, records while it goes on, and notes its length', async () => {
    await start();
    await subscribed();
    const fromMs = clock.epochMs();
    device.pullPoint.notify(motion('true'));
    // The timer of the activity, next to the one of the pull.
    await until(() => clock.pendingTimers === 2);
    await events.settled();
    const body = { policyAlertTriggers: ['MOTION'], textDescription: 'Motion' };
    expect(await alerts()).toMatchObject([{ deviceUuid: camera.uuid, atMs: fromMs, body }]);
    clock.advance(6_000);
    await events.settled();
    // Each reaches to the next.
    expect(seen).toEqual([
      { cameraUuid: camera.uuid, fromMs, toMs: fromMs + 6_000 },
      { cameraUuid: camera.uuid, fromMs, toMs: fromMs + 11_000 },
    ]);
    await until(() => device.pullPoint.pulls === 2);
    // The other alert shows that both were handed on.
    device.pullPoint.notify(motion('false'), TAMPERED);
    await until(() => clock.pendingTimers === 3);
    clock.advance(20_000);
    await events.settled();
    expect(await alerts()).toMatchObject([
      { body: { ...body, durationSec: 6 } },
      { body: { policyAlertTriggers: ['TAMPER'] } },
    ]);
    expect(logged).toEqual(['camera events subscribed', 'camera clock wrong']);
  });

  it('says nothing while alerts of the camera are paused', async () => {
    const doors = new DoorService({ store, clock });
    const landings = new LandingService({ store, clock });
    const pauses = new AlertPauses({ store, doors, landings, clock });
    const subjects = { componentCompositeUuids: [], deviceUuids: [camera.uuid], locationUuids: [] };
    await pauses.pauseFor(orgUuid, subjects, { durationSec: 60 });
    await start();
    await subscribed();
    device.pullPoint.notify(motion('true'));
    await until(() => clock.pendingTimers === 2);
    clock.advance(6_000);
    await events.settled();
    expect([await alerts(), seen]).toEqual([[], []]);
  });

  it('keeps the subscriptions of cameras that did not change, and ends the others', async () => {
    await start();
    await subscribed();
    await store.cameras.save({ ...camera, locationUuid: null, nvrUuid: null, engine: 'direct' });
    await events.settled();
    expect([device.pullPoint.subscribed, device.pullPoint.unsubscribed]).toEqual([1, 0]);
    await store.cameras.save({ ...camera, tls: 'verify' });
    await until(() => device.pullPoint.subscribed === 2 && device.pullPoint.unsubscribed === 1);
    await store.cameras.remove(orgUuid, camera.uuid);
    await events.settled();
    expect(device.pullPoint.unsubscribed).toBe(2);
    expect(clocks).toEqual(new Map([[camera.uuid, null]]));
  });

  it('subscribes to a camera of the API when it is created, as far as its address is allowed', async () => {
    await store.cameras.remove(orgUuid, camera.uuid);
    await start();
    const added = watched({ fromConfig: false });
    await store.cameras.save(added);
    await until(() => logged.includes('camera events lost'));
    expect(device.requested).toEqual([]);
    await events.close();

    await start('anywhere');
    await subscribed();
    device.pullPoint.notify(motion('true'));
    await until(() => clock.pendingTimers === 2);
    expect(clocks.get(added.uuid)).toBe(3_600_000);
    await events.settled();
    expect(await alerts()).toMatchObject([{ deviceUuid: added.uuid }]);
    await store.cameras.save({ ...added, mummified: true });
    await until(() => device.pullPoint.unsubscribed === 1);
  });

  it('subscribes to the cameras of this node alone, and follows when that changes', async () => {
    await start('no-local', []);
    await events.settled();
    expect(device.pullPoint.subscribed).toBe(0);
    events.placed([camera.uuid], true);
    await until(() => device.pullPoint.subscribed === 1);
    await store.cameras.save({ ...camera, name: 'Gate' });
    await until(() => device.pullPoint.subscribed === 2);
    events.placed([camera.uuid], false);
    await until(() => device.pullPoint.unsubscribed === 2);
    await store.cameras.save({ ...camera, name: 'Yard' });
    await events.settled();
    expect(device.pullPoint.subscribed).toBe(2);
  });
});
