/** A share ends although the store cannot be reached: nothing that is needed for it is read from there. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { STORE_ERRORS } from '../../store/errors.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let shareUuid: Ruuid;

beforeEach(async () => {
  fixture = await openApiFixture();
  const created = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: fixture.own.camera.uuid,
  });
  shareUuid = created.sharedLiveVideoStreamUuid as Ruuid;
  const away = async () => {
    throw new GatewayError(STORE_ERRORS.STORE_UNREACHABLE);
  };
  const { apiKeys, cameras, shares } = fixture.store;
  apiKeys.findByHash = away;
  [cameras.find, shares.find, shares.remove] = [away, away, away];
  fixture.clock.advance(60_000);
});
afterEach(() => fixture.close());

const remove = (fields: object, headers: Record<string, string> = {}) =>
  fixture.post('/api/camera/deleteSharedLiveVideoStream', { uuid: shareUuid, ...fields }, headers);

it.each([
  ['alone', () => ({})],
  ['with its camera', () => ({ cameraUuid: fixture.own.camera.uuid })],
])('if it is named %s, and the caller hears that this is stored later', async (_how, fields) => {
  const { grantText } = fixture.watch(shareUuid, { ip: '192.0.2.1' });
  expect(fixture.viewers.access(grantText)).toMatchObject({ allowed: true });
  const { body } = await remove(fields());
  expect(body).toContain('The share is closed and its views have ended');
  expect(fixture.viewers.access(grantText)).toMatchObject({ allowed: false, reason: 'revoked' });
});

it('but not if it is named with another camera, or by a key that was not seen before', async () => {
  const { grantText } = fixture.watch(shareUuid, { ip: '192.0.2.1' });
  const answers = [
    await remove({ cameraUuid: newRuuid() }),
    await remove({}, { 'x-auth-apikey': fixture.foreign.apiKey }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503]);
  expect(fixture.viewers.access(grantText)).toMatchObject({ allowed: true });
});
