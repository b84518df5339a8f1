import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerOf } from '../../accounts/caller.ts';
import { FederatedSessions } from '../../accounts/federated-sessions.ts';
import { eventuallyEqual } from '../../core/eventually-equal-fixture.ts';
import { eventually } from '../../core/eventually-fixture.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey } from '../../store/entities.ts';
import { sampleApiKey, sampleCamera, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import {
  type FrontDoorFixture,
  openFrontDoorFixture,
  WRONG_CREDENTIALS_AT_ONCE,
} from '../front-door-fixture.ts';
import { COLD_WAIT_MS } from '../live/viewer-routes.ts';
import type { DeviceOpening, ShareViewer } from '../session/front-door-parts.ts';

const KEY_TEXT = 'slc_key-of-the-harbour';
const GRANT_URI = /^\.\.\/\.\.\/\.\.\/live\/([\w-]{82})\/stream\.m3u8$/m;

let door: FrontDoorFixture;
let key: ApiKey;
let openings: (DeviceOpening & ShareViewer)[];
let lines: { message: string; fields: Record<string, unknown> }[];

async function openDoor(opensPerMinute = 600): Promise<void> {
  [openings, lines] = [[], []];
  const write = (fields: object, message: string) => void lines.push({ message, fields: { ...fields } });
  door = await openFrontDoorFixture({
    log: { ...silentLog, info: write, warn: write, debug: write },
    opensPerMinute,
    onDeviceOpened: (opening, viewer) => void openings.push({ ...opening, ...viewer }),
  });
  key = sampleApiKey(door.sharing.orgUuid, { keyHash: hashApiKey(KEY_TEXT) });
  await door.sharing.store.apiKeys.save(key);
}

beforeEach(() => openDoor());
afterEach(() => door.close());

/** Resolves when a request waits for the camera. */
const awaited = () => eventuallyEqual(() => door.camera.waitingCount, 1);

const byKey = (text = KEY_TEXT) => ({ 'x-auth-scheme': 'api-token', 'x-auth-apikey': text });
const bySession = (token: string) => ({ 'x-auth-scheme': 'federated-token', 'x-auth-ft': token });
const entryOf = (deviceUuid: string = door.sharing.camera.uuid, region = 'local') =>
  `/media/${deviceUuid}/${region}/file.m3u8`;

async function sessionToken(wanted: { deviceUuid?: Ruuid; domain?: string; durationSec?: number } = {}) {
  const { store, clock, orgUuid } = door.sharing;
  const caller = callerOf({ kind: 'key', key }, { orgUuid });
  const { deviceUuid = null, domain = null, durationSec = 3_600 } = wanted;
  return new FederatedSessions({ store, clock }).create(caller, { domain, deviceUuid, durationSec });
}

/** The folder of the media, from the playlist that an entry returned. */
function folderIn(playlist: string): string {
  const grant = GRANT_URI.exec(playlist)?.[1];
  if (grant === undefined) throw new Error(`no grant in ${playlist}`);
  return `/live/${grant}/`;
}

const outcome = async (url: string, headers: Record<string, string> = {}) => {
  const response = await door.get(url, headers);
  return [response.statusCode, response.statusCode === 200 ? null : response.json().reason];
};

describe('a device', () => {
  it('plays with a key in headers, which nothing after the first playlist needs', async () => {
    door.camera.start().publishSegments(1);
    const response = await door.get(entryOf(), byKey());
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl',
      'access-control-allow-origin': '*',
    });
    const folder = folderIn(response.body);
    for (const name of ['stream.m3u8', 'file.m3u8', 'seg_init.mp4', 'seg_0.m4v', 'seg_0.1.m4v', 'status']) {
      expect(await outcome(`${folder}${name}`)).toEqual([200, null]);
    }
    expect(door.camera.touches.every((audience) => audience === 'sound')).toBe(true);
    expect(door.sharing.sessions.size).toBe(1);
    const [status] = [(await door.get(`${folder}status`)).json()];
    expect(status).toMatchObject({ access: { allowed: true }, viewers: 1 });
  });

  it('plays with a session in headers, query, cookie or path', async () => {
    door.camera.start();
    const token = await sessionToken();
    const url = entryOf();
    expect(await outcome(url, bySession(token))).toEqual([200, null]);
    expect(await outcome(`${url}?x-auth-scheme=federated-token&x-auth-ft=${token}`)).toEqual([200, null]);
    expect(await outcome(url, { cookie: `RSESSIONID=RFT:${token}` })).toEqual([200, null]);
    const inPath = await door.get(`/media/${door.sharing.camera.uuid}/local/ft/${token}/file.m3u8`);
    expect(inPath.statusCode).toBe(200);
    expect(inPath.body).toMatch(/^\.\.\/\.\.\/\.\.\/\.\.\/\.\.\/live\/[\w-]{82}\/stream\.m3u8$/m);
    expect(inPath.body).not.toContain(token);
  });

  it.each([
    ['', 'main'],
    ['?video=all', 'all'],
    ['?_ds=h480b480', 'all'],
  ])('shows one variant to a player that does not choose: %j', async (query, wanted) => {
    door.camera.start();
    expect((await door.get(entryOf() + query, byKey())).statusCode).toBe(200);
    expect(door.camera.videoRequests).toEqual([wanted]);
  });

  it('is found with a facet and in any region', async () => {
    door.camera.start();
    const { uuid } = door.sharing.camera;
    expect(await outcome(entryOf(`${uuid}.v0`, 'eu-1'), byKey())).toEqual([200, null]);
  });

  it('gives each viewer a grant of its own', async () => {
    door.camera.start();
    const [first, second] = [await door.get(entryOf(), byKey()), await door.get(entryOf(), byKey())];
    expect(folderIn(first.body)).not.toBe(folderIn(second.body));
  });

  it('is woken, and waited for', async () => {
    const response = door.get(entryOf(), byKey());
    await awaited();
    door.camera.start();
    expect((await response).statusCode).toBe(200);
  });

  it('that sends no video is 503, never an error of access', async () => {
    const response = door.get(entryOf(), byKey());
    await awaited();
    door.sharing.clock.advance(COLD_WAIT_MS);
    expect((await response).statusCode).toBe(503);
    door.camera.goOffline(door.sharing.clock.epochMs() + 5_000);
    expect(await outcome(entryOf(), byKey())).toEqual([503, 'camera-offline']);
    door.removeCamera();
    expect(await outcome(entryOf(), byKey())).toEqual([503, 'camera-offline']);
  });

  it('is recorded with the key whose rights were used, and where from', async () => {
    door.camera.start();
    const token = await sessionToken();
    await door.get(entryOf(), { ...byKey(), 'user-agent': 'puller' });
    await door.get(`${entryOf()}?x-auth-ft=${token}`);
    const { uuid, name, orgUuid } = door.sharing.camera;
    const opened = { device: expect.objectContaining({ uuid, name, orgUuid }), address: '127.0.0.1' };
    expect(openings).toMatchObject([
      { ...opened, actor: { uuid: key.uuid, name: key.name }, userAgent: 'puller' },
      { ...opened, actor: { uuid: key.uuid } },
    ]);
  });
});

describe('a request for a device is refused', () => {
  it('with 401 without credentials, whether the device exists or not', async () => {
    for (const url of [entryOf(), entryOf(newRuuid()), entryOf('x')]) {
      expect(await outcome(url)).toEqual([401, 'credentials-needed']);
    }
    expect(door.camera.touches).toEqual([]);
    // A request without credentials does not count as a guess.
    for (let i = 0; i < 2 * WRONG_CREDENTIALS_AT_ONCE; i++) await door.get(entryOf());
    expect(await outcome(entryOf(), byKey('wrong'))).toEqual([401, 'credentials-wrong']);
  });

  it('with 401 with credentials that are not accepted', async () => {
    const reporting = sampleApiKey(door.sharing.orgUuid, {
      scheme: 'device',
      keyHash: hashApiKey('reports'),
    });
    const partner = sampleApiKey(door.sharing.orgUuid, {
      scheme: 'partner-api',
      keyHash: hashApiKey('partner'),
    });
    for (const saved of [reporting, partner]) await door.sharing.store.apiKeys.save(saved);
    const wrong = [401, 'credentials-wrong'];
    const token = await sessionToken({ domain: 'panel.example' });
    const cases: [string, Record<string, string>][] = [
      ['unknown', byKey('no-such-key')],
      ['only reports', { 'x-auth-scheme': 'device', 'x-auth-apikey': 'reports' }],
      ['another scheme', byKey('partner')],
      ['another organization', { ...byKey(), 'x-auth-org': newRuuid() }],
      ['another page', { ...bySession(token), origin: 'https://evil.example' }],
      ['a key as a session', bySession(KEY_TEXT)],
      ['a session as a key', byKey(token)],
    ];
    for (const [index, [name, headers]] of cases.entries()) {
      const response = await door.inject({
        method: 'GET',
        url: entryOf(),
        headers,
        remoteAddress: `192.0.2.${index + 1}`,
      });
      expect([name, response.statusCode, response.json().reason]).toEqual([name, ...wrong]);
    }
    expect(await outcome(`${entryOf()}?x-auth-scheme=api-token&x-auth-apikey=${KEY_TEXT}`)).toEqual([
      401,
      'credentials-needed',
    ]);
    expect(door.camera.touches).toEqual([]);
  });

  it('with 429 after too many guesses from an address, which good credentials pass', async () => {
    door.camera.start();
    for (let i = 0; i < WRONG_CREDENTIALS_AT_ONCE; i++) {
      expect(await outcome(`${entryOf()}?x-auth-ft=${newRuuid()}`)).toEqual([401, 'credentials-wrong']);
    }
    const guess = await door.get(entryOf(), byKey('one-more'));
    expect([guess.statusCode, guess.json().reason]).toEqual([429, 'too-many-credentials']);
    expect(Number(guess.headers['retry-after'])).toBeGreaterThan(0);
    expect(await outcome(entryOf(), byKey())).toEqual([200, null]);
  });

  it("with the same 404 for a device that does not exist, another organization's and not the session's", async () => {
    const { store, orgUuid } = door.sharing;
    const foreign = sampleOrganization();
    await store.organizations.save(foreign);
    const [sibling, theirs] = [sampleCamera(orgUuid), sampleCamera(foreign.uuid)];
    for (const camera of [sibling, theirs]) await store.cameras.save(camera);
    await eventually('the camera is known', () => door.sharing.devices.find(theirs.uuid) !== null);
    const limited = bySession(await sessionToken({ deviceUuid: sibling.uuid }));
    const bodies = [
      await door.get(entryOf(newRuuid()), byKey()),
      await door.get(entryOf(theirs.uuid), byKey()),
      await door.get(entryOf('no-uuid'), byKey()),
      await door.get(entryOf(), limited),
    ].map((response) => ({ status: response.statusCode, ...response.json() }));
    expect(bodies[0]).toMatchObject({ status: 404, reason: 'unknown' });
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(door.camera.touches).toEqual([]);
    expect(openings).toEqual([]);
  });

  it('with 429 when it comes too often, before the camera is woken', async () => {
    await door.close();
    await openDoor(1);
    door.camera.start();
    expect(await outcome(entryOf(), byKey())).toEqual([200, null]);
    expect(await outcome(entryOf(), byKey())).toEqual([200, null]);
    const touches = door.camera.touches.length;
    expect(await outcome(entryOf(), byKey())).toEqual([429, 'too-many-opens']);
    expect(door.camera.touches).toHaveLength(touches);
  });

  it('in the log without any credential, and once for many guesses', async () => {
    door.camera.start();
    const token = await sessionToken();
    for (let i = 0; i < 6; i++) await door.get(`${entryOf(newRuuid())}?x-auth-ft=${newRuuid()}`);
    await door.get(entryOf(newRuuid()), byKey());
    await door.get(`/media/${door.sharing.camera.uuid}/local/ft/${token}/file.m3u8`);
    const refused = lines.filter(({ message }) => message === 'device not opened');
    expect(refused.map(({ fields }) => [fields.principal, fields.device, fields.reason])).toEqual([
      [null, null, 'credentials-wrong'],
      [null, null, 'too-many-credentials'],
      [key.uuid, null, 'unknown'],
    ]);
    const text = JSON.stringify(lines);
    for (const secret of [KEY_TEXT, token]) expect(text).not.toContain(secret);
  });
});

describe('a view of a device', () => {
  const view = async (headers: Record<string, string> = byKey()) => {
    door.camera.start().publishSegments(1);
    return folderIn((await door.get(entryOf(), headers)).body);
  };

  it('is over with 403 when its key is revoked, a request that waits included', async () => {
    const folder = await view();
    const waiting = door.get(`${folder}file.m3u8?_HLS_msn=1`);
    await eventuallyEqual(() => door.camera.fake('main').waitingCount, 1);
    door.sharing.devices.applied({
      kind: 'key',
      uuid: key.uuid,
      record: { ...key, revokedAtMs: door.sharing.clock.epochMs() },
    });
    const ended = await waiting;
    expect([ended.statusCode, ended.json().reason]).toEqual([403, 'credential-ended']);
    for (const name of ['file.m3u8', 'seg_0.m4v', 'seg_init.mp4', 'status', 'poster.jpg']) {
      expect(await outcome(`${folder}${name}`)).toEqual([403, 'credential-ended']);
    }
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('is over when its session ends, and the session opens nothing anymore', async () => {
    const token = await sessionToken({ durationSec: 60 });
    const folder = await view(bySession(token));
    door.sharing.clock.advance(59_999);
    expect(await outcome(`${folder}file.m3u8`)).toEqual([200, null]);
    door.sharing.clock.advance(1);
    expect(await outcome(`${folder}file.m3u8`)).toEqual([403, 'credential-ended']);
    expect(await outcome(entryOf(), bySession(token))).toEqual([401, 'credentials-wrong']);
  });

  it('is over when the device is deleted', async () => {
    const folder = await view();
    door.sharing.devices.applied({ kind: 'camera', uuid: door.sharing.camera.uuid, record: null });
    expect(await outcome(`${folder}file.m3u8`)).toEqual([403, 'device-removed']);
  });

  it('that was not begun yet ends the wait for the camera', async () => {
    const response = door.get(entryOf(), byKey());
    await awaited();
    door.sharing.devices.applied({
      kind: 'key',
      uuid: key.uuid,
      record: { ...key, revokedAtMs: door.sharing.clock.epochMs() },
    });
    door.sharing.clock.advance(1_000);
    const ended = await response;
    expect([ended.statusCode, ended.json().reason]).toEqual([403, 'credential-ended']);
    expect(door.camera.waitingCount).toBe(0);
  });

  it('outlives the gateway: another one with the same key accepts its grant', async () => {
    const folder = await view();
    door.sharing.sessions.close();
    expect(await outcome(`${folder}file.m3u8`)).toEqual([200, null]);
  });

  it('reaches no other device, and no share', async () => {
    const folder = await view();
    const grant = folder.split('/')[2]!;
    const altered = door.sharing.deviceGrants.issue(newRuuid(), { kind: 'key', uuid: key.uuid }, 4e9);
    // Signed parts of two grants do not make a third.
    const mixed = altered.slice(0, 22) + grant.slice(22);
    expect(await outcome(`/live/${mixed}/file.m3u8`)).toEqual([404, 'unknown']);
    expect(await outcome(`/live/${altered}/file.m3u8`)).toEqual([403, 'device-removed']);
    const opened = await door.inject({ method: 'POST', url: `/share/${grant}/open`, payload: {} });
    expect(opened.statusCode).toBe(404);
  });

  it('is counted with its bytes, apart from those of shares', async () => {
    const folder = await view();
    const { length } = (await door.get(`${folder}seg_0.m4v`)).rawPayload;
    const [[audienceUuid, viewers]] = [...door.sharing.sessions.viewersByAudience()] as [[Ruuid, number]];
    expect(viewers).toBe(1);
    expect(door.traffic.bytesOf(audienceUuid)).toBe(length);
    expect(door.traffic.bytesOf(door.sharing.camera.uuid)).toBe(0);
  });
});
