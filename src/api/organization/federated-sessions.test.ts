import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { CHANGE_STREAM_PATH } from '../../http/change-topic-route.ts';
import { PipedWebSocket } from '../../http/piped-websocket-fixture.ts';
import { ChangeTopics } from '../../realtime/change-topics.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { INGEST_ENDPOINTS } from '../ingest-endpoints.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const GENERATE = '/api/org/generateFederatedSessionToken';
const CAMERAS = '/api/camera/getMinimalCameraStateList';
/** The others need no credentials, and give a session nothing that is not open to all. */
const GUARDED = ENDPOINTS.filter(({ isOpen }) => !isOpen);
const VALIDATE = '/api/integrations/validateToken';

let fixture: ApiFixture;
beforeEach(async () => {
  const limits = { failedAuthenticationsPerAddress: { burst: 1_000, perSec: 1 } };
  fixture = await openApiFixture({ limits });
});
afterEach(() => fixture.close());

const generate = async (body: object = {}, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fixture.call(GENERATE, body, headers);
  expect(response).toMatchObject({ error: false });
  return response.federatedSessionToken as string;
};
const asPage = (token: string, headers: Record<string, string> = {}) => ({
  'x-auth-apikey': '',
  'x-auth-scheme': 'federated-token',
  'x-auth-ft': token,
  ...headers,
});
const statusOf = async (path: string, headers: Record<string, string>) =>
  (await fixture.post(path, {}, headers)).statusCode;

describe(GENERATE, () => {
  it('shows a page its organization’s cameras, and no one else’s', async () => {
    const token = await generate();
    expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
    const { cameraStates } = await fixture.call(CAMERAS, {}, asPage(token));
    expect((cameraStates as { uuid: string }[]).map(({ uuid }) => uuid).sort()).toEqual(
      [fixture.own.camera.uuid, fixture.own.doorbell.uuid].sort(),
    );
    expect(await statusOf(CAMERAS, { 'x-auth-apikey': '', 'x-auth-ft': token })).toBe(200);
    const foreign = { 'x-auth-org': fixture.foreign.organization.uuid };
    expect(await statusOf(CAMERAS, asPage(token, foreign))).toBe(401);
    const requested = { cameraUuid: fixture.foreign.camera.uuid };
    expect(await fixture.call('/api/camera/getFullCameraState', requested, asPage(token))).toMatchObject({
      error: true,
    });
    const rows = await fixture.store.resources.of({ name: 'federatedSession' }).listEverywhere();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('does not let it change anything', async () => {
    const headers = asPage(await generate());
    const taken: string[] = [];
    for (const { path } of GUARDED) {
      if ((await statusOf(path, headers)) !== 401) taken.push(path);
    }
    expect(taken).toContain('/api/camera/findAllSharedLiveVideoStreams');
    expect(taken).toContain('/api/location/getLocations');
    expect(taken).toContain(VALIDATE);
    for (const path of taken) {
      if (path !== VALIDATE) expect(path).toMatch(/^\/api\/\w+\/(?:get|find)[A-Z]\w+$/);
    }
    for (const secret of ['/api/relay/', '/api/org/', '/api/oauth/', '/api/partner/', '/api/customer/']) {
      expect(taken.filter((path) => path.startsWith(secret))).toEqual([]);
    }
    const authorize = await fixture.api.inject({ method: 'GET', url: '/api/oauth/authorize', headers });
    expect(authorize.statusCode).toBe(401);
  });

  it('returns how long it works', async () => {
    expect((await fixture.call(GENERATE, { durationSec: 900 })).expiresInSec).toBe(900);
    expect((await fixture.call(GENERATE)).expiresInSec).toBe(3_600);
  });

  it('expires on its own, after an hour unless told otherwise', async () => {
    const short = await generate({ durationSec: 10 });
    const usual = await generate();
    fixture.clock.advance(9_999);
    expect(await statusOf(VALIDATE, asPage(short))).toBe(200);
    fixture.clock.advance(1);
    expect(await statusOf(VALIDATE, asPage(short))).toBe(401);
    fixture.clock.advance(3_590_000 - 1);
    expect(await statusOf(VALIDATE, asPage(usual))).toBe(200);
    fixture.clock.advance(1);
    expect(await statusOf(VALIDATE, asPage(usual))).toBe(401);
    await generate();
    const { store, own } = fixture;
    expect(await store.resources.of({ name: 'federatedSession' }).list(own.organization.uuid)).toHaveLength(
      1,
    );
  });

  it('ends it with the key that made it', async () => {
    const token = await generate();
    expect(await statusOf(VALIDATE, asPage(token))).toBe(200);
    await fixture.store.apiKeys.save({ ...fixture.own.key, revokedAtMs: fixture.clock.epochMs() });
    expect(await statusOf(VALIDATE, asPage(token))).toBe(401);
  });

  it('is accepted in the query, as pages send it with JSON, but not next to other credentials', async () => {
    const token = await generate({ domain: 'desk.example.com' });
    const query = `x-auth-scheme=federated-token&x-auth-ft=${token}`;
    const origin = 'https://desk.example.com';
    const status = async (queryText: string, headers: Record<string, string> = {}) => {
      const url = `${CAMERAS}?${queryText}`;
      const sent = { accept: 'application/json', 'content-type': 'application/json', origin, ...headers };
      return (await fixture.api.inject({ method: 'POST', url, headers: sent, payload: '{}' })).statusCode;
    };
    expect(await status(query)).toBe(200);
    expect(await status(`x-auth-ft=${token}`)).toBe(200);
    expect(await status(query, { origin: 'https://evildesk.example.com' })).toBe(401);
    expect(await status(query.replace(token, newRuuid()))).toBe(401);
    expect(await status(`x-auth-scheme=api-token&x-auth-ft=${token}`)).toBe(401);
    expect(await status(`x-auth-scheme=api-token&x-auth-apikey=${fixture.own.apiKey}`)).toBe(401);
    expect(await status(query, { 'x-auth-apikey': 'slc_wrong' })).toBe(401);
    expect(await status(query, { authorization: 'Bearer wrong' })).toBe(401);
    const changing = await fixture.api.inject({
      method: 'POST',
      url: `/api/camera/createVideoWall?${query}`,
      headers: { origin },
      payload: '{}',
    });
    expect(changing.statusCode).toBe(401);
  });

  it('keeps out pages of other hosts if a domain is named', async () => {
    for (const domain of ['Desk.example.com', 'https://desk.example.com:8443']) {
      const token = await generate({ domain });
      for (const [origin, status] of [
        ['https://desk.example.com', 200],
        ['https://desk.example.com:8443', 200],
        ['https://eu.desk.example.com', 200],
        ['https://example.com', 401],
        ['https://evildesk.example.com', 401],
        ['https://desk.example.com.evil.example', 401],
        ['null', 401],
      ] as const) {
        expect([origin, await statusOf(VALIDATE, asPage(token, { origin }))]).toEqual([origin, status]);
      }
      expect(await statusOf(VALIDATE, asPage(token))).toBe(200);
    }
  });

  it.each([
    [{ durationSec: 0 }, /^durationSec/],
    [{ durationSec: 86_401 }, /^durationSec/],
    [{ domain: 'no host' }, /^domain/],
    [{ domain: 7 }, /^domain/],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(GENERATE, body)).errorMsg).toMatch(sentence);
  });

  it('refuses applications, which have their own access', async () => {
    const oauth = new OAuthTester(fixture);
    const { access_token } = await oauth.tokens(await oauth.register());
    const headers = { 'x-auth-apikey': '', 'x-auth-access-token': access_token };
    expect((await fixture.call(GENERATE, {}, headers)).errorMsg).toMatch(/API key/);
  });

  it('acts for the client that a partner made it for, as long as it is one', async () => {
    const partner = sampleOrganization({ name: 'Partner' });
    const client = { ...fixture.own.organization, partnerUuid: partner.uuid };
    await fixture.store.organizations.save(partner);
    await fixture.store.organizations.save(client);
    const apiKey = await addApiKey(fixture.store, partner.uuid, { scheme: 'partner-api' });
    const key = { 'x-auth-apikey': apiKey, 'x-auth-scheme': 'partner-api' };
    const token = await generate({}, { ...key, 'x-auth-org': client.uuid });
    const { cameraStates } = await fixture.call(CAMERAS, {}, asPage(token));
    expect(cameraStates).toHaveLength(2);
    expect(await statusOf(CAMERAS, asPage(token, { 'x-auth-org': partner.uuid }))).toBe(401);
    await fixture.store.organizations.save({ ...client, partnerUuid: null });
    expect(await statusOf(CAMERAS, asPage(token))).toBe(401);
  });

  it('does not accept a token that was not issued', async () => {
    for (const token of ['', newRuuid(), fixture.own.key.uuid, 'x'.repeat(600)]) {
      expect(await statusOf(VALIDATE, asPage(token))).toBe(401);
    }
    const token = await generate();
    for (const scheme of ['api-token', 'api-oauth-token', 'partner-api']) {
      const headers = { ...asPage(token), 'x-auth-scheme': scheme };
      expect(await statusOf(VALIDATE, headers)).toBe(401);
    }
  });
});

describe('a token for one device', () => {
  const FULL = '/api/camera/getFullCameraState';
  const UPTIME = '/api/camera/getUptimeWindows';
  /** Calls of a session, with the field that names the device; null: no field does. */
  const ALLOWED: Readonly<Record<string, string | null>> = {
    [VALIDATE]: null,
    [FULL]: 'cameraUuid',
    [UPTIME]: 'cameraUuid',
    '/api/camera/getPresenceWindows': 'cameraUuid',
    '/api/camera/getMediaUris': 'cameraUuid',
    '/api/camera/getCameraMediaUris': 'cameraUuid',
    '/api/doorbellcamera/getMediaUris': 'deviceUuid',
    '/api/audiogateway/getMediaUris': 'gatewayUuid',
  };
  const ofCamera = async () => asPage(await generate({ deviceUuid: fixture.own.camera.uuid }));
  const bodyFor = (path: string, device: string) => ({
    cameraUuid: device,
    deviceUuid: device,
    startTime: 0,
    uuid: device,
    doorbellCameraUuid: device,
    gatewayUuid: device,
    startTimeSec: 0,
    durationSec: 60,
    duration: 60,
    ...(path === '/api/event/getPolicyAlert' && { policyAlertUuid: device }),
  });

  it('is accepted only where it is meant to be', async () => {
    const headers = await ofCamera();
    const taken: string[] = [];
    for (const { path } of [...GUARDED, ...INGEST_ENDPOINTS]) {
      const response = await fixture.post(path, bodyFor(path, fixture.own.camera.uuid), headers);
      if (response.statusCode !== 401) taken.push(path);
      else expect(response.json()).toMatchObject({ authenticationFailed: true, error: true });
    }
    expect(taken.sort()).toEqual(Object.keys(ALLOWED).sort());
    for (const url of ['/api/oauth/authorize', '/api/oauth/authorize?response_type=code']) {
      expect((await fixture.api.inject({ method: 'GET', url, headers })).statusCode).toBe(401);
    }
  });

  it('reads its device, by either of its names, and nothing else that a session can call', async () => {
    await fixture.call('/api/camera/updateConfig', {
      config: { deviceUuid: fixture.own.camera.uuid, hdr_enabled: true },
    });
    const everything = asPage(await generate());
    const headers = await ofCamera();
    const { camera, doorbell, nvrUuid } = fixture.own;
    const others = [doorbell.uuid, `${doorbell.uuid}.v0`, nvrUuid, fixture.foreign.camera.uuid, newRuuid()];
    let walked = 0;
    for (const { path } of GUARDED) {
      if ((await statusOf(path, everything)) === 401) continue;
      walked += 1;
      for (const other of others) {
        const response = await fixture.post(path, bodyFor(path, other), headers);
        if (path === VALIDATE) continue;
        expect([path, response.json().error]).toEqual([path, true]);
        const { warningMsg: _warning, ...refusal } = response.json();
        expect(Object.keys(refusal).sort()).toEqual(
          path in ALLOWED ? ['error', 'errorMsg'] : ['authenticationFailed', 'error', 'errorMsg'],
        );
        expect(response.body).not.toContain('Front door');
      }
    }
    expect(walked).toBeGreaterThan(10);
    for (const cameraUuid of [camera.uuid, `${camera.uuid}.v0`]) {
      const { fullCameraState } = await fixture.call(FULL, { cameraUuid }, headers);
      expect(fullCameraState).toMatchObject({ uuid: camera.uuid, onCloudState: {} });
      expect(await fixture.call(UPTIME, { cameraUuid, startTime: 0 }, headers)).toMatchObject({
        error: false,
      });
      const seen = await fixture.call(FULL, { cameraUuid }, everything);
      // A session reads as a viewer does, whatever its key may do.
      expect(seen.fullCameraState).toMatchObject({ onCloudState: {} });
    }
    expect((await fixture.call(FULL, { cameraUuid: doorbell.uuid }, headers)).errorMsg).toBe(
      'This federated session is for another device.',
    );
    expect((await fixture.call(FULL, {}, headers)).errorMsg).toBe('cameraUuid is required.');
  });

  it('is created for an existing camera or NVR, with or without a facet', async () => {
    const refusal = 'deviceUuid must be a camera or NVR of the organization.';
    for (const deviceUuid of [newRuuid(), fixture.foreign.camera.uuid, fixture.own.locationUuid]) {
      expect((await fixture.call(GENERATE, { deviceUuid })).errorMsg).toBe(refusal);
    }
    const cameraUuid = fixture.own.camera.uuid;
    const headers = asPage(await generate({ deviceUuid: `${cameraUuid}.v0` }));
    expect(await fixture.call(FULL, { cameraUuid }, headers)).toMatchObject({ error: false });
    const ofNvr = asPage(await generate({ deviceUuid: fixture.own.nvrUuid }));
    expect((await fixture.call(FULL, { cameraUuid }, ofNvr)).error).toBe(true);
    expect(await statusOf(VALIDATE, ofNvr)).toBe(200);
  });

  it('receives nothing of the real-time stream', async () => {
    await fixture.close();
    const onChange = () => () => undefined;
    const changeTopics = new ChangeTopics({ clock: new FakeClock(), log: silentLog, onChange });
    fixture = await openApiFixture({ overrides: { changeTopics } });
    const { 'x-auth-apikey': _none, ...ofSession } = await ofCamera();
    await fixture.api.ready();
    const responseTo = async (credentials: Record<string, string>) => {
      const socket = await PipedWebSocket.open(fixture.api.server, CHANGE_STREAM_PATH);
      const lines = Object.entries(credentials).map(([name, value]) => `${name}:${value}`);
      const response = await socket.responseTo(
        `CONNECT\naccept-version:1.2\nhost:x\n${lines.join('\n')}\n\n\0`,
      );
      socket.close();
      return response;
    };
    const refusal = await responseTo(ofSession);
    expect(refusal).toMatch(/^ERROR\n/);
    expect(refusal).toContain('AUTHENTICATION_FAILED');
    expect(await responseTo({ 'x-auth-ft': ofSession['x-auth-ft'] })).toMatch(/^ERROR\n/);
    expect(await responseTo({ 'x-auth-apikey': fixture.own.apiKey })).toMatch(/^CONNECTED\n/);
  });
});
