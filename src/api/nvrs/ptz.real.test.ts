import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { eventually } from '../../core/eventually-fixture.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from '../../devices/onvif/fake-onvif-device.ts';
import { OnvifPtz } from '../../devices/onvif/onvif-ptz.ts';
import type { OnvifTarget } from '../../devices/onvif-target.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const LOGIN = { username: 'admin', password: 'p&ss' };

let fixture: ApiFixture;
let device: FakeOnvifDevice | null;
let targets: OnvifTarget[];
beforeEach(async () => {
  fixture = await openApiFixture();
  targets = [];
  device = null;
  fixture.onvifCameras.network = {
    openPtz: (target) => {
      targets.push(target);
      return new OnvifPtz({ ...target, clock: systemClock });
    },
  };
});
afterEach(async () => {
  await fixture.close();
  await device?.close();
});

async function moved(options: FakeOnvifDeviceOptions = {}, password = 'p%26ss'): Promise<FakeOnvifDevice> {
  device = await FakeOnvifDevice.open({
    streams: { main: 'rtsp://h/main' },
    media2: 'works',
    ptz: {},
    login: LOGIN,
    clockEpochMs: Date.now(),
    ...options,
  });
  const onvifUrl = new CredentialUrl(`http://admin:${password}@127.0.0.1:${device.port}`);
  await fixture.store.cameras.save({ ...fixture.own.camera, onvifUrl });
  return device;
}

const call = (name: string, body: object = {}): Promise<Answer> =>
  fixture.call(`/api/relay/${name}`, { cameraUuid: fixture.own.camera.uuid, ...body });
const PAN = { mode: 'CONTINUOUS', pan: 0.5, timeoutMs: 2_000 };

describe('a camera that can be moved', () => {
  it('says how, where it looks, and which presets it has', async () => {
    const { ptz } = await moved({ ptz: { modes: ['ABSOLUTE'] } });
    ptz.position = { pan: 0.25, tilt: -1, zoom: 0.5 };
    expect(await call('getPtzStatus')).toEqual({
      error: false,
      panTiltModes: ['CONTINUOUS', 'ABSOLUTE'],
      zoomModes: ['CONTINUOUS', 'ABSOLUTE'],
      position: { pan: 0.25, tilt: -1, zoom: 0.5 },
      moveStatus: 'IDLE',
      presets: [{ presetToken: '1', name: 'Gate' }],
      maxPresets: 16,
    });
  });

  it('is moved, and stopped when the time is over', async () => {
    const { ptz } = await moved();
    expect(await call('movePtz', PAN)).toEqual({ error: false });
    expect(ptz.requests).toMatchObject([{ name: 'ContinuousMove', axes: { pan: 0.5, tilt: 0 } }]);
    fixture.clock.advance(2_000);
    await expect.poll(() => ptz.requests.at(-1)?.name).toBe('Stop');
    expect(await call('movePtz', { mode: 'RELATIVE', zoom: -0.25 })).toEqual({ error: false });
    expect(await call('movePtz', { mode: 'ABSOLUTE', pan: 0, tilt: 0.5 })).toEqual({ error: false });
    expect(await call('stopPtz')).toEqual({ error: false });
    expect(ptz.requests.map(({ name }) => name)).toEqual([
      'ContinuousMove',
      'Stop',
      'RelativeMove',
      'AbsoluteMove',
      'Stop',
    ]);
  });

  it('keeps presets and is sent to them', async () => {
    const { ptz } = await moved();
    const { presetToken } = await call('setPtzPreset', { name: 'Dock' });
    expect(await call('gotoPtzPreset', { presetToken })).toEqual({ error: false });
    expect(ptz.requests).toMatchObject([{ name: 'GotoPreset' }]);
    expect(await call('removePtzPreset', { presetToken: '1' })).toEqual({ error: false });
    expect((await call('getPtzStatus')).presets).toEqual([{ presetToken, name: 'Dock' }]);
    expect(await call('gotoPtzPreset', { presetToken: '1' })).toMatchObject({
      error: true,
      errorMsg: 'The camera refused: No such preset',
    });
  });

  it('is stopped by the gateway’s end', async () => {
    const { ptz } = await moved();
    await call('movePtz', { ...PAN, timeoutMs: 30_000 });
    await fixture.close();
    expect(ptz.isMoving).toBe(false);
    fixture = await openApiFixture();
  });

  it('is asked as its own settings say', async () => {
    await moved();
    await call('getPtzStatus');
    const added = sampleCamera(fixture.own.organization.uuid, {
      fromConfig: false,
      tls: `sha256:${'0'.repeat(64)}`,
    });
    await fixture.store.cameras.save(added);
    await call('getPtzStatus', { cameraUuid: added.uuid });
    const [ofFile, ofApi] = targets;
    expect([ofFile, ofApi]).toMatchObject([
      { rule: { reach: 'anywhere' }, tls: 'any' },
      { rule: { reach: 'no-local' }, tls: added.tls },
    ]);
  });

  it('is asked 20 times at once and 5 times per second, and can always be stopped', async () => {
    const { ptz } = await moved();
    for (let count = 0; count < 20; count += 1) await call('getPtzStatus');
    const refused = await fixture.post('/api/relay/movePtz', { cameraUuid: fixture.own.camera.uuid, ...PAN });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json().errorMsg).toMatch(/^Too many calls for this camera/);
    expect(await call('stopPtz')).toEqual({ error: false });
    fixture.clock.advance(200);
    expect(await call('movePtz', PAN)).toEqual({ error: false });
    expect(ptz.requests.map(({ name }) => name)).toEqual(['Stop', 'ContinuousMove']);
  });

  it('takes the newest of several moves at once', async () => {
    const { ptz } = await moved();
    await call('getPtzStatus');
    const held = Promise.withResolvers<void>();
    ptz.held = held.promise;
    const first = call('movePtz', PAN);
    await expect.poll(() => ptz.requests.length).toBe(1);
    const find = vi.spyOn(fixture.store.cameras, 'find');
    const second = call('movePtz', { ...PAN, pan: 0.1 });
    const errorMsg = expect(second.then((response) => response.errorMsg)).resolves.toMatch(
      /^A later move replaced/,
    );
    // Two calls have no order of their own: the second one waits for the camera before the third one is made.
    await eventually(
      'the second call has the camera',
      () => find.mock.settledResults[0]?.type === 'fulfilled',
    );
    await nextTurn();
    const third = call('movePtz', { ...PAN, pan: -1 });
    await errorMsg;
    held.resolve();
    expect([await first, await third]).toEqual([{ error: false }, { error: false }]);
    expect(ptz.requests.map(({ axes }) => axes.pan)).toEqual([0.5, -1]);
  });
});

describe('a camera that cannot be moved', () => {
  it.each([
    ['has no PTZ', { ptz: undefined }, undefined, /^The camera cannot be moved over ONVIF/],
    ['has no such move', { ptz: { modes: [] } }, undefined, 'The camera has no RELATIVE moves of zoom.'],
    ['refuses the login', {}, 'wrong', /^The camera requires a different ONVIF login/],
    [
      'answers with something else',
      { rawResponse: '<html/>' },
      undefined,
      /does not follow the ONVIF standard/,
    ],
  ])('says so if it %s', async (_why, options, password, sentence) => {
    await moved(options, password);
    const response = await call('movePtz', { mode: 'RELATIVE', zoom: 1 });
    expect([response.error, response.errorMsg]).toEqual([true, expect.stringMatching(sentence)]);
  });

  it('says so if it does not answer, or has no ONVIF service', async () => {
    const camera = await moved();
    await camera.close();
    device = null;
    expect((await call('getPtzStatus')).errorMsg).toMatch(/^No ONVIF service responds/);
    await fixture.store.cameras.save({ ...fixture.own.camera, onvifUrl: null });
    expect((await call('getPtzStatus')).errorMsg).toMatch(
      /^The gateway knows no ONVIF service of this camera/,
    );
  });

  it('is not asked again after a refused login, until its login changes', async () => {
    const camera = await moved({}, 'wrong');
    for (let count = 0; count < 3; count += 1) await call('stopPtz');
    const requested = camera.requested.length;
    await call('stopPtz');
    expect(camera.requested.length).toBe(requested);
    const onvifUrl = new CredentialUrl(`http://admin:p%26ss@127.0.0.1:${camera.port}`);
    await fixture.store.cameras.save({ ...fixture.own.camera, onvifUrl });
    expect(await call('stopPtz')).toEqual({ error: false });
  });
});
