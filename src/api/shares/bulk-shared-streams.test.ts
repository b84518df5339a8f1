import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let uuids: Ruuid[];
beforeEach(async () => {
  fixture = await openApiFixture();
  uuids = [];
  for (let i = 0; i < 12; i++) {
    const created = await fixture.call('/api/camera/createSharedLiveVideoStream', {
      cameraUuid: fixture.own.camera.uuid,
    });
    uuids.push(created.sharedLiveVideoStreamUuid as Ruuid);
  }
});
afterEach(() => fixture.close());

const bulk = (body: object, headers = {}) =>
  fixture.call('/api/camera/bulkUpdateSharedStreams', body, headers);
const stored = () => fixture.store.shares.list(fixture.own.organization.uuid);
const MISSING = 'There is no shared live stream with this UUID.';

describe('bulkUpdateSharedStreams', () => {
  it('deletes each share on its own, and says which it could not', async () => {
    const { grantText } = fixture.watch(uuids[0]!, { ip: '192.0.2.1' });
    const unknown = newRuuid();
    const requested = [...uuids.slice(0, 10), unknown, uuids[0]!];
    expect(await bulk({ sharedLiveVideoStreamUuids: requested, action: 'DELETE' })).toEqual({
      error: false,
      results: [...uuids.slice(0, 10).map((uuid) => ({ uuid })), { uuid: unknown, errorMsg: MISSING }],
      changedCount: 10,
    });
    expect((await stored()).map(({ uuid }) => uuid).sort()).toEqual(uuids.slice(10).sort());
    expect(fixture.viewers.access(grantText)).toMatchObject({ reason: 'revoked' });
  });

  it('sets and removes the expiration', async () => {
    const action = 'SET_EXPIRATION';
    await bulk({ sharedLiveVideoStreamUuids: uuids, action, expirationTimeSecs: 600 });
    const endSec = Math.ceil(fixture.clock.epochMs() / 1_000) + 600;
    expect(new Set((await stored()).map(({ expiresAtSec }) => expiresAtSec))).toEqual(new Set([endSec]));
    await bulk({ sharedLiveVideoStreamUuids: uuids.slice(0, 11), action: 'REMOVE_EXPIRATION' });
    expect((await stored()).filter(({ expiresAtSec }) => expiresAtSec !== null)).toHaveLength(1);
  });

  it.each([
    [
      'no expiration',
      { action: 'SET_EXPIRATION' },
      'expirationTimeSecs is required with action SET_EXPIRATION.',
    ],
    [
      'an expiration that has no effect',
      { action: 'DELETE', expirationTimeSecs: 60 },
      'expirationTimeSecs must be absent with action DELETE.',
    ],
    ['an expiration in the past', { action: 'SET_EXPIRATION', expirationTimeSecs: -1 }, /at least 1, got -1/],
  ])('refuses %s, and changes nothing', async (_name, body, errorMsg) => {
    const response = await bulk({ sharedLiveVideoStreamUuids: uuids, ...body });
    expect(response).toEqual({
      error: true,
      errorMsg: typeof errorMsg === 'string' ? errorMsg : expect.stringMatching(errorMsg),
    });
    expect(await stored()).toHaveLength(12);
  });

  it('refuses more than it takes at once', async () => {
    const sharedLiveVideoStreamUuids = Array.from({ length: 501 }, () => newRuuid());
    expect(await bulk({ sharedLiveVideoStreamUuids, action: 'DELETE' })).toMatchObject({ error: true });
  });

  it('touches nothing of another organization', async () => {
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    const [uuid] = uuids;
    expect(await bulk({ sharedLiveVideoStreamUuids: [uuid], action: 'DELETE' }, headers)).toEqual({
      error: false,
      results: [{ uuid, errorMsg: MISSING }],
      changedCount: 0,
    });
    expect(await stored()).toHaveLength(12);
  });
});
