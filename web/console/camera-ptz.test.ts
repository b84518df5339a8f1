import './page-address-fixture.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { DEVICE_ERRORS } from '../../src/devices/errors.ts';
import { ONVIF_ERRORS } from '../../src/onvif/errors.ts';
import { moveCalls, readPtz } from './camera-ptz.ts';

const STATE = { panTiltModes: ['CONTINUOUS'], zoomModes: [], moveStatus: 'IDLE', presets: [], maxPresets: 9 };

afterEach(() => vi.unstubAllGlobals());

function responding(response: object, calls: unknown[] = []): void {
  vi.stubGlobal('fetch', async (_url: URL, { body }: { body: string }) => {
    calls.push(JSON.parse(body));
    return Response.json(response);
  });
}

const read = () => readPtz('camera', new AbortController().signal);

test.each([DEVICE_ERRORS.PTZ_WITHOUT_ONVIF, ONVIF_ERRORS.ONVIF_PTZ_MISSING])(
  'a camera that refuses with $code is not offered to be moved',
  async ({ message }) => {
    responding({ error: true, errorMsg: message });
    expect(await read()).toEqual({ kind: 'none' });
  },
);

test('a camera that does not answer may do so later', async () => {
  responding({ error: true, errorMsg: ONVIF_ERRORS.ONVIF_UNREACHABLE.message });
  await expect(read()).rejects.toThrow(ONVIF_ERRORS.ONVIF_UNREACHABLE.message);
});

test('a camera is offered what it can do', async () => {
  responding({ error: false, ...STATE });
  expect(await read()).toMatchObject({ kind: 'ready', state: { panTiltModes: ['CONTINUOUS'] } });
  responding({ error: false, ...STATE, panTiltModes: ['ABSOLUTE'] });
  expect(await read()).toEqual({ kind: 'none' });
});

test('only the held axes move', async () => {
  const calls: unknown[] = [];
  responding({ error: false }, calls);
  const { move } = moveCalls('camera', () => undefined);
  await move({ pan: -1, tilt: 0, zoom: 0 }, 2_000);
  await move({ pan: 0, tilt: 0, zoom: 1 }, 2_000);
  const common = { cameraUuid: 'camera', mode: 'CONTINUOUS', timeoutMs: 2_000 };
  expect(calls).toEqual([
    { ...common, pan: -1, tilt: 0 },
    { ...common, zoom: 1 },
  ]);
});
