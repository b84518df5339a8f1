import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialUrl } from '../../core/secret.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const SCAN = '/api/camera/scanOnvifCameras';
const INSPECT = '/api/camera/inspectOnvifCamera';
const STREAM = { profileToken: 'main', codec: 'h264', rtspUrl: 'rtsp://192.0.2.10/main' };
const DOME = {
  login: 'viewer:right',
  device: {
    manufacturer: 'Example',
    model: 'Dome',
    streams: [{ ...STREAM, substreamUrl: 'rtsp://192.0.2.10/sub', widthPx: 1_920, heightPx: 1_080 }],
  },
};

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  fixture.onvifCameras.byHost.set('192.0.2.10', DOME);
});
afterEach(() => fixture.close());

describe('scanOnvifCameras', () => {
  it('lists what answers by address, says what is known, and stores nothing', async () => {
    const { camera, nvrUuid, organization } = fixture.own;
    await fixture.store.nvrs.remove(organization.uuid, nvrUuid).catch(() => undefined);
    await fixture.store.cameras.save({ ...camera, rtspUrl: new CredentialUrl('rtsp://192.0.2.9/x') });
    for (const host of ['192.0.2.9', '192.0.2.100:8000']) fixture.onvifCameras.byHost.set(host, DOME);
    const { cameras } = await fixture.call(SCAN);
    expect(cameras).toEqual([
      { address: '192.0.2.9', https: false, name: 'Camera at 192.0.2.9', known: true },
      { address: '192.0.2.10', https: false, name: 'Camera at 192.0.2.10', known: false },
      { address: '192.0.2.100:8000', https: false, name: 'Camera at 192.0.2.100:8000', known: false },
    ]);
    const { rtspEndpoints } = await fixture.call('/api/relay/getRtspEndpoints', {});
    expect(rtspEndpoints ?? []).toEqual([]);
  });

  it('leaves out cameras of other organizations', async () => {
    const rtspUrl = new CredentialUrl('rtsp://192.0.2.10/x');
    await fixture.store.cameras.save({ ...fixture.foreign.camera, rtspUrl });
    expect((await fixture.call(SCAN)).cameras).toEqual([]);
  });
});

describe('inspectOnvifCamera', () => {
  it('returns what createCamera takes, and no secret', async () => {
    const login = { username: 'viewer', password: 'right' };
    const response = await fixture.call(INSPECT, { ipAddress: '192.0.2.10', ...login });
    expect(response).toEqual({
      error: false,
      found: true,
      loginRefused: false,
      manufacturer: 'Example',
      model: 'Dome',
      onvifUrl: 'http://192.0.2.10/onvif/device_service',
      profiles: [
        {
          profileToken: 'main',
          codec: 'h264',
          width: 1_920,
          height: 1_080,
          mainUrl: 'rtsp://192.0.2.10/main',
          substreamUrl: 'rtsp://192.0.2.10/sub',
        },
      ],
      channels: [],
    });
    const [{ mainUrl, substreamUrl }] = response.profiles as [{ mainUrl: string; substreamUrl: string }];
    const { onvifUrl } = response as unknown as { onvifUrl: string };
    const created = await fixture.call('/api/camera/createCamera', {
      name: 'Dome',
      mainUrl,
      substreamUrl,
      onvifUrl,
      ...login,
    });
    expect(created).toMatchObject({ error: false });
  });

  it('lists the channels of a video recorder, and says which are cameras already, of which NVR', async () => {
    const channel = (number: number, name: string | null) => ({
      sourceToken: `ch${number}`,
      name,
      profileToken: number === 3 ? null : `main${number}`,
    });
    const stream = (profileToken: string) => ({
      profileToken,
      codec: 'h264',
      rtspUrl: `rtsp://192.0.2.20/${profileToken}`,
    });
    fixture.onvifCameras.byHost.set('192.0.2.20', {
      device: {
        manufacturer: null,
        model: 'NVR-16',
        streams: [
          { ...stream('main1'), substreamUrl: 'rtsp://192.0.2.20/sub1' },
          stream('sub1'),
          stream('main2'),
        ],
        channels: [channel(1, 'Dock'), channel(2, null), channel(3, 'Gate')],
      },
    });
    const mainUrl = 'rtsp://admin:x@192.0.2.20:554/main2';
    const { nvrUuid } = fixture.own;
    const created = await fixture.call('/api/camera/createCamera', { name: 'Hall', mainUrl, nvrUuid });
    const { channels, nvrUuid: known } = await fixture.call(INSPECT, { ipAddress: '192.0.2.20' });
    expect(channels).toEqual([
      { sourceToken: 'ch1', name: 'Dock', profileToken: 'main1' },
      { sourceToken: 'ch2', profileToken: 'main2', cameraUuid: created.cameraUuid },
      { sourceToken: 'ch3', name: 'Gate' },
    ]);
    expect(known).toBe(nvrUuid);
    const foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
    const foreign = await fixture.call(INSPECT, { ipAddress: '192.0.2.20' }, foreignKey);
    expect(JSON.stringify(foreign)).not.toMatch(/cameraUuid|nvrUuid/);
  });

  it.each([
    [{ ipAddress: '192.0.2.10' }, { loginRefused: true, failureCode: 'ONVIF_LOGIN_REFUSED' }],
    [{ ipAddress: '192.0.2.66' }, { loginRefused: false, failureCode: 'ONVIF_UNREACHABLE' }],
  ])('says why there is nothing with %j', async (body, failure) => {
    const response = await fixture.call(INSPECT, body);
    expect(response).toMatchObject({ error: false, found: false, profiles: [], ...failure });
    expect(response.failureSentence).toMatch(/\.$/);
  });

  it.each([
    [{ ipAddress: 'camera.example' }, /^ipAddress must be an IP address/],
    [{ ipAddress: '192.0.2.10', tls: 'x' }, /^tls must be/],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(INSPECT, body)).errorMsg).toMatch(sentence);
  });
});
