import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { OnvifPresence } from '../../devices/onvif-discovery.ts';
import { DIRECT_ERRORS } from '../../sources/network/errors.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const EXECUTE = '/api/relay/executeThirdPartyCameraDiscovery';
const ADD = '/api/relay/addThirdPartyCameraViaOnvif';
const FOUND = '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints';

const stream = (host: string, name: string) => ({
  profileToken: name,
  codec: 'h264',
  rtspUrl: `rtsp://${host}/${name}`,
});
const device = (host: string) => ({
  manufacturer: 'Example',
  model: 'Dome 4',
  streams: [stream(host, 'main'), stream(host, 'sub')],
});

let fixture: ApiFixture;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const discoveries = async (headers = {}) => (await fixture.call(FOUND, {}, headers)).discoveries;
const save = (username: string, password: string) =>
  fixture.call('/api/relay/createThirdPartyCameraPassword', { username, password });

const at = { host: '192.0.2.9', address: '192.0.2.9', networks: '10.0.0.0/8' };
const REFUSALS = {
  DIRECT_ADDRESS_REFUSED: new GatewayError(DIRECT_ERRORS.DIRECT_ADDRESS_REFUSED, at),
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS: new GatewayError(
    DIRECT_ERRORS.DIRECT_OUTSIDE_ORGANIZATION_NETWORKS,
    at,
  ),
  DIRECT_OUTSIDE_OPERATOR_NETWORKS: new GatewayError(DIRECT_ERRORS.DIRECT_OUTSIDE_OPERATOR_NETWORKS, at),
};

describe(EXECUTE, () => {
  it('lists the streams of cameras that respond, to be authenticated and assigned', async () => {
    const { byHost } = fixture.onvifCameras;
    byHost.set('192.0.2.10', { device: device('192.0.2.10') });
    byHost.set('192.0.2.11', { login: 'viewer:s3cret', device: device('192.0.2.11') });
    byHost.set('192.0.2.12', { login: 'admin:unknown', device: device('192.0.2.12') });
    await save('viewer', 's3cret');
    const response = await fixture.call(EXECUTE);
    expect(response).toMatchObject({
      error: false,
      warningMsg: 'These cameras require another login: 192.0.2.12.',
    });
    const endpoint = (host: string, name: string, login: object) => ({
      rtspUrl: `rtsp://${host}/${name}`,
      lastRtspUrlStatus: 'UNKNOWN',
      source: 'ONVIF',
      ...login,
    });
    const camera = (ipAddress: string, login: object) => ({
      ipAddress,
      manufacturer: 'Example',
      model: 'Dome 4',
      codec: 'h264',
      unassignedRtspEndpoints: expect.arrayContaining([
        expect.objectContaining(endpoint(ipAddress, 'main', login)),
        expect.objectContaining(endpoint(ipAddress, 'sub', login)),
      ]),
    });
    const found = (await discoveries()) as { ipAddress: string }[];
    expect(found.toSorted((a, b) => a.ipAddress.localeCompare(b.ipAddress))).toMatchObject([
      camera('192.0.2.10', {}),
      camera('192.0.2.11', { username: 'viewer' }),
    ]);
    expect(await discoveries(foreignKey)).toEqual([]);

    const rtspUrl = 'rtsp://192.0.2.11/main';
    fixture.rtspCameras.byUrl.set(rtspUrl, { login: 'viewer:s3cret' });
    const opened = await fixture.call('/api/relay/authenticateThirdPartyCamera', {
      rtspUrl,
      trySavedCredentials: true,
    });
    expect(opened).toMatchObject({
      rtspUrlStatus: 'GOOD',
      result: {
        manufacturer: 'Example',
        onvifProfileToken: 'main',
        onvifUsername: 'viewer',
      },
    });
    expect(opened.result).not.toHaveProperty('onvifPassword');
    const again = await fixture.call(EXECUTE);
    expect(again.error).toBe(false);
    const assigned = await fixture.call('/api/relay/assignThirdPartyCameraToNVR', {
      rtspUrl,
      nvruuid: fixture.own.nvrUuid,
    });
    expect(assigned).toMatchObject({ error: false });
  });

  it('says if nothing responds, and leaves out cameras of other organizations', async () => {
    expect(await fixture.call(EXECUTE)).toMatchObject({ error: false, warningMsg: 'No camera responded.' });
    const { organization } = fixture.foreign;
    const rtspUrl = new CredentialUrl('rtsp://192.0.2.10/x');
    await fixture.store.cameras.save(sampleCamera(organization.uuid, { rtspUrl }));
    fixture.onvifCameras.byHost.set('192.0.2.10', { device: device('192.0.2.10') });
    expect(await fixture.call(EXECUTE)).toMatchObject({ warningMsg: 'No camera responded.' });
    expect(await discoveries()).toEqual([]);
  });

  it.each(Object.entries(REFUSALS))(
    'passes over a camera with %s, and lists the others',
    async (code, error) => {
      const allowed = { ...device('192.0.2.10'), service: 'http://192.0.2.10/onvif/device_service' };
      const streams = allowed.streams.map((each) => ({
        substreamUrl: null,
        widthPx: null,
        heightPx: null,
        ...each,
      }));
      for (const host of ['192.0.2.9', '192.0.2.10', '192.0.2.11']) {
        fixture.onvifCameras.byHost.set(host, { device: device(host) });
      }
      const presences = await fixture.onvifCameras.discover(0);
      fixture.onvifCameras.network = {
        discover: async () => presences,
        inspect: async (_orgUuid, { hostname }) => {
          if (hostname !== '192.0.2.10') throw error;
          return { ...allowed, streams, channels: [] };
        },
      };
      const response = await fixture.call(EXECUTE);
      expect([code, response]).toEqual([code, expect.objectContaining({ error: false })]);
      expect(response).not.toHaveProperty('warningMsg');
      expect(await discoveries()).toMatchObject([{ ipAddress: '192.0.2.10' }]);
    },
  );

  it('runs one at a time', async () => {
    const requested = Promise.withResolvers<void>();
    const responded = Promise.withResolvers<OnvifPresence[]>();
    fixture.onvifCameras.network = {
      discover: () => {
        requested.resolve();
        return responded.promise;
      },
      inspect: () => Promise.reject(new Error('there is no camera')),
    };
    const first = fixture.post(EXECUTE);
    await requested.promise;
    expect((await fixture.post(EXECUTE, {}, foreignKey)).statusCode).toBe(503);
    responded.resolve([]);
    expect((await first).statusCode).toBe(200);
  });

  it('searches on behalf of existing NVRs', async () => {
    fixture.onvifCameras.byHost.set('192.0.2.10', { device: device('192.0.2.10') });
    const { nvrUuid, locationUuid } = fixture.own;
    const empty = await fixture.call('/api/location/createLocation', {
      location: { name: 'Yard', tz: 'UTC' },
    });
    for (const [body, sentence] of [
      [{ deviceFilter: [newRuuid()] }, /^deviceFilter: there is no NVR/],
      [{ deviceFilter: [fixture.foreign.nvrUuid] }, /^deviceFilter: there is no NVR/],
      [{ locationFilter: [fixture.foreign.locationUuid] }, /no location/],
      [{ deviceFilter: [nvrUuid], locationFilter: [empty.uuid] }, /match no NVR/],
    ] as const) {
      expect((await fixture.call(EXECUTE, body)).errorMsg).toMatch(sentence);
    }
    expect(await discoveries()).toEqual([]);
    const body = { deviceFilter: [nvrUuid], locationFilter: [locationUuid] };
    expect(await fixture.call(EXECUTE, body)).toMatchObject({ error: false });
    const { thirdPartyCameraStateList } = await fixture.call(
      '/api/relay/getMinimalThirdPartyCameraStateList',
    );
    expect(thirdPartyCameraStateList).toContainEqual(
      expect.objectContaining({ locationUuid, manufacturer: 'Example', rtspUrl: 'rtsp://192.0.2.10/main' }),
    );
  });
});

describe(ADD, () => {
  const MAIN = 'rtsp://192.0.2.10/main';

  it('opens the main stream, and creates a camera from it', async () => {
    fixture.onvifCameras.byHost.set('192.0.2.10:8000', {
      login: 'viewer:s3cret',
      device: device('192.0.2.10'),
    });
    fixture.rtspCameras.byUrl.set(MAIN, { login: 'viewer:s3cret' });
    const request = { ipAddress: '192.0.2.10:8000', username: 'viewer', password: 's3cret' };
    const seen = { found: true, manufacturer: 'Example', model: 'Dome 4', codec: 'h264', rtspUrl: MAIN };
    const unassigned = await fixture.call(ADD, request);
    expect(unassigned).toMatchObject(seen);
    expect(unassigned).not.toHaveProperty('assignedDeviceUuid');
    const assign = { ...request, autoAssign: true, nvrUuid: fixture.own.nvrUuid, name: 'Dock' };
    const { assignedDeviceUuid, ...answer } = await fixture.call(ADD, assign);
    expect(answer).toMatchObject({ ...seen, name: 'Dock' });
    expect(answer).not.toHaveProperty('assignmentMsg');
    const { cameraStates } = await fixture.call('/api/camera/getMinimalCameraStateList');
    expect(cameraStates).toContainEqual(expect.objectContaining({ uuid: assignedDeviceUuid, name: 'Dock' }));
    const response = await fixture.post(ADD, assign);
    expect(response.json()).toMatchObject({
      found: true,
      assignmentMsg: expect.stringMatching(/assigned to an NVR/),
    });
    expect(response.body).not.toContain('s3cret');
  });

  it('says why nothing was found', async () => {
    expect(await fixture.call(ADD, { ipAddress: '192.0.2.10' })).toMatchObject({
      error: false,
      found: false,
      assignmentMsg: 'No ONVIF service responds at this address.',
    });
    fixture.onvifCameras.byHost.set('192.0.2.10', { login: 'a:b', device: device('192.0.2.10') });
    expect(await fixture.call(ADD, { ipAddress: '192.0.2.10' })).toMatchObject({
      found: false,
      assignmentMsg: 'The camera requires another login.',
    });
    expect(await discoveries()).toEqual([]);
    await save('a', 'b');
    const withSaved = { ipAddress: '192.0.2.10', trySavedCredentials: true, autoAssign: true };
    expect(await fixture.call(ADD, { ...withSaved, nvrUuid: fixture.own.nvrUuid })).toMatchObject({
      found: true,
      assignmentMsg: expect.stringMatching(/NOT_REACHABLE/),
    });
  });

  it.each([
    [{}, 'ipAddress is required.'],
    [{ ipAddress: 'camera.example' }, /^ipAddress must be/],
    [{ ipAddress: '192.0.2.10/other' }, /^ipAddress must be/],
    [{ ipAddress: 'u@192.0.2.10' }, /^ipAddress must be/],
    [{ ipAddress: '192.0.2.10?a=' }, /^ipAddress must be/],
    [{ ipAddress: '192.0.2.10', autoAssign: true }, /^nvrUuid is required/],
    [{ ipAddress: '192.0.2.10', locationUuid: newRuuid() }, /no location/],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(ADD, body)).errorMsg).toMatch(sentence);
  });

  it.each(Object.entries(REFUSALS))('refuses an address with %s', async (code, error) => {
    fixture.onvifCameras.network = { inspect: () => Promise.reject(error) };
    const { error: isError, errorMsg } = await fixture.call(ADD, { ipAddress: '192.0.2.9' });
    expect(isError).toBe(true);
    expect(errorMsg).toMatch(
      code === 'DIRECT_ADDRESS_REFUSED' ? /on this machine or link-local/ : /^192\.0\.2\.9 is outside/,
    );
    expect(await discoveries()).toEqual([]);
  });

  it("does not assign to another organization's NVR", async () => {
    fixture.onvifCameras.byHost.set('192.0.2.10', { device: device('192.0.2.10') });
    fixture.rtspCameras.byUrl.set(MAIN, {});
    const body = { ipAddress: '192.0.2.10', autoAssign: true, nvrUuid: fixture.own.nvrUuid };
    expect(await fixture.call(ADD, body, foreignKey)).toMatchObject({
      found: true,
      assignmentMsg: 'There is no NVR with this UUID.',
    });
  });
});
