import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { Secret } from '../../core/secret.ts';
import { FakeOnvifDevice, type FakeOnvifDeviceOptions } from './fake-onvif-device.ts';
import { OnvifPtz } from './onvif-ptz.ts';

const SIGNAL = new AbortController().signal;
const STREAM_URL = 'rtsp://127.0.0.1/main';
const RIGHT = { pan: 0.5, tilt: null, zoom: null };

let device: FakeOnvifDevice;
afterEach(() => device.close());

async function open(options: FakeOnvifDeviceOptions, streamUrl = STREAM_URL): Promise<OnvifPtz> {
  device = await FakeOnvifDevice.open({
    streams: { main: 'rtsp://h/main' },
    media2: 'works',
    ptz: {},
    clockEpochMs: Date.now(),
    ...options,
  });
  const login = { username: 'admin', password: new Secret('p&ss') };
  return new OnvifPtz({ service: device.service, clock: systemClock, login, streamUrl });
}

describe('OnvifPtz', () => {
  it('reads abilities, position and presets', async () => {
    const ptz = await open({ ptz: { hasDegrees: true, hasNoZoom: true } });
    device.ptz.position = { pan: -90, tilt: 45, zoom: 0 };
    const { node, ...state } = await ptz.state(SIGNAL);
    expect(node.zoom).toEqual({ CONTINUOUS: null, RELATIVE: null, ABSOLUTE: null });
    expect(state).toEqual({
      position: { pan: -0.5, tilt: 0.5, zoom: null },
      moveStatus: 'IDLE',
      presets: [{ token: '1', name: 'Gate' }],
    });
  });

  it.each(['none', 'works', 'refuses'] as const)('moves and stops where Media2 %s', async (media2) => {
    const ptz = await open({ media2, login: { username: 'admin', password: 'p&ss' } });
    await ptz.move('CONTINUOUS', RIGHT, 1_200, SIGNAL);
    expect(device.ptz.isMoving).toBe(true);
    await ptz.stop(SIGNAL);
    await ptz.move('RELATIVE', { ...RIGHT, zoom: -0.1 }, 0, SIGNAL);
    await ptz.move('ABSOLUTE', { pan: 0, tilt: 1, zoom: 0.25 }, 0, SIGNAL);
    expect(device.ptz.requests).toEqual([
      { name: 'ContinuousMove', profile: 'main', axes: { pan: 0.5, tilt: 0 }, timeout: 'PT2S' },
      expect.objectContaining({ name: 'Stop' }),
      { name: 'RelativeMove', profile: 'main', axes: { pan: 0.5, tilt: 0, zoom: -0.1 }, timeout: null },
      { name: 'AbsoluteMove', profile: 'main', axes: { pan: 0, tilt: 1, zoom: 0.25 }, timeout: null },
    ]);
    // Found once.
    expect(device.requested.filter((name) => name === 'GetNodes')).toHaveLength(1);
  });

  it('keeps, replaces, reaches and removes presets', async () => {
    const ptz = await open({});
    expect(await ptz.setPreset('Dock & yard', null, SIGNAL)).toBe('2');
    expect(await ptz.setPreset('Yard', '2', SIGNAL)).toBe('2');
    await ptz.gotoPreset('2', SIGNAL);
    await ptz.removePreset('1', SIGNAL);
    expect(device.ptz.presets).toEqual(new Map([['2', 'Yard']]));
    const gone = ptz.gotoPreset('1', SIGNAL);
    await expect(gone).rejects.toMatchObject({
      code: 'ONVIF_REFUSED',
      context: { reason: 'No such preset' },
    });
  });

  it('moves a camera that cannot say where it is', async () => {
    const ptz = await open({ ptz: { saysNothing: true } });
    expect(await ptz.state(SIGNAL)).toMatchObject({ position: null, moveStatus: 'UNKNOWN', presets: [] });
    await ptz.move('CONTINUOUS', RIGHT, 500, SIGNAL);
    expect(device.ptz.requests).toMatchObject([{ timeout: 'PT1S' }]);
  });

  const CHANNELS = {
    one: { uri: 'rtsp://192.0.2.99/ch1?sub=0', source: 'ch1' },
    two: { uri: 'rtsp://192.0.2.99/ch2?sub=0', source: 'ch2' },
    twoSub: { uri: 'rtsp://192.0.2.99/ch2?sub=1', source: 'ch2' },
  };

  it('moves the channel of a video recorder that its stream shows, and no other', async () => {
    const ofTwo = 'rtsp://user@127.0.0.1:554/ch2?sub=0';
    const ptz = await open({ streams: CHANNELS, ptz: { profiles: ['one', 'twoSub'] } }, ofTwo);
    await ptz.move('CONTINUOUS', RIGHT, 500, SIGNAL);
    expect(device.ptz.requests).toMatchObject([{ profile: 'twoSub' }]);
  });

  it.each([
    ['has no PTZ service', { ptz: undefined, media2: 'none' } as const, STREAM_URL],
    ['names a service that it does not have', { ptz: undefined } as const, STREAM_URL],
    [
      'shows a channel that cannot move',
      { streams: CHANNELS, ptz: { profiles: ['one'] } },
      'rtsp://h/ch2?sub=0',
    ],
    ['does not know the stream', { streams: CHANNELS }, 'rtsp://h/other'],
  ])('refuses to move a camera that %s', async (_why, options, streamUrl) => {
    const ptz = await open(options, streamUrl);
    await expect(ptz.move('CONTINUOUS', RIGHT, 500, SIGNAL)).rejects.toMatchObject({
      code: 'ONVIF_PTZ_MISSING',
    });
    expect(device.ptz.requests).toEqual([]);
  });

  it.each([
    ['RELATIVE', { pan: 1, tilt: null, zoom: 1 }, 'pan and tilt, zoom'],
    ['CONTINUOUS', { pan: null, tilt: null, zoom: 1 }, 'zoom'],
  ] as const)('says what a camera without %s moves lacks', async (mode, vector, missing) => {
    const ptz = await open({ ptz: { modes: [], hasNoZoom: true } });
    await expect(ptz.move(mode, vector, 500, SIGNAL)).rejects.toMatchObject({
      code: 'ONVIF_PTZ_MOVE_MISSING',
      context: { mode, missing },
    });
  });

  it('fails if the login is wrong', async () => {
    const ptz = await open({ login: { username: 'admin', password: 'other' } });
    await expect(ptz.stop(SIGNAL)).rejects.toMatchObject({ code: 'ONVIF_NOT_AUTHENTICATED' });
  });
});
