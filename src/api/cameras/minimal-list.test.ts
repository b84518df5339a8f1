import { expect, it } from 'vitest';
import { openApiFixture } from '../api-fixture.ts';

const LIST = '/api/camera/getMinimalList';

it(`${LIST} lists the cameras in brief`, async () => {
  const fixture = await openApiFixture();
  const { camera, doorbell, locationUuid } = fixture.own;
  await fixture.call('/api/camera/createSharedLiveVideoStream', {
    ...{ cameraUuid: camera.uuid, streamType: 'USER', vodEnabled: false },
  });
  const row = { deviceUuid: camera.uuid, timestampMs: 1_767_225_600_000, ssid: 'yard', wifiBars: 3 };
  expect(await fixture.call('/api/ingest/deviceReports', { rows: [row] })).toMatchObject({
    acceptedCount: 1,
  });
  const list = async (body: object = {}, headers = {}) =>
    (await fixture.call(LIST, body, headers)).cameras as Record<string, unknown>[];
  expect(await list()).toMatchObject([
    { uuid: doorbell.uuid, name: doorbell.name, liveStreamShared: false, mummified: false },
    { uuid: camera.uuid, name: camera.name, locationUuid, liveStreamShared: true, ssid: 'yard', wifiBars: 3 },
  ]);
  await fixture.store.cameras.save({ ...doorbell, mummified: true });
  expect((await list()).map(({ uuid }) => uuid)).toEqual([camera.uuid]);
  expect((await list({ includeMummified: true })).map(({ uuid }) => uuid)).toEqual([
    doorbell.uuid,
    camera.uuid,
  ]);
  const foreign = await list({}, { 'x-auth-apikey': fixture.foreign.apiKey });
  expect(foreign.map(({ uuid }) => uuid)).not.toContain(camera.uuid);
  expect(await fixture.call(LIST, { includeMummified: 1 })).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(/^includeMummified must be/),
  });
  await fixture.close();
});
