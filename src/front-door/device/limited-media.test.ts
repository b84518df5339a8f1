/** Media of callers whose rights are limited to sites and cameras, at every route that a key or a grant opens. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../../accounts/caller.ts';
import { FederatedSessions } from '../../accounts/federated-sessions.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey } from '../../store/entities.ts';
import { sampleApiKey, sampleCamera, sampleLocation } from '../../store/sample-entities-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

const KEY_TEXT = 'slc_key-of-one-site';
const HEADERS = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': KEY_TEXT };
const GRANT_URI = /live\/([\w-]{82})\//;

let door: FrontDoorFixture;
let key: ApiKey;
let elsewhere: Ruuid;
beforeAll(async () => {
  door = await openFrontDoorFixture();
  const { store, orgUuid, camera, devices } = door.sharing;
  const site = sampleLocation(orgUuid, { name: 'Second site' });
  await store.locations.save(site);
  const other = sampleCamera(orgUuid, { locationUuid: site.uuid });
  await store.cameras.save(other);
  elsewhere = other.uuid;
  await devices.learnCamera(orgUuid, elsewhere);
  const scope = { locationUuids: [], cameraUuids: [camera.uuid] };
  key = sampleApiKey(orgUuid, { keyHash: hashApiKey(KEY_TEXT), role: 'viewer', scope });
  await store.apiKeys.save(key);
  door.camera.start().publishSegments(1);
});
afterAll(() => door.close());

const NAMES: Readonly<Record<string, string>> = {
  region: 'local',
  name: 'file.m3u8',
  start: '1767225600',
  duration: '60',
};

/** The route's path with these values. */
function pathOf(route: string, values: Readonly<Record<string, string>>): string {
  const all: Readonly<Record<string, string>> = { ...NAMES, ...values };
  return route
    .replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_whole, name: string) => all[name] ?? all.name!)
    .replace('*', 'file.m3u8');
}

async function outcome(path: string): Promise<[number, unknown]> {
  const response = await door.get(path, HEADERS);
  const isJson = response.headers['content-type']?.includes('json') === true;
  return [response.statusCode, isJson ? response.json<{ reason?: string }>().reason : null];
}

const routesOf = (...rules: string[]) =>
  door.app.declaredRoutes.filter(({ access, method }) => method === 'GET' && rules.includes(access));

describe('a key that is limited to one camera', () => {
  it('opens it', async () => {
    expect((await outcome(`/media/${door.sharing.camera.uuid}/local/file.m3u8`))[0]).toBe(200);
  });

  it('opens no other camera, at any route, and learns nothing about it', async () => {
    // A session is in the path of the others: below.
    const routes = routesOf('credentials').filter(({ path }) => !path.includes(':token'));
    expect(routes.length).toBeGreaterThan(3);
    for (const { path } of routes) {
      const [ofOther, ofNone] = await Promise.all(
        [elsewhere, newRuuid()].map((device) => outcome(pathOf(path, { device }))),
      );
      expect([path, ofOther]).toEqual([path, ofNone]);
      expect(ofOther![0]).toBeGreaterThanOrEqual(400);
    }
  });

  it('has sessions with the same limits', async () => {
    const { store, clock, orgUuid, camera } = door.sharing;
    const caller = callerOf({ kind: 'key', key }, { orgUuid });
    const wanted = { domain: null, deviceUuid: null, durationSec: 3_600 };
    const token = await new FederatedSessions({ store, clock }).create(caller, wanted);
    const status = async (device: Ruuid) =>
      (await door.get(`/media/${device}/local/ft/${token}/file.m3u8`)).statusCode;
    expect([await status(camera.uuid), await status(elsewhere)]).toEqual([200, 404]);
  });

  it('has no grant that outlives its rights, at any route', async () => {
    const { body } = await door.get(`/media/${door.sharing.camera.uuid}/local/file.m3u8`, HEADERS);
    const grant = GRANT_URI.exec(body)?.[1];
    expect(grant).toBeDefined();
    expect((await outcome(`/live/${grant}/stream.m3u8`))[0]).toBe(200);
    door.sharing.devices.applied({
      kind: 'key',
      uuid: key.uuid,
      record: { ...key, scope: { locationUuids: [], cameraUuids: [elsewhere] } },
    });
    const routes = routesOf('grant', 'link-or-grant');
    expect(routes.length).toBeGreaterThan(10);
    const allowed: unknown[] = [];
    for (const { path } of routes) {
      const [status, reason] = await outcome(pathOf(path, { grant: grant!, token: grant! }));
      if (![403, 404].includes(status)) allowed.push([path, status, reason]);
    }
    expect(allowed).toEqual([]);
    expect(await outcome(`/live/${grant}/stream.m3u8`)).toEqual([403, 'credential-ended']);
    expect(await outcome(`/live/${grant}/seg_0.m4v`)).toEqual([403, 'credential-ended']);
  });
});
