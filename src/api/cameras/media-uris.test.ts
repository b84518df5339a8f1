import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { MEDIA_PATHS, MEDIA_REGION, MediaUris } from '../../sharing/media-uris.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { type ApiFixture, MEDIA_ADDRESSES, openApiFixture } from '../api-fixture.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const GENERATE = '/api/org/generateFederatedSessionToken';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

/** Each call with the fields that name the device. */
const CALLS = [
  ['/api/camera/getMediaUris', 'cameraUuid'],
  ['/api/camera/getMediaUris', 'deviceUuid'],
  ['/api/camera/getCameraMediaUris', 'cameraUuid'],
  ['/api/camera/getCameraMediaUris', 'deviceUuid'],
  ['/api/doorbellcamera/getMediaUris', 'deviceUuid'],
  ['/api/audiogateway/getMediaUris', 'gatewayUuid'],
  ['/api/audiogateway/getMediaUris', 'deviceUuid'],
] as const;

const deviceFor = (path: string, { own } = fixture) =>
  path.startsWith('/api/doorbell') ? own.doorbell.uuid : own.camera.uuid;

describe.each(CALLS)('%s by %s', (path, field) => {
  it('offers what works, and nothing else', async () => {
    const uuid = deviceFor(path);
    const response = await fixture.call(path, { [field]: uuid });
    const at = (base: string, name = 'file.m3u8') => `${base}/media/${uuid}/${MEDIA_REGION}/${name}`;
    const past = (name: string) => ({
      wan: at('http://media.example', `vod/{START_TIME}/{DURATION}/${name}`),
      lan: ['http://192.0.2.5:8081', 'http://nvr.local'].map((base) =>
        at(base, `vod/{START_TIME}/{DURATION}/${name}`),
      ),
    });
    expect(response).toEqual({
      error: false,
      wanLiveM3u8Uri: at('http://media.example'),
      lanLiveM3u8Uris: [at('http://192.0.2.5:8081'), at('http://nvr.local')],
      lanCheckUrls: ['http://192.0.2.5:8081/healthz', 'http://nvr.local/healthz'],
      wanLiveMpdUri: at('http://media.example', 'file.mpd'),
      lanLiveMpdUris: [at('http://192.0.2.5:8081', 'file.mpd'), at('http://nvr.local', 'file.mpd')],
      wanLiveH264Uri: at('ws://media.example', 'ws'),
      lanLiveH264Uris: [at('ws://192.0.2.5:8081', 'ws'), at('ws://nvr.local', 'ws')],
      wanLiveOpusUri: at('ws://media.example', 'opus/ws'),
      lanLiveOpusUris: [at('ws://192.0.2.5:8081', 'opus/ws'), at('ws://nvr.local', 'opus/ws')],
      wanVodM3u8UriTemplate: past('file.m3u8').wan,
      wanVodMpdUriTemplate: past('file.mpd').wan,
      lanVodM3u8UrisTemplates: past('file.m3u8').lan,
      lanVodMpdUrisTemplates: past('file.mpd').lan,
    });
  });

  it('gives the same for a facet', async () => {
    const uuid = deviceFor(path);
    const responses = [uuid, `${uuid}.v0`].map((device) => fixture.call(path, { [field]: device }));
    const [plain, ofFacet] = await Promise.all(responses);
    expect(ofFacet).toEqual(plain);
  });

  it("knows no other organization's devices, and none that do not exist", async () => {
    const foreign = path.startsWith('/api/doorbell') ? fixture.foreign.doorbell : fixture.foreign.camera;
    for (const uuid of [foreign.uuid, newRuuid()]) {
      expect(await fixture.call(path, { [field]: uuid })).toMatchObject({ error: true });
    }
  });

  it('serves a page, and a page for one device that device alone', async () => {
    const uuid = deviceFor(path);
    const pageFor = async (body: object) => {
      const { federatedSessionToken } = await fixture.call(GENERATE, body);
      return {
        'x-auth-apikey': '',
        'x-auth-scheme': 'federated-token',
        'x-auth-ft': String(federatedSessionToken),
      };
    };
    const other = path.startsWith('/api/doorbell') ? fixture.own.camera.uuid : fixture.own.doorbell.uuid;
    const requested = { [field]: uuid };
    expect(await fixture.call(path, requested, await pageFor({}))).toMatchObject({ error: false });
    expect(await fixture.call(path, requested, await pageFor({ deviceUuid: uuid }))).toMatchObject({
      error: false,
    });
    const refused = await fixture.post(path, requested, await pageFor({ deviceUuid: other }));
    expect(refused.json()).toMatchObject({ error: true });
    expect(refused.body).not.toContain('/media/');
  });
});

describe.each([
  ['/api/camera/getMediaUris', 'cameraUuid'],
  ['/api/camera/getCameraMediaUris', 'cameraUuid'],
  ['/api/audiogateway/getMediaUris', 'gatewayUuid'],
])('%s by two names', (path, field) => {
  it('needs one of them, and no two devices', async () => {
    const { camera, doorbell } = fixture.own;
    expect(await fixture.call(path, {})).toMatchObject({ errorMsg: `${field} is required.` });
    const same = { [field]: `${camera.uuid}.v0`, deviceUuid: camera.uuid };
    expect(await fixture.call(path, same)).toEqual(await fixture.call(path, { [field]: camera.uuid }));
    expect(await fixture.call(path, { [field]: camera.uuid, deviceUuid: doorbell.uuid })).toMatchObject({
      errorMsg: `deviceUuid must name the same device as ${field}, or be absent.`,
    });
  });

  it('gives a page for one device that device alone, whichever name it sends', async () => {
    const { camera, doorbell } = fixture.own;
    const { federatedSessionToken } = await fixture.call(GENERATE, { deviceUuid: camera.uuid });
    const page = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': String(federatedSessionToken),
    };
    const bodies: [object, boolean][] = [
      [{ [field]: camera.uuid, deviceUuid: camera.uuid }, false],
      [{ [field]: camera.uuid, deviceUuid: doorbell.uuid }, true],
      [{ [field]: doorbell.uuid, deviceUuid: camera.uuid }, true],
      [{}, true],
    ];
    for (const [body, error] of bodies) {
      expect([body, await fixture.call(path, body, page)]).toMatchObject([body, { error }]);
    }
  });
});

it('a doorbell camera is refused under another kind of device', async () => {
  const body = { deviceUuid: fixture.own.camera.uuid };
  expect(await fixture.call('/api/doorbellcamera/getMediaUris', body)).toMatchObject({ error: true });
});

it('an application gets them with its token, and what it may play ends with the token', async () => {
  const oauth = new OAuthTester(fixture);
  const client = await oauth.register();
  const tokens = await oauth.tokens(client);
  const headers = { 'x-auth-apikey': '', authorization: `Bearer ${tokens.access_token}` };
  const requested = { cameraUuid: fixture.own.camera.uuid };
  const response = await fixture.call('/api/camera/getMediaUris', requested, headers);
  expect(response).toMatchObject({ error: false, wanLiveMpdUri: expect.any(String) });
  expect(response).not.toHaveProperty('warningMsg');
  await oauth.form('revoke', client, { token: tokens.access_token });
  expect(fixture.endedAccess.at(-1)).toBe(hashApiKey(tokens.access_token));
});

it('without addresses in the network, no LAN URI is offered', () => {
  const { lan, lanCheckUrls } = new MediaUris({ ...MEDIA_ADDRESSES, lanMediaUrls: [] }).of(newRuuid());
  expect(new Set(Object.values(lan).flat())).toEqual(new Set());
  expect(Object.keys(lan)).toEqual(Object.keys(MEDIA_PATHS));
  expect(lanCheckUrls).toEqual([]);
});

describe('the media are told, before the response,', () => {
  it('which key was revoked', async () => {
    const { store, own, endedAccess } = fixture;
    const key = { ...own.key, uuid: newRuuid(), keyHash: hashApiKey(newRuuid()) };
    await store.apiKeys.save(key);
    const revoke = { tokenUuid: key.uuid };
    expect(await fixture.call('/api/integrations/org/revokeApiToken', revoke)).toMatchObject({
      error: false,
    });
    expect(endedAccess.at(-1)).toBe(key.uuid);
  });

  it.each([{ mummify: true }, { mummify: false }])('which camera was deleted: %o', async (how) => {
    const { endedAccess, store, own } = fixture;
    const camera = { ...own.camera, uuid: newRuuid(), fromConfig: false };
    await store.cameras.save(camera);
    const response = await fixture.call('/api/camera/delete', { cameraUuid: camera.uuid, ...how });
    expect(response).toMatchObject({ error: false });
    expect(endedAccess.at(-1)).toBe(camera.uuid);
  });
});
