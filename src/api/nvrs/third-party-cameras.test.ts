import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { createDeviceServices } from '../../devices/device-services.ts';
import { FakeOnvifCameras } from '../../devices/fake-onvif-cameras.ts';
import { RtspCredentials } from '../../devices/rtsp-credentials.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const DISCOVER = '/api/relay/manualDiscoverCamera';
const AUTHENTICATE = '/api/relay/authenticateThirdPartyCamera';
const ENDPOINTS = '/api/relay/getRtspEndpoints';
const UNASSIGNED = '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints';
const ASSIGN = '/api/relay/assignThirdPartyCameraToNVR';
const UNASSIGN = '/api/relay/unassignThirdPartyCamera';
const FORGET = '/api/relay/deleteThirdPartyCameraDiscovery';
const SAVE_PASSWORD = '/api/relay/createThirdPartyCameraPassword';
const PASSWORDS = '/api/relay/getThirdPartyCameraPasswords';
const DELETE_PASSWORD = '/api/relay/deleteThirdPartyCameraPassword';

const URL_A = 'rtsp://192.0.2.10/stream1';
const LOGIN = { username: 'viewer', password: 'p%41ss:w@rd' };

interface Discovered {
  readonly macAddress: string;
  readonly rtspEndpoints: readonly { readonly uuid: Ruuid; readonly lastRtspUrlStatus: string }[];
}

let fixture: ApiFixture;
let ownOrg: Ruuid;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  ownOrg = fixture.own.organization.uuid;
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
  fixture.rtspCameras.byUrl.set(URL_A, { login: `${LOGIN.username}:${LOGIN.password}`, hasAudio: true });
});
afterEach(() => fixture.close());

async function discover(body: object = {}): Promise<Discovered> {
  const response = await fixture.call(DISCOVER, { rtspUrl: URL_A, ...LOGIN, ...body });
  return response.result as Discovered;
}

async function assign(body: object = {}) {
  return fixture.call(ASSIGN, { nvruuid: fixture.own.nvrUuid, rtspUrl: URL_A, ...body });
}

const camerasOf = async () => (await fixture.store.cameras.list(ownOrg)).filter((each) => !each.fromConfig);

describe(DISCOVER, () => {
  it('stores a camera that streams, with its login', async () => {
    const { locationUuid } = fixture.own;
    const response = await fixture.call(DISCOVER, { rtspUrl: URL_A, ...LOGIN, locationUuid });
    expect(response).toMatchObject({
      error: false,
      rtspUrlStatus: 'GOOD',
      result: {
        ipAddress: '192.0.2.10',
        codec: 'h264',
        orgUuid: ownOrg,
        username: 'viewer',
        lastVisibleMs: { [locationUuid]: fixture.clock.epochMs() },
        createdOn: new Date(fixture.clock.epochMs()).toISOString(),
        rtspEndpoints: [{ rtspUrl: URL_A, lastRtspUrlStatus: 'GOOD', audioSupported: true, source: 'USER' }],
      },
    });
    expect(JSON.stringify(response)).not.toContain('p%41ss');
    expect(response.result).not.toHaveProperty('password');
    expect((response.result as Discovered).macAddress).toMatch(/^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/);
  });

  it('uses the login of the URL', async () => {
    const url = new URL(URL_A);
    url.username = LOGIN.username;
    url.password = encodeURIComponent(LOGIN.password);
    const response = await fixture.call(DISCOVER, { rtspUrl: url.href });
    expect(response).toMatchObject({ rtspUrlStatus: 'GOOD', result: { username: 'viewer' } });
    expect(JSON.stringify(response)).not.toContain(url.password);
  });

  it.each([
    ['NOT_REACHABLE', 'rtsp://192.0.2.99/', false],
    ['NOT_AUTHENTICATED', 'rtsp://192.0.2.20/', true],
    ['NOT_SUPPORTED', 'rtsp://192.0.2.21/', true],
    ['NOT_SUPPORTED', 'http://192.0.2.22/', false],
    ['UNKNOWN', 'rtsp://192.0.2.23/', false],
  ])('answers %s for %s', async (status, rtspUrl, isKept) => {
    fixture.rtspCameras.byUrl.set('rtsp://192.0.2.20/', { login: 'someone:else' });
    fixture.rtspCameras.byUrl.set('rtsp://192.0.2.21/', { failure: 'unsupported' });
    fixture.rtspCameras.byUrl.set('rtsp://192.0.2.23/', { failure: 'broken' });
    const response = await fixture.call(DISCOVER, { rtspUrl, ...LOGIN });
    expect(response).toMatchObject({ error: false, rtspUrlStatus: status });
    expect(response.result !== undefined).toBe(isKept);
    const { discoveries } = await fixture.call(UNASSIGNED);
    expect(discoveries).toHaveLength(isKept ? 1 : 0);
  });

  it('tries saved logins if requested, the given one first', async () => {
    await fixture.call(SAVE_PASSWORD, { username: 'old', password: 'old' });
    fixture.clock.advance(1);
    await fixture.call(SAVE_PASSWORD, LOGIN);
    fixture.clock.advance(1);
    await fixture.call(SAVE_PASSWORD, { username: 'never', password: 'tried' });
    expect(await fixture.call(DISCOVER, { rtspUrl: URL_A })).toMatchObject({
      rtspUrlStatus: 'NOT_AUTHENTICATED',
    });
    fixture.rtspCameras.triedLogins.length = 0;
    const response = await fixture.call(DISCOVER, {
      rtspUrl: URL_A,
      username: 'a',
      password: 'b',
      trySavedCredentials: true,
    });
    expect(response).toMatchObject({ rtspUrlStatus: 'GOOD', result: { username: 'viewer' } });
    expect(fixture.rtspCameras.triedLogins).toEqual(['a:b', 'old:old', `viewer:${LOGIN.password}`]);
  });

  it.each([
    [{}, 'rtspUrl is required.'],
    [{ rtspUrl: 'stream' }, /^rtspUrl must be a URL with a host/],
    [{ rtspUrl: 'rtsp:///stream' }, /^rtspUrl must be a URL with a host/],
    [{ rtspUrl: URL_A, locationUuid: newRuuid() }, 'There is no location with this UUID.'],
  ])('refuses %j', async (body, sentence) => {
    expect(await fixture.call(DISCOVER, body)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(sentence),
    });
    expect(fixture.rtspCameras.triedLogins).toEqual([]);
  });

  it('refuses another organization’s location and shows it no discovery', async () => {
    const body = { rtspUrl: URL_A, locationUuid: fixture.own.locationUuid };
    expect((await fixture.call(DISCOVER, body, foreignKey)).error).toBe(true);
    const { macAddress } = await discover();
    expect((await fixture.call(UNASSIGNED, {}, foreignKey)).discoveries).toEqual([]);
    const query = { discoveredCameraMacAddress: macAddress };
    expect((await fixture.call(ENDPOINTS, query, foreignKey)).rtspEndpoints).toEqual([]);
    expect((await fixture.call(ENDPOINTS, query)).rtspEndpoints).toMatchObject([
      { rtspUrl: URL_A, username: 'viewer' },
    ]);
  });

  it('limits how many cameras are tried at once', async () => {
    const released = Promise.withResolvers<void>();
    const { rtspCameras } = fixture;
    rtspCameras.network = async (url, timeoutMs, rule) => {
      await released.promise;
      rtspCameras.network = null;
      return rtspCameras.probe(url, timeoutMs, rule);
    };
    const bothRefused = Promise.withResolvers<void>();
    const refusals: string[] = [];
    const calls = Array.from({ length: 6 }, async () => {
      const response = await fixture.post(DISCOVER, { rtspUrl: URL_A });
      if (response.statusCode === 503) refusals.push(response.json().errorMsg);
      if (refusals.length === 2) bothRefused.resolve();
      return response;
    });
    await bothRefused.promise;
    expect(refusals[0]).toMatch(/^All slots for trying cameras/);
    released.resolve();
    const statuses = (await Promise.all(calls)).map((response) => response.statusCode);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 503, 503]);
    expect((await fixture.post(DISCOVER, { rtspUrl: URL_A })).statusCode).toBe(200);
  });
});

describe(AUTHENTICATE, () => {
  it('stores the login that the camera accepts, and passes it on to the camera created from it', async () => {
    const { macAddress } = await discover();
    const { deviceUuid } = await assign();
    fixture.rtspCameras.byUrl.set(URL_A, { login: 'viewer:new' });
    const request = { thirdPartyCameraMacAddress: macAddress, username: 'viewer', password: 'new' };
    expect(await fixture.call(AUTHENTICATE, request)).toMatchObject({ rtspUrlStatus: 'GOOD' });
    const camera = await fixture.store.cameras.find(ownOrg, deviceUuid as Ruuid);
    expect(camera?.rtspUrl.reveal()).toBe('rtsp://viewer:new@192.0.2.10/stream1');
  });

  it('copies the result of the camera’s own login into the camera’s state, and no other’s', async () => {
    await discover();
    const cameraUuid = (await assign()).deviceUuid as Ruuid;
    const reasonAfter = async (login: object) => {
      await fixture.call(AUTHENTICATE, { rtspUrl: URL_A, ...login });
      return fixture.cameraStates.get(cameraUuid)?.main.fault?.reason ?? null;
    };
    expect(await reasonAfter({ username: 'x', password: 'y' })).toBeNull();
    fixture.rtspCameras.byUrl.set(URL_A, { login: 'viewer:new' });
    expect(await reasonAfter(LOGIN)).toBe('wrong-password');
    fixture.rtspCameras.byUrl.delete(URL_A);
    expect(await reasonAfter({ username: 'x', password: 'y' })).toBe('unreachable');
    fixture.rtspCameras.byUrl.set(URL_A, { login: 'viewer:new' });
    expect(await reasonAfter({ username: 'viewer', password: 'new' })).toBeNull();
  });

  it('changes nothing but the status when the camera refuses the login', async () => {
    await discover();
    const refused = await fixture.call(AUTHENTICATE, { rtspUrl: URL_A, username: 'x', password: 'y' });
    expect(refused).toMatchObject({ rtspUrlStatus: 'NOT_AUTHENTICATED', result: { username: 'viewer' } });
    expect((await assign()).errorMsg).toBe(
      'rtspUrl was NOT_AUTHENTICATED when last tried. Authenticate it first.',
    );
    const again = await fixture.call(AUTHENTICATE, { rtspUrl: URL_A, trySavedCredentials: true });
    expect(again).toMatchObject({ rtspUrlStatus: 'GOOD' });
  });

  it('refuses unknown cameras, and asks which endpoint you mean', async () => {
    expect((await fixture.call(AUTHENTICATE, { rtspUrl: URL_A })).errorMsg).toMatch(/no RTSP endpoint/);
    expect((await fixture.call(AUTHENTICATE, {})).errorMsg).toMatch(/^rtspUrl is required/);
    const { macAddress } = await discover();
    fixture.rtspCameras.byUrl.set('rtsp://192.0.2.10/stream2', {});
    expect((await discover({ rtspUrl: 'rtsp://192.0.2.10/stream2' })).macAddress).toBe(macAddress);
    const request = { thirdPartyCameraMacAddress: macAddress };
    expect((await fixture.call(AUTHENTICATE, request)).errorMsg).toMatch(/several RTSP endpoints/);
    expect((await fixture.call(AUTHENTICATE, { rtspUrl: URL_A }, foreignKey)).error).toBe(true);
  });
});

describe(ASSIGN, () => {
  it('creates a camera that the gateway streams', async () => {
    const { macAddress } = await discover();
    const changes: string[] = [];
    fixture.store.onChange(({ entity, type }) => changes.push(`${type} ${entity}`));
    const response = await assign({ discoveredCameraMacAddress: macAddress.toUpperCase(), name: ' Dock ' });
    expect(response).toMatchObject({ error: false });
    expect(changes).toContain('CREATE camera');
    const [camera] = await camerasOf();
    expect(camera).toMatchObject({
      uuid: response.deviceUuid,
      name: 'Dock',
      nvrUuid: fixture.own.nvrUuid,
      locationUuid: fixture.own.locationUuid,
      mummified: false,
      fromConfig: false,
    });
    expect(camera?.rtspUrl.credentials()?.password.reveal()).toBe(LOGIN.password);
    expect((await fixture.call(UNASSIGNED)).discoveries).toEqual([]);
    const { cameraStates } = await fixture.call('/api/camera/getMinimalCameraStateList');
    expect(cameraStates).toContainEqual(
      expect.objectContaining({
        uuid: response.deviceUuid,
        name: 'Dock',
        connectionStatus: 'GREEN',
        connectionDetail: expect.objectContaining({ state: 'reachable' }),
      }),
    );
  });

  it('warns of a camera that only ffmpeg may be able to read, and names it after its host', async () => {
    fixture.rtspCameras.byUrl.set(URL_A, { failure: 'unsupported' });
    await discover();
    expect((await assign()).warningMsg).toMatch(/ffmpeg/);
    expect(await camerasOf()).toMatchObject([{ name: '192.0.2.10' }]);
  });

  it('creates one camera if two gateways assign an endpoint at once', async () => {
    await discover();
    const { store, clock, own, rtspCameras } = fixture;
    const gateway = () =>
      createDeviceServices({
        store,
        clock,
        probeCamera: rtspCameras.probe,
        onvif: new FakeOnvifCameras(),
        shares: { remove: async () => undefined, openToAll: async () => [] },
        rules: { applied: () => undefined },
      });
    const assignment = { nvrUuid: own.nvrUuid, rtspUrl: URL_A, name: 'Dock' };
    const outcomes = await Promise.allSettled(
      [gateway(), gateway()].map(({ rtspEndpoints }) => rtspEndpoints.assign(ownOrg, assignment)),
    );
    const docks = (await camerasOf()).filter(({ name }) => name === 'Dock');
    expect(outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value.cameraUuid : []))).toEqual(
      docks.map(({ uuid }) => uuid),
    );
    expect(docks).toHaveLength(1);
    const refused = outcomes.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'RTSP_ENDPOINT_ASSIGNED' } });
  });

  it('refuses an endpoint that is assigned, also with two calls at once', async () => {
    await discover();
    const responses = await Promise.all([assign({ name: 'Dock' }), assign({ name: 'Dock' })]);
    expect(responses.map(({ error }) => error).sort()).toEqual([false, true]);
    expect(await camerasOf()).toHaveLength(1);
    expect((await assign()).errorMsg).toMatch(/assigned to an NVR as the camera Dock/);
  });

  it('refuses NVRs and locations that are not the organization’s', async () => {
    await discover();
    for (const [body, sentence] of [
      [{ nvruuid: fixture.foreign.nvrUuid }, 'There is no NVR with this UUID.'],
      [{ nvruuid: newRuuid() }, 'There is no NVR with this UUID.'],
      [{ locationUuid: fixture.foreign.locationUuid }, 'There is no location with this UUID.'],
      [{ rtspUrl: 'rtsp://192.0.2.99/' }, /^There is no RTSP endpoint/],
    ] as const) {
      expect((await assign(body)).errorMsg).toMatch(sentence);
    }
    expect(await camerasOf()).toEqual([]);
  });
});

describe(UNASSIGN, () => {
  it('removes the camera with its shares and leaves the endpoint to be assigned again', async () => {
    await discover();
    const { deviceUuid } = await assign();
    const share = { cameraUuid: deviceUuid, streamType: 'USER', vodEnabled: false };
    await fixture.call('/api/camera/createSharedLiveVideoStream', share);
    expect(await fixture.call(UNASSIGN, { thirdPartyCameraUuid: deviceUuid })).toMatchObject({
      error: false,
    });
    expect(await camerasOf()).toEqual([]);
    expect(await fixture.store.shares.list(ownOrg)).toEqual([]);
    expect((await fixture.call(UNASSIGNED)).discoveries).toHaveLength(1);
    expect((await assign()).error).toBe(false);
    expect((await fixture.call(UNASSIGN, { rtspUrl: URL_A })).error).toBe(false);
    expect(await camerasOf()).toEqual([]);
  });

  it('refuses cameras that were not assigned, and fields that do not match', async () => {
    await discover();
    const { deviceUuid } = await assign();
    for (const [body, headers] of [
      [{}, {}],
      [{ thirdPartyCameraUuid: fixture.own.camera.uuid }, {}],
      [{ thirdPartyCameraUuid: deviceUuid, rtspUrl: 'rtsp://192.0.2.99/' }, {}],
      [{ thirdPartyCameraUuid: deviceUuid }, foreignKey],
    ] as const) {
      expect((await fixture.call(UNASSIGN, body, headers)).error).toBe(true);
    }
    expect(await camerasOf()).toHaveLength(1);
  });
});

describe(FORGET, () => {
  it('removes a discovery that is not assigned', async () => {
    const { macAddress: thirdPartyCameraMacAddress } = await discover();
    const { deviceUuid } = await assign();
    expect((await fixture.call(FORGET, { thirdPartyCameraMacAddress })).errorMsg).toMatch(/assigned/);
    expect((await fixture.call(FORGET, { thirdPartyCameraMacAddress }, foreignKey)).error).toBe(true);
    await fixture.call('/api/camera/delete', { cameraUuid: deviceUuid });
    expect((await fixture.call(FORGET, { thirdPartyCameraMacAddress })).error).toBe(false);
    expect((await fixture.call(UNASSIGNED)).discoveries).toEqual([]);
    expect((await fixture.call(FORGET, { thirdPartyCameraMacAddress })).errorMsg).toMatch(/no RTSP endpoint/);
  });
});

describe('saved logins', () => {
  it('are stored encrypted, listed without passwords, and deleted', async () => {
    const { passwordUuid } = await fixture.call(SAVE_PASSWORD, { ...LOGIN, notes: 'East' });
    const list = await fixture.post(PASSWORDS);
    expect(list.json()).toMatchObject({
      passwords: [{ uuid: passwordUuid, username: 'viewer', notes: 'East', orgUuid: ownOrg }],
    });
    expect(list.body).not.toContain(LOGIN.password);
    expect((await fixture.call(PASSWORDS, {}, foreignKey)).passwords).toEqual([]);
    expect((await fixture.call(DELETE_PASSWORD, { passwordUuid }, foreignKey)).error).toBe(true);
    expect((await fixture.call(DELETE_PASSWORD, { passwordUuid })).error).toBe(false);
    expect((await fixture.call(DELETE_PASSWORD, { passwordUuid })).errorMsg).toMatch(/no saved credential/);
    expect((await fixture.call(PASSWORDS)).passwords).toEqual([]);
  });

  it('are limited in number', async () => {
    const rtspCredentials = new RtspCredentials(fixture.store, fixture.clock);
    for (let made = 0; made < 100; made++) {
      await rtspCredentials.create(ownOrg, { username: 'u', notes: '' }, 'p');
    }
    expect((await fixture.call(SAVE_PASSWORD, LOGIN)).errorMsg).toMatch(/limit of saved credentials/);
  });

  it.each([
    [{ password: 'x' }, 'username is required.'],
    [{ username: 'x' }, 'password is required.'],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(SAVE_PASSWORD, body)).errorMsg).toBe(sentence);
  });
});
