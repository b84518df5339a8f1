import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let order: { deviceUuids: string[]; startTimeMillis: number; durationSec: number };

beforeAll(async () => {
  fixture = await openApiFixture();
  const startTimeMillis = fixture.clock.epochMs() - 3_600_000;
  order = { deviceUuids: [`${fixture.own.camera.uuid}.v0`], startTimeMillis, durationSec: 60 };
});
afterAll(() => fixture.close());

describe('an order for a clip', () => {
  it('is listed at once, with its progress until it is made or has failed', async () => {
    // It ends in the future, so it is not due.
    const soon = { ...order, startTimeMillis: fixture.clock.epochMs() - 1_000 };
    const response = await fixture.call('/api/video/spliceV3', {
      ...soon,
      title: 'Dock',
      description: 'A delivery',
      clipVisibility: 'PRIVATE',
    });
    const { clipUuid } = response;
    expect(response).toMatchObject({ error: false, clipUuidList: [clipUuid] });
    for (const path of ['/api/video/getSplicedClipsInProgress', '/api/event/getSplicedClipsInProgress']) {
      const { splicedClips } = await fixture.call(path);
      expect(splicedClips).toEqual([
        expect.objectContaining({
          clipUuid,
          title: 'Dock',
          status: 'INITIATING',
          duration: 60,
          totalSegments: 100,
          deviceUuidMap: { [soon.deviceUuids[0]!]: expect.objectContaining({ segmentsUploaded: 0 }) },
        }),
      ]);
    }
    const { clip } = await fixture.call('/api/event/getClipWithProgress', { clipUuid });
    expect(clip).toMatchObject({
      status: 'INITIATING',
      percentComplete: 0,
      title: 'Dock',
      durationSec: 60,
      accessSettings: { visibility: 'PRIVATE' },
      deviceUuids: soon.deviceUuids,
    });
    expect(await fixture.call('/api/video/retrySplice', { clipUuid })).toMatchObject({
      error: true,
      errorMsg: 'Only a clip that failed can be made again.',
    });
    expect(await fixture.call('/api/video/cancelSpliceV2', { clipUuidList: [clipUuid] })).toEqual(
      expect.objectContaining({ error: false }),
    );
    const { errorMsg } = await fixture.call('/api/event/getClipWithProgress', { clipUuid });
    expect(errorMsg).toBe('There is no saved clip with this UUID.');
  });

  it('is the organization’s: it is made although the key that placed it is revoked, and that key gets nothing', async () => {
    const { uuid: orgUuid } = fixture.own.organization;
    const requested = { 'x-auth-apikey': await addApiKey(fixture.store, orgUuid) };
    const soon = { ...order, startTimeMillis: fixture.clock.epochMs() - 1_000 };
    const { clipUuid } = (await fixture.post('/api/video/spliceV3', soon, requested)).json();
    for (const each of await fixture.store.apiKeys.list(orgUuid)) {
      if (each.uuid === fixture.own.key.uuid) continue;
      await fixture.store.apiKeys.save({ ...each, revokedAtMs: fixture.clock.epochMs() });
    }
    expect((await fixture.post('/api/event/getClipWithProgress', { clipUuid }, requested)).statusCode).toBe(
      401,
    );
    const { clip } = await fixture.call('/api/event/getClipWithProgress', { clipUuid });
    expect(clip).toMatchObject({ status: 'INITIATING' });
    expect(fixture.clips.percent(clipUuid)).toBe(0);
    await fixture.call('/api/video/cancelSpliceV2', { clipUuidList: [clipUuid] });
  });

  it('that fails says why, can be changed, and stays until it is deleted', async () => {
    const { clipUuid } = await fixture.call('/api/video/spliceV2', order);
    await fixture.clips.settled();
    await fixture.call('/api/event/updateSavedClip', { savedClipUuid: clipUuid, title: 'Gate' });
    const { savedClips } = await fixture.call('/api/event/getClipsWithProgress', { pageSize: 10 });
    expect(savedClips).toEqual([
      expect.objectContaining({
        uuid: clipUuid,
        status: 'FAILED',
        currentOperation: 'RANGE_EMPTY',
        title: 'Gate',
      }),
    ]);
    expect(await fixture.call('/api/video/getSplicedClipsInProgress')).toMatchObject({ splicedClips: [] });
    expect(await fixture.call('/api/video/retrySplice', { clipUuid })).toMatchObject({ error: false });
    await fixture.clips.settled();
    await fixture.call('/api/event/deleteSavedClip', { savedClipUuid: clipUuid });
    const retried = async () => (await fixture.call('/api/video/retrySplice', { clipUuid })).errorMsg;
    const gone = 'There is no clip in progress with this UUID.';
    await eventually('the clip is gone', async () => (await retried()) === gone);
  });

  it('is refused with the field that is wrong', async () => {
    const sentenceFor = async (fields: object) =>
      (await fixture.call('/api/video/spliceV3', { ...order, ...fields })).errorMsg;
    const unknown = newRuuid();
    expect(await sentenceFor({ deviceUuids: [unknown] })).toBe(
      `deviceUuids has ${unknown}, which is not a camera of the organization.`,
    );
    expect(await sentenceFor({ deviceUuids: [fixture.foreign.camera.uuid] })).toContain(
      'is not a camera of the organization',
    );
    expect(await sentenceFor({ deviceUuids: [] })).toBe('deviceUuids must name at least one camera.');
    expect(await sentenceFor({ durationSec: 3_601 })).toContain('durationSec');
    expect(await sentenceFor({ startTimeMillis: fixture.clock.epochMs() + 1 })).toBe(
      'startTimeMillis must not be in the future.',
    );
    expect(await fixture.call('/api/video/getMaxSpliceDuration')).toMatchObject({ maxDuration: 3_600 });
  });
});
