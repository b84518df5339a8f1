import { expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createProtectedSharedLiveVideoStream';

it(`${CREATE} creates a share with a password, and none without one`, async () => {
  const fixture = await openApiFixture();
  const { camera, organization } = fixture.own;
  const create = (body: object, headers = {}) =>
    fixture.call(CREATE, { cameraUuid: camera.uuid, password: 'gate 7', ...body }, headers);
  const shares = () => fixture.store.shares.listByCamera(organization.uuid, camera.uuid);
  for (const [body, sentence] of [
    [{ password: undefined }, 'password is required.'],
    [{ password: null }, 'password is required.'],
    [{ password: ' \t' }, 'password must not be blank.'],
    [{ ssoProtected: true }, /^ssoProtected: single sign-on is not available/],
    [{ cameraUuid: fixture.foreign.camera.uuid }, /^There is no camera/],
  ] as const) {
    expect(await create(body)).toMatchObject({ error: true, errorMsg: expect.stringMatching(sentence) });
  }
  expect(await shares()).toEqual([]);

  const created = await create({ name: 'Gate', includeAudio: false, expirationTimeSecs: 60 });
  expect(created).toMatchObject({
    error: false,
    sharedLiveVideoStreamUrl: expect.stringContaining('/share/'),
    sharedLiveM3U8StreamUrl: expect.stringContaining('.m3u8'),
  });
  const [share] = await shares();
  expect(share).toMatchObject({
    ...{ uuid: created.sharedLiveVideoStreamUuid as Ruuid, name: 'Gate', streamType: 'USER' },
    ...{ vodEnabled: false, passwordHash: expect.any(String) },
  });
  expect(share!.passwordHash).not.toContain('gate 7');
  const listed = await fixture.call('/api/camera/findSharedLiveVideoStreams', { cameraUuid: camera.uuid });
  expect(JSON.stringify(listed)).toContain('"passwordProtected":true');
  await fixture.close();
});
