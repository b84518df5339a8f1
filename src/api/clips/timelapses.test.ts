import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const GENERATE = '/api/video/generateTimelapseClip';
const LIST = '/api/video/getTimelapseClips';
const DELETE = '/api/video/deleteTimelapseClips';

let fixture: ApiFixture;
let order: { deviceUuids: string[]; startTime: number; stopTime: number };

beforeAll(async () => {
  fixture = await openApiFixture();
  const stopTime = fixture.clock.epochMs() - 3_600_000;
  order = { deviceUuids: [`${fixture.own.camera.uuid}.v0`], startTime: stopTime - 86_400_000, stopTime };
});
afterAll(() => fixture.close());

describe('an order for a timelapse', () => {
  it('is listed at once, as other clients of the family send and read it', async () => {
    // It ends in the future, so it is not due.
    const soon = { ...order, stopTime: fixture.clock.epochMs() + 60_000 };
    const { clipUuid, error } = await fixture.call(GENERATE, {
      ...soon,
      videoFormat: '.mov',
      videoDuration: 60,
      skipNights: true,
      skipWeekends: false,
      drawTimestamp: false,
      drawCameraDetails: false,
      title: 'Roof',
    });
    expect(error).toBe(false);
    const { timelapseClips } = await fixture.call(LIST);
    expect(timelapseClips).toEqual([
      expect.objectContaining({
        clipUuid,
        title: 'Roof',
        clipDuration: 60,
        clipFormat: 'MPEG',
        status: { state: 'INITIATED', percentComplete: 0 },
        sources: [{ deviceUuid: soon.deviceUuids[0] }],
        videoStartTime: soon.startTime,
        videoStopTime: soon.stopTime,
        skipNights: true,
        clipCreationTime: fixture.clock.epochMs(),
        skipWeekends: false,
      }),
    ]);
    expect(await fixture.call(DELETE, { clipUuids: [clipUuid] })).toMatchObject({ error: false });
    expect(await fixture.call(LIST)).toMatchObject({ timelapseClips: [] });
  });

  it('that fails says so, and can be made again, canceled or deleted', async () => {
    const { clipUuid } = await fixture.call(GENERATE, order);
    await fixture.clips.settled();
    const { timelapseClips } = await fixture.call(LIST);
    expect(timelapseClips).toMatchObject([
      { clipUuid, clipDuration: 120, status: { state: 'FAILED', percentComplete: 0 } },
    ]);
    expect(await fixture.call('/api/video/getSplicedClipsInProgress')).toMatchObject({ splicedClips: [] });
    expect(await fixture.call('/api/event/getSavedClipsV2')).toMatchObject({ savedClips: [] });
    expect(await fixture.call('/api/video/retrySplice', { clipUuid })).toMatchObject({ error: false });
    await fixture.clips.settled();
    expect(await fixture.call('/api/video/cancelSpliceV2', { clipUuid })).toMatchObject({ error: false });
    expect(await fixture.call(LIST)).toMatchObject({ timelapseClips: [] });
    expect((await fixture.call(DELETE, { clipUuids: [clipUuid] })).errorMsg).toBe(
      `clipUuids has ${clipUuid}, which is not a timelapse.`,
    );
  });

  it('is refused with the field that is wrong, and says what has no effect', async () => {
    const sentenceFor = async (fields: object) =>
      (await fixture.call(GENERATE, { ...order, ...fields })).errorMsg;
    const unknown = newRuuid();
    expect(await sentenceFor({ deviceUuids: [unknown] })).toBe(
      `deviceUuids has ${unknown}, which is not a camera of the organization.`,
    );
    expect(await sentenceFor({ deviceUuids: [fixture.foreign.camera.uuid] })).toContain(
      'is not a camera of the organization',
    );
    expect(await sentenceFor({ deviceUuids: [] })).toBe('deviceUuids must name at least one camera.');
    expect(await sentenceFor({ videoDuration: 601 })).toContain('videoDuration');
    expect(await sentenceFor({ stopTime: order.startTime + 119_999 })).toBe(
      'stopTime must be at least videoDuration seconds after startTime.',
    );
    expect(await sentenceFor({ startTime: order.stopTime - 367 * 86_400_000 })).toBe(
      'stopTime must be at most 366 days after startTime.',
    );
    const aheadMs = fixture.clock.epochMs() + 1;
    expect(await sentenceFor({ startTime: aheadMs, stopTime: aheadMs + 600_000 })).toBe(
      'startTime must not be in the future.',
    );
    expect(await sentenceFor({ videoFormat: 'GIF' })).toContain('videoFormat must be MPEG, .mp4 or .mov');
    expect(await fixture.call(LIST)).toMatchObject({ timelapseClips: [] });
    const { warningMsg, clipUuid } = await fixture.call(GENERATE, { ...order, drawTimestamp: true });
    expect(warningMsg).toContain('drawTimestamp');
    await fixture.call(DELETE, { clipUuids: [clipUuid] });
  });

  it('of another organization cannot be seen or deleted', async () => {
    const { clipUuid } = await fixture.call(GENERATE, order);
    const asForeign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await fixture.call(LIST, {}, asForeign)).toMatchObject({ timelapseClips: [] });
    expect(await fixture.call(DELETE, { clipUuids: [clipUuid] }, asForeign)).toMatchObject({ error: true });
    expect((await fixture.call(LIST)).timelapseClips).toHaveLength(1);
  });
});

describe('a shared group of timelapses', () => {
  it('is a link with a password and an end, listed, changed and deleted', async () => {
    const ordered = [await fixture.call(GENERATE, order), await fixture.call(GENERATE, order)];
    await fixture.clips.settled();
    const timelapseUuids = ordered.map(({ clipUuid }) => clipUuid as string);
    const [first, second] = timelapseUuids;
    const { uuid, shareUrl } = await fixture.call('/api/video/createSharedTimelapseGroup', {
      timelapseUuids: [second, first],
      title: 'Roof',
      description: 'A week',
      plaintextPassword: 'open',
      expirationTimeSecs: 3_600,
    });
    expect(shareUrl).toMatch(/^http:\/\/media\.example\/clips\/[\w-]{30,}$/);
    const groups = async () => {
      const { sharedTimelapses } = await fixture.call('/api/video/getSharedTimelapseGroups');
      return sharedTimelapses as { sharedTimelapses: { uuid: string }[] }[];
    };
    const nowSec = fixture.clock.epochMs() / 1_000;
    expect(await groups()).toEqual([
      expect.objectContaining({
        uuid,
        title: 'Roof',
        description: 'A week',
        isSecured: true,
        createdAtMillis: nowSec * 1_000,
        expirationTimeSecs: nowSec + 3_600,
      }),
    ]);
    const [listed] = await groups();
    expect(listed!.sharedTimelapses).toEqual([
      expect.objectContaining({ uuid: second, clipDuration: 120, clipFormat: 'MPEG' }),
      expect.objectContaining({ uuid: first, videoStartTime: order.startTime }),
    ]);
    const sharedOnes = async () =>
      ((await fixture.call(LIST)).timelapseClips as { clipUuid: string; shared: boolean }[])
        .filter(({ shared }) => shared)
        .map(({ clipUuid }) => clipUuid)
        .toSorted();
    expect(await sharedOnes()).toEqual(timelapseUuids.toSorted());
    // Only fields with their flag change.
    const changed = await fixture.call('/api/video/updateSharedTimelapseGroup', {
      uuid,
      title: 'Roof, finished',
      titleUpdate: true,
      description: 'Other',
      passwordUpdate: true,
      expirationTimeUpdate: true,
    });
    expect(changed).toMatchObject({ error: false, uuid, shareUrl });
    expect(await groups()).toMatchObject([
      { title: 'Roof, finished', description: 'A week', isSecured: false },
    ]);
    expect((await groups())[0]).not.toHaveProperty('expirationTimeSecs');
    await fixture.call(DELETE, { clipUuids: [second] });
    expect((await groups())[0]!.sharedTimelapses.map((each) => each.uuid)).toEqual([first]);
    const asForeign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const remove = (headers = {}) => fixture.call('/api/video/deleteSharedTimelapseGroup', { uuid }, headers);
    expect(await remove(asForeign)).toMatchObject({ error: true });
    expect(await remove()).toMatchObject({ error: false });
    expect(await groups()).toEqual([]);
    expect(await sharedOnes()).toEqual([]);
    await fixture.call(DELETE, { clipUuids: [first] });
  });

  it('is refused with the field that is wrong', async () => {
    const { clipUuid } = await fixture.call(GENERATE, order);
    const sentenceFor = async (fields: object, headers = {}) =>
      (await fixture.call('/api/video/createSharedTimelapseGroup', fields, headers)).errorMsg;
    expect(await sentenceFor({ timelapseUuids: [] })).toBe(
      'timelapseUuids must name at least one timelapse.',
    );
    const missing = 'timelapseUuids[1] must be a timelapse of the organization.';
    expect(await sentenceFor({ timelapseUuids: [clipUuid, newRuuid()] })).toBe(missing);
    const asForeign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await sentenceFor({ timelapseUuids: [clipUuid] }, asForeign)).toBe(missing.replace('1', '0'));
    await fixture.call(DELETE, { clipUuids: [clipUuid] });
  });
});
