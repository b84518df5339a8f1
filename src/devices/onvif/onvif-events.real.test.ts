import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { Secret } from '../../core/secret.ts';
import type { ActivityChange } from '../../onvif/activity.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from './fake-onvif-device.ts';
import { OnvifEvents, type OnvifEventsOptions } from './onvif-events.ts';

let camera: FakeOnvifDevice;
let events: OnvifEvents | null = null;
let activity: ActivityChange[];
let subscriptions: (number | null)[];
let lost: { error: GatewayError; retryMs: number }[];
afterEach(async () => {
  await events?.close();
  events = null;
  await camera.close();
});

const until = (ask: () => boolean) => vi.waitUntil(ask, PATIENCE);

const MOTION = {
  topic: 'tns1:VideoSource/MotionAlarm',
  operation: 'Changed',
  data: { State: 'true' },
} as const;
const LOGIN = { username: 'viewer', password: 'p&ss' };

async function watch(
  options: FakeOnvifDeviceOptions = {},
  more: Partial<OnvifEventsOptions> = {},
): Promise<OnvifEvents> {
  camera = await FakeOnvifDevice.open({ events: {}, ...options });
  [activity, subscriptions, lost] = [[], [], []];
  events = new OnvifEvents({
    service: camera.service,
    clock: systemClock,
    login: null,
    random: () => 0,
    onActivity: (change) => activity.push(change),
    onSubscribed: (clockOffsetMs) => subscriptions.push(clockOffsetMs),
    onLost: (error, retryMs) => lost.push({ error, retryMs }),
    ...more,
  });
  return events;
}

describe('OnvifEvents', () => {
  it.each<[string, FakeOnvifDeviceOptions]>([
    ['names it in the URL', {}],
    ['names it in the header (Axis)', { events: { namesInHeader: true } }],
    ['is behind NAT', { believes: '203.0.113.9:80' }],
    ['has Media2 and wants both logins', { media2: 'works', login: LOGIN, checks: 'token-and-http' }],
  ])('pulls from the subscription of a camera that %s, and ends it', async (_name, options) => {
    const login = { username: LOGIN.username, password: new Secret(LOGIN.password) };
    const watching = await watch({ clockEpochMs: Date.now(), ...options }, { login });
    await until(() => camera.pullPoint.pulls > 0);
    camera.pullPoint.notify(MOTION, { topic: 'tns1:Device/Logs', data: { State: 'true' } });
    await until(() => activity.length > 0);
    expect(activity).toEqual([
      { kind: 'motion', source: 'VideoSource/MotionAlarm ', isActive: true, isInitial: false },
    ]);
    expect([subscriptions.length, lost]).toEqual([1, []]);
    await watching.close();
    expect([camera.pullPoint.unsubscribed, camera.pullPoint.isSubscribed]).toEqual([1, false]);
  });

  it('subscribes again, after a pause, when the camera forgot', async () => {
    const clock = new FakeClock();
    await watch({}, { clock });
    await until(() => camera.pullPoint.pulls === 1);
    camera.pullPoint.forget();
    await until(() => lost.length === 1);
    expect(lost[0]).toMatchObject({
      error: { code: 'ONVIF_REFUSED', context: { reason: 'Subscription expired' } },
      retryMs: 2_500,
    });
    expect(camera.pullPoint.subscribed).toBe(1);
    clock.advance(2_500);
    await until(() => camera.pullPoint.pulls === 2);
    camera.pullPoint.notify(MOTION);
    await until(() => activity.length === 1);
  });

  it('renews at half of its lifetime, and reads the clock again', async () => {
    const clock = new FakeClock();
    await watch({ events: { isHasty: true }, clockEpochMs: clock.epochMs() }, { clock, lifetimeSec: 4 });
    for (let second = 1; second <= 3; second += 1) {
      await until(() => camera.pullPoint.pulls === second);
      camera.clockEpochMs = clock.epochMs() + 90_000;
      // The pause after a pull without notifications.
      await until(() => clock.pendingTimers === 1);
      clock.advance(1_000);
    }
    await until(() => camera.pullPoint.renewed === 1 && subscriptions.length === 2);
    expect(subscriptions[1]).toBeGreaterThan(85_000);
    expect(camera.pullPoint.subscribed).toBe(1);
  });

  it('changes to a new subscription if the camera does not renew', async () => {
    const clock = new FakeClock();
    await watch({ events: { isHasty: true, cannotRenew: true } }, { clock, lifetimeSec: 2 });
    await until(() => camera.pullPoint.pulls === 1);
    await until(() => clock.pendingTimers === 1);
    clock.advance(1_000);
    await until(() => camera.pullPoint.subscribed === 2 && subscriptions.length === 2);
    expect([camera.pullPoint.unsubscribed, lost]).toEqual([1, []]);
  });

  it('asks a camera that answers at once no faster than once a second', async () => {
    const clock = new FakeClock();
    await watch({ events: { isHasty: true } }, { clock });
    await until(() => camera.pullPoint.pulls === 1 && clock.pendingTimers === 1);
    clock.advance(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect([camera.pullPoint.pulls, clock.pendingTimers]).toEqual([1, 1]);
    clock.advance(1);
    await until(() => camera.pullPoint.pulls === 2);
  });

  it('pauses long after a refused login, and longer after each failure', async () => {
    const clock = new FakeClock();
    await watch({ login: LOGIN, clockEpochMs: clock.epochMs() }, { clock });
    await until(() => lost.length === 1);
    expect(lost[0]).toMatchObject({ error: { code: 'ONVIF_NOT_AUTHENTICATED' }, retryMs: 300_000 });
    await events?.close();
    await camera.close();
    await watch({ rawResponse: 'nothing' }, { clock });
    for (let failures = 1; failures <= 9; failures += 1) {
      await until(() => lost.length === failures && clock.pendingTimers === 1);
      clock.advance(lost.at(-1)!.retryMs);
    }
    await until(() => lost.length === 10);
    expect(lost.map(({ retryMs }) => retryMs / 1_000)).toEqual([2.5, 5, 10, 20, 40, 80, 150, 150, 150, 150]);
  });

  it('says that a camera has no events', async () => {
    const clock = new FakeClock();
    await watch({ events: undefined }, { clock });
    await until(() => lost.length === 1);
    expect(lost[0]?.error).toMatchObject({ code: 'ONVIF_NOT_SUPPORTED' });
  });

  it('does not trip over what is no response', async () => {
    await watch();
    await until(() => camera.pullPoint.pulls === 1);
    camera.pullPoint.respondRaw('<a></b>');
    await until(() => lost.length === 1);
    expect(lost[0]?.error).toMatchObject({ code: 'ONVIF_BAD_ANSWER' });
  });
});
