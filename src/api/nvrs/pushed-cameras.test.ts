import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { publishDigestOf, pushedAddress } from '../../store/pushed-address.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const ADD = '/api/relay/addThirdPartyCameraViaRtmp';
const CREATE_KEY = '/api/relay/createThirdPartyCameraPublishKey';
const DELETE_KEY = '/api/relay/deleteThirdPartyCameraPublishKey';
const KEY = /^[A-Za-z0-9_-]{32}$/;

interface Added {
  readonly deviceUuid: Ruuid;
  readonly publishKey: string;
}

let fixture: ApiFixture;
let ownOrg: Ruuid;
let foreignKey: Record<string, string>;
/** Notices to the listener, with the digest that it found in the store. */
let applied: [Ruuid, string | null][];

beforeEach(async () => {
  applied = [];
  fixture = await openApiFixture({
    onPublishKey: async (orgUuid, uuid) => {
      applied.push([uuid, await storedDigest(uuid, orgUuid)]);
    },
  });
  ownOrg = fixture.own.organization.uuid;
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

async function storedDigest(uuid: Ruuid, orgUuid = ownOrg): Promise<string | null> {
  return publishDigestOf((await fixture.store.cameras.find(orgUuid, uuid))!.rtspUrl);
}

async function add(body: object = {}): Promise<Added> {
  const response = await fixture.call(ADD, { name: 'Dock', ...body });
  expect(response.errorMsg).toBeUndefined();
  return response as Answer & Added;
}

async function publishState(cameraUuid: Ruuid): Promise<Record<string, unknown>> {
  const { fullCameraState } = await fixture.call('/api/camera/getFullCameraState', { cameraUuid });
  return (fullCameraState as { onCameraState: { v0: Record<string, unknown> } }).onCameraState.v0;
}

describe(ADD, () => {
  it('creates a camera with a key that is shown only once and stored as a digest', async () => {
    const { nvrUuid, locationUuid } = fixture.own;
    const { deviceUuid, publishKey } = await add({ nvrUuid });
    expect(publishKey).toMatch(KEY);
    const camera = await fixture.store.cameras.find(ownOrg, deviceUuid);
    expect(camera).toMatchObject({
      name: 'Dock',
      nvrUuid,
      locationUuid,
      fromConfig: false,
      mummified: false,
    });
    expect(camera!.rtspUrl.reveal()).not.toContain(publishKey);
    // The response was sent after the listener knew.
    expect(applied).toEqual([[deviceUuid, digestOf(publishKey)]]);
    for (const path of [
      '/api/camera/getMinimalCameraStateList',
      '/api/relay/getMinimalThirdPartyCameraStateList',
      '/api/report/getAuditFeed',
    ]) {
      const text = (await fixture.post(path)).body;
      expect(text).toContain(deviceUuid);
      expect(text).not.toContain(publishKey);
      expect(text).not.toContain(digestOf(publishKey));
      expect(text).not.toContain('rtmp-push');
    }
    expect(await publishState(deviceUuid)).toMatchObject({ hasPublishKey: true });
    expect(await publishState(fixture.own.camera.uuid)).not.toHaveProperty('hasPublishKey');
  });

  it('needs neither an NVR nor a location, and takes a location of its own', async () => {
    const { deviceUuid } = await add();
    expect(await fixture.store.cameras.find(ownOrg, deviceUuid)).toMatchObject({
      nvrUuid: null,
      locationUuid: null,
    });
    const { locationUuid } = fixture.own;
    const placed = await add({ name: ' Gate ', locationUuid });
    expect(await fixture.store.cameras.find(ownOrg, placed.deviceUuid)).toMatchObject({
      name: 'Gate',
      nvrUuid: null,
      locationUuid,
    });
  });

  it('gives each camera another key', async () => {
    const keys = new Set<string>();
    for (let i = 0; i < 10; i++) keys.add((await add()).publishKey);
    expect(keys.size).toBe(10);
  });

  it.each([
    [{ name: undefined }, 'name is required.'],
    [{ name: ' ' }, 'name must not be blank.'],
    [{ nvrUuid: newRuuid() }, 'There is no NVR with this UUID.'],
    [{ locationUuid: newRuuid() }, 'There is no location with this UUID.'],
  ])('refuses %j and creates nothing', async (body, sentence) => {
    const before = await fixture.store.cameras.list(ownOrg);
    expect(await fixture.call(ADD, { name: 'Dock', ...body })).toMatchObject({
      error: true,
      errorMsg: sentence,
    });
    expect(await fixture.store.cameras.list(ownOrg)).toEqual(before);
    expect(applied).toEqual([]);
  });

  it('refuses an NVR and a location of another organization', async () => {
    const { nvrUuid, locationUuid } = fixture.foreign;
    for (const body of [{ nvrUuid }, { locationUuid }]) {
      expect((await fixture.call(ADD, { name: 'Dock', ...body })).error).toBe(true);
    }
  });

  it('does not keep the key for a call that is sent again', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await fixture.call(ADD, { name: 'Dock' }, headers);
    const again = await fixture.call(ADD, { name: 'Dock' }, headers);
    expect(again.deviceUuid).toBe(first.deviceUuid);
    expect(again).not.toHaveProperty('publishKey');
    expect(again.warningMsg).toMatch(/publishKey/);
  });
});

describe(CREATE_KEY, () => {
  it('replaces the key: the listener knows the new one when the call returns', async () => {
    const { deviceUuid, publishKey } = await add();
    const response = await fixture.call(CREATE_KEY, { cameraUuid: deviceUuid });
    expect(response.publishKey).toMatch(KEY);
    expect(response.publishKey).not.toBe(publishKey);
    expect(applied.at(-1)).toEqual([deviceUuid, digestOf(response.publishKey as string)]);
  });

  it('refuses a camera that the gateway opens, which stays as it is', async () => {
    const camera = sampleCamera(ownOrg, { fromConfig: false });
    await fixture.store.cameras.save(camera);
    for (const path of [CREATE_KEY, DELETE_KEY]) {
      expect(await fixture.call(path, { cameraUuid: camera.uuid })).toMatchObject({
        errorMsg: 'The gateway opens this camera itself, so it has no publish key.',
      });
    }
    const known = await fixture.store.cameras.find(ownOrg, camera.uuid);
    expect(known!.rtspUrl.reveal()).toBe(camera.rtspUrl.reveal());
    expect(applied).toEqual([]);
  });

  it('refuses a camera of the configuration file', async () => {
    const camera = sampleCamera(ownOrg, { fromConfig: true, rtspUrl: pushedAddress('digest') });
    await fixture.store.cameras.save(camera);
    for (const path of [CREATE_KEY, DELETE_KEY]) {
      const { errorMsg } = await fixture.call(path, { cameraUuid: camera.uuid });
      expect(errorMsg).toMatch(/^The configuration file declares .*: change how its video comes in there\.$/);
    }
    expect(await storedDigest(camera.uuid)).toBe('digest');
  });

  it('refuses a camera of another organization, a removed one and an unknown one', async () => {
    const { deviceUuid, publishKey } = await add();
    const removed = sampleCamera(ownOrg, { mummified: true, fromConfig: false });
    await fixture.store.cameras.save(removed);
    for (const path of [CREATE_KEY, DELETE_KEY]) {
      const notFound = { error: true, errorMsg: 'There is no camera with this UUID.' };
      expect(await fixture.call(path, { cameraUuid: deviceUuid }, foreignKey)).toMatchObject(notFound);
      expect(await fixture.call(path, { cameraUuid: removed.uuid })).toMatchObject(notFound);
      expect(await fixture.call(path, { cameraUuid: newRuuid() })).toMatchObject(notFound);
    }
    expect(await storedDigest(deviceUuid)).toBe(digestOf(publishKey));
  });
});

describe(DELETE_KEY, () => {
  it('leaves a camera to which nothing can be pushed until it gets another key', async () => {
    const { deviceUuid } = await add();
    expect(await fixture.call(DELETE_KEY, { cameraUuid: deviceUuid })).toMatchObject({ error: false });
    expect(applied.at(-1)).toEqual([deviceUuid, null]);
    expect(await publishState(deviceUuid)).toMatchObject({ hasPublishKey: false });
    expect(await fixture.call(DELETE_KEY, { cameraUuid: deviceUuid })).toMatchObject({
      errorMsg: 'The camera has no publish key.',
    });
    const { publishKey } = await fixture.call(CREATE_KEY, { cameraUuid: deviceUuid });
    expect(await storedDigest(deviceUuid)).toBe(digestOf(publishKey as string));
  });
});

it('only keys of the organization may call: no device key and no federated session', async () => {
  const { deviceUuid } = await add();
  const deviceKey = await addApiKey(fixture.store, ownOrg, { scheme: 'device' });
  const session = await fixture.call('/api/org/generateFederatedSessionToken', {});
  const sessionHeaders = {
    'x-auth-scheme': 'federated-token',
    'x-auth-ft': session.federatedSessionToken as string,
    'x-auth-apikey': '',
  };
  const reading = await fixture.post('/api/camera/getMinimalCameraStateList', {}, sessionHeaders);
  expect(reading.statusCode).toBe(200);
  const deviceHeaders = { 'x-auth-scheme': 'device', 'x-auth-apikey': deviceKey };
  for (const headers of [sessionHeaders, deviceHeaders, { 'x-auth-apikey': 'nonsense' }]) {
    for (const [path, body] of [
      [ADD, { name: 'Dock' }],
      [CREATE_KEY, { cameraUuid: deviceUuid }],
      [DELETE_KEY, { cameraUuid: deviceUuid }],
    ] as const) {
      expect((await fixture.post(path, body, headers)).statusCode).toBe(401);
    }
  }
  expect(applied).toHaveLength(1);
});
