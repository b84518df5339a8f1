import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeOnvifDevice } from '../../devices/onvif/fake-onvif-device.ts';
import { inspectOnvifDevice } from '../../devices/onvif/onvif-device.ts';
import { discoverOnvifDevices } from '../../devices/onvif/ws-discovery.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const EXECUTE = '/api/relay/executeThirdPartyCameraDiscovery';
const FOUND = '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('a camera that listens', () => {
  it('is found and queried like any camera', async () => {
    const login = { username: 'viewer', password: 's3cret' };
    const clockEpochMs = Date.UTC(2020, 0);
    const camera = await FakeOnvifDevice.open({
      login,
      clockEpochMs,
      streams: { main: 'rtsp://127.0.0.1:1/main' },
    });
    const targets = [{ address: '127.0.0.1', port: camera.discoveryPort }];
    fixture.onvifCameras.network = {
      discover: () => discoverOnvifDevices({ clock: systemClock, waitMs: 2_000, targets }),
      inspect: (_orgUuid, service, access, timeoutMs) =>
        inspectOnvifDevice(service, { clock: systemClock, ...access, timeoutMs }),
    };
    await fixture.call('/api/relay/createThirdPartyCameraPassword', login);
    expect(await fixture.call(EXECUTE)).toMatchObject({ error: false });
    expect((await fixture.call(FOUND)).discoveries).toMatchObject([
      {
        manufacturer: 'Example & Sons',
        unassignedRtspEndpoints: [
          { rtspUrl: 'rtsp://127.0.0.1:1/main', username: 'viewer', source: 'ONVIF' },
        ],
      },
    ]);
    await camera.close();
  });
});
