import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const UPDATE = '/api/camera/updateSharedLiveVideoStream';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

async function create(fields: object): Promise<string> {
  const response = await fixture.call(CREATE, { cameraUuid: fixture.own.camera.uuid, ...fields });
  expect(response.errorMsg).toBeUndefined();
  return response.sharedLiveVideoStreamUuid as string;
}

/** As the two lists have it, and the store. */
async function cdnOf(uuid: string): Promise<unknown[]> {
  const { own, store } = fixture;
  const listed = await fixture.call('/api/camera/findSharedLiveVideoStreams', {
    cameraUuid: own.camera.uuid,
  });
  const { sharedStreams } = await fixture.call('/api/camera/findSharedStreams', { uuids: [uuid] });
  const shares = listed.sharedLiveVideoStreams as { uuid: string; cdn?: boolean }[];
  const stored = await store.shares.listByCamera(own.organization.uuid, own.camera.uuid);
  return [
    shares.find((share) => share.uuid === uuid)!.cdn,
    (sharedStreams as { cdn?: boolean }[])[0]!.cdn,
    stored.find((share) => share.uuid === uuid)!.cdn,
  ];
}

it.each([
  [{}, undefined, null],
  [{ cdn: null }, undefined, null],
  [{ cdn: true }, true, true],
  [{ cdn: false }, false, false],
] as const)('a share that is created with %j has it', async (fields, listed, stored) => {
  expect(await cdnOf(await create(fields))).toEqual([listed, listed, stored]);
});

it('is changed and left to the configuration again, and ends no view', async () => {
  const uuid = await create({ cdn: true });
  const epoch = async () =>
    (await fixture.store.shares.find(fixture.own.organization.uuid, uuid as never))!.accessEpoch;
  const before = await epoch();
  await fixture.call(UPDATE, { uuid, cdn: false, cdnUpdated: true });
  expect(await cdnOf(uuid)).toEqual([false, false, false]);
  await fixture.call(UPDATE, { uuid, cdn: true });
  expect(await cdnOf(uuid)).toEqual([false, false, false]);
  await fixture.call(UPDATE, { uuid, cdnUpdated: true });
  expect(await cdnOf(uuid)).toEqual([undefined, undefined, null]);
  expect(await epoch()).toBe(before);
});

it('is true or false and nothing else', async () => {
  const response = await fixture.call(CREATE, { cameraUuid: fixture.own.camera.uuid, cdn: 'yes' });
  expect(response).toMatchObject({ error: true, errorMsg: expect.stringContaining('cdn') });
});
