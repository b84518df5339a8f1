import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { maskedCameraUuid } from '../../store/privacy-mask.ts';
import { hasMasks } from '../../store/removed-masks.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const TRIANGLE = [
  { x: 0, y: 0 },
  { x: 5_000, y: 0 },
  { x: 0, y: 10_000 },
];
const MASK = { name: 'Window', points: TRIANGLE };

function call(name: string, body: object = {}, headers?: Record<string, string>): Promise<Answer> {
  return fixture.call(`/api/camera/${name}`, { cameraUuid: fixture.own.camera.uuid, ...body }, headers);
}

const set = (masks: readonly object[], headers?: Record<string, string>) =>
  call('setPrivacyMasks', { masks }, headers);

describe('privacy masks', () => {
  it('are none at first, and are replaced as a whole', async () => {
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [] });
    expect(await set([MASK, { name: ' Door ', points: TRIANGLE }])).toEqual({
      error: false,
      masks: [MASK, { name: 'Door', points: TRIANGLE }],
      masksForViewers: false,
    });
    expect(await call('getPrivacyMasks')).toMatchObject({
      masks: [MASK, { name: 'Door', points: TRIANGLE }],
    });
    await set([]);
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [] });
  });

  it('still cover files of a camera that was removed', async () => {
    const { store, own } = fixture;
    const { orgUuid, uuid } = own.camera;
    await store.cameras.change(orgUuid, uuid, (now) => ({ ...now!, fromConfig: false }));
    await set([MASK]);
    await call('delete');
    expect(await store.cameras.find(orgUuid, uuid)).toBeNull();
    expect(await hasMasks(store, orgUuid, uuid, null)).toBe(true);
    expect(await hasMasks(store, orgUuid, newRuuid(), null)).toBe(false);
  });

  it('apply to viewers if they say so, until they say otherwise', async () => {
    await call('setPrivacyMasks', { masks: [MASK], masksForViewers: true });
    expect(await set([])).toMatchObject({ masksForViewers: true });
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [], masksForViewers: true });
    expect(await call('setPrivacyMasks', { masks: [], masksForViewers: false })).toMatchObject({
      masksForViewers: false,
    });
  });

  it('are in every image that a viewer gets of such a camera', async () => {
    const { store, own, clock, takenStills } = fixture;
    const { uuid, orgUuid } = own.camera;
    await call('setPrivacyMasks', { masks: [MASK], masksForViewers: true });
    const { masks } = (await store.cameras.find(orgUuid, uuid))!;
    const timestampMs = clock.epochMs() - 60_000;
    const shownTo = async (role: 'viewer' | 'operator') => {
      const headers = { 'x-auth-apikey': await addApiKey(store, orgUuid, { role }) };
      await call('getSnapshot', {}, headers);
      for (const name of ['getExactFrameUri', 'getExactFrameData']) {
        await fixture.call(`/api/video/${name}`, { cameraUuid: uuid, timestampMs }, headers);
      }
      return takenStills.splice(0).map(({ camera }) => camera);
    };
    const masked = maskedCameraUuid(uuid, masks);
    expect(await shownTo('viewer')).toEqual([masked, masked, masked]);
    expect(await shownTo('operator')).toEqual([uuid, uuid, uuid]);
  });

  it('are in force when the call returns', async () => {
    await set([MASK]);
    expect(fixture.endedAccess.at(-1)).toBe(fixture.own.camera.uuid);
  });

  it('stay when something else of the camera changes', async () => {
    await set([MASK]);
    const camera = { uuid: fixture.own.camera.uuid, name: 'Renamed' };
    await fixture.store.cameras.change(fixture.own.organization.uuid, camera.uuid, (known) => ({
      ...known!,
      fromConfig: false,
    }));
    await fixture.call('/api/camera/updateDetailsV2', { camera });
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [MASK] });
  });

  it.each([
    ['two corners', TRIANGLE.slice(0, 2)],
    ['no width', TRIANGLE.map(({ y }) => ({ x: 7, y }))],
    ['no height', TRIANGLE.map(({ x }) => ({ x, y: 7 }))],
  ])('are refused with %s', async (_, points) => {
    const { errorMsg } = await set([MASK, { name: '', points }]);
    expect(errorMsg).toBe('masks[1] needs 3 to 32 points that are not all on one line.');
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [] });
  });

  it.each([
    [Array.from({ length: 17 }, () => MASK), /^masks must/],
    [[{ name: '', points: Array.from({ length: 33 }, () => ({ x: 1, y: 1 })) }], /^masks\[0\]\.points must/],
    [[{ name: '', points: [{ x: 10_001, y: 0 }] }], /^masks\[0\]\.points\[0\]\.x must/],
    [[{ name: 'x'.repeat(257), points: TRIANGLE }], /^masks\[0\]\.name must/],
  ])('have limits', async (masks, sentence) => {
    expect((await set(masks)).errorMsg).toMatch(sentence);
  });

  it('are drawn by admins, and seen by viewers', async () => {
    const { uuid } = fixture.own.organization;
    const as = async (role: 'viewer' | 'operator' | 'admin') => ({
      'x-auth-apikey': await addApiKey(fixture.store, uuid, { role }),
    });
    const body = { cameraUuid: fixture.own.camera.uuid, masks: [MASK] };
    const refused = await fixture.post('/api/camera/setPrivacyMasks', body, await as('operator'));
    expect(refused.statusCode).toBe(403);
    expect(await set([MASK], await as('admin'))).toMatchObject({ error: false });
    expect(await call('getPrivacyMasks', {}, await as('viewer'))).toMatchObject({ masks: [MASK] });
  });

  it('are neither seen nor drawn by another organization', async () => {
    await set([MASK]);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    for (const answer of [await set([], foreign), await call('getPrivacyMasks', {}, foreign)]) {
      expect(answer.errorMsg).toBe('There is no camera with this UUID.');
    }
    expect(await call('getPrivacyMasks')).toMatchObject({ masks: [MASK] });
  });
});

describe('a link that shows what masks cover', () => {
  it('is made by admins alone', async () => {
    const { uuid } = fixture.own.organization;
    const headers = { 'x-auth-apikey': await addApiKey(fixture.store, uuid, { role: 'operator' }) };
    const share = (more: object, by?: Record<string, string>) =>
      call('createSharedLiveVideoStream', { streamType: 'USER', vodEnabled: false, ...more }, by);
    await expect(share({ showsUnmasked: true }, headers)).rejects.toThrow(/answered 403.*role admin/);
    const { sharedLiveVideoStreamUuid } = await share({ showsUnmasked: false }, headers);
    const update = (showsUnmasked: boolean, by?: Record<string, string>) =>
      fixture.call(
        '/api/camera/updateSharedLiveVideoStream',
        { uuid: sharedLiveVideoStreamUuid, showsUnmasked, showsUnmaskedUpdated: true },
        by,
      );
    await expect(update(true, headers)).rejects.toThrow(/answered 403.*role admin/);
    expect(await update(true)).toMatchObject({ sharedLiveVideoStream: { showsUnmasked: true } });
    expect(await update(false, headers)).toMatchObject({ sharedLiveVideoStream: { showsUnmasked: false } });
  });
});
