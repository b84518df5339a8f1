import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import { mayEndAccess } from '../http/request-limits.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';

const CREATE_SESSION = '/api/org/generateFederatedSessionToken';
const CREATE_SHARE = '/api/camera/createSharedLiveVideoStream';
const DELETE_SHARE = '/api/camera/deleteSharedLiveVideoStream';
const STATES = '/api/camera/getMinimalCameraStateList';
const CAMERA_STATE = '/api/camera/getFullCameraState';
const { levels, reserve } = LIMITS.apiRequests;

let fixture: ApiFixture;
let shares: string[];

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: levels.organization } });
  const body = { cameraUuid: fixture.own.camera.uuid };
  shares = [];
  for (let count = 0; count < 10; count++) {
    const { uuid } = await fixture.call(CREATE_SHARE, body);
    shares.push(uuid as string);
  }
  // The buckets are full again.
  fixture.clock.advance(60_000);
});
afterEach(() => fixture.close());

/** Sends requests until one is refused; returns how many were not. */
async function flood(path: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  for (let count = 0; count < 1_000; count++) {
    if ((await fixture.post(path, body, headers)).statusCode === 429) return count;
  }
  throw new Error('nothing was refused');
}

/** Deletes all shares; returns how many requests were refused. */
async function refusedRevocations(): Promise<number> {
  const statuses = [];
  for (const uuid of shares) statuses.push((await fixture.post(DELETE_SHARE, { uuid })).statusCode);
  return statuses.filter((status) => status !== 200).length;
}

describe('a flood of requests', () => {
  it('with a session for one device leaves its organization’s keys what they need', async () => {
    const body = { durationSec: 900, deviceUuid: fixture.own.camera.uuid };
    const { federatedSessionToken: token } = await fixture.call(CREATE_SESSION, body);
    const asPage = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': token as string,
    };
    const sent = await flood(CAMERA_STATE, { cameraUuid: fixture.own.camera.uuid }, asPage);
    expect(sent).toBe(levels.weakCredential.burst);
    expect((await fixture.post(STATES)).statusCode).toBe(200);
    expect(await refusedRevocations()).toBe(0);
  });

  it('with one key leaves room for another key, and never keeps access from ending', async () => {
    expect(await flood(STATES, {})).toBe(levels.credential.burst);
    const { organization } = fixture.own;
    const otherKey = await addApiKey(fixture.store, organization.uuid);
    const withOtherKey = { 'x-auth-apikey': otherKey };
    expect(await flood(STATES, {}, withOtherKey)).toBe(levels.organization.burst - levels.credential.burst);
    expect(await refusedRevocations()).toBe(0);
    // A call that ends nothing has no reserve.
    expect((await fixture.post(STATES)).statusCode).toBe(429);
    expect((await fixture.post(CREATE_SHARE, { cameraUuid: fixture.own.camera.uuid })).statusCode).toBe(429);
  });

  it('with a key that may only read cannot use the reserve', async () => {
    const viewerKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const asViewer = { 'x-auth-apikey': viewerKey };
    await flood(DELETE_SHARE, { uuid: newRuuid() }, asViewer);
    expect((await fixture.post(DELETE_SHARE, { uuid: shares[0] }, asViewer)).statusCode).toBe(429);
    expect(await refusedRevocations()).toBe(0);
  });

  it('with a partner’s key for one client leaves the others what they need', async () => {
    const { store, own } = fixture;
    const partner = sampleOrganization();
    await store.organizations.save(partner);
    const clients = [sampleOrganization(), sampleOrganization()];
    for (const client of clients) await store.organizations.save({ ...client, partnerUuid: partner.uuid });
    const key = await addApiKey(store, partner.uuid, { scheme: 'partner-api' });
    const [one, other] = clients.map(({ uuid }) => ({
      'x-auth-apikey': key,
      'x-auth-scheme': 'partner-api-token',
      'x-auth-org': uuid as string,
    }));
    expect(own.organization.uuid).not.toBe(partner.uuid);
    expect(await flood(STATES, {}, one!)).toBe(levels.credential.burst);
    expect((await fixture.post(STATES, {}, other!)).statusCode).toBe(200);
  });

  it('that ends access is bounded, too', async () => {
    const most = levels.credential.burst + reserve.burst;
    expect(await flood(DELETE_SHARE, { uuid: newRuuid() })).toBe(most);
  });

  it('says whose limit it was', async () => {
    await flood(STATES, {});
    const { headers } = await fixture.post(STATES);
    expect(headers['ratelimit-policy']).toMatch(/^"credential";q=75;/);
  });
});

describe('what ends access', () => {
  it('is what deletes, revokes or changes something', () => {
    const paths = ENDPOINTS.map(({ path }) => path);
    for (const path of [DELETE_SHARE, '/api/camera/updateSharedLiveVideoStream', '/api/console/signOut']) {
      expect(paths).toContain(path);
      expect(mayEndAccess(path)).toBe(true);
    }
    for (const path of [STATES, CREATE_SHARE, '/api/console/signIn', '/api/x/endpoints']) {
      expect(mayEndAccess(path)).toBe(false);
    }
  });
});
