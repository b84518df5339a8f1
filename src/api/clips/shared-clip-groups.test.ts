import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIP_JOBS } from '../../clips/clip-records.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SHARED_GROUPS } from '../../sharing/shared-group.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/event/createSharedClipGroupV3';
const LIST = '/api/event/getSharedClipGroupsV2';
const DETAILS = '/api/event/getSharedClipGroupDetails';
const UPDATE = '/api/event/updateSharedClipGroupV2';
const DELETE = '/api/event/deleteSharedClipGroupV2';

interface Group {
  readonly uuid: string;
  readonly title: string;
  readonly createdAtMillis: number;
  readonly expirationTimeSecs?: number;
  readonly isSecured?: boolean;
  readonly sharedClips: readonly { readonly uuid: string; readonly startTime: number }[];
}

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

/** A clip that the gateway makes; nothing was recorded, so it fails. */
async function newClip(title = 'Dock'): Promise<string> {
  const order = { deviceUuids: [fixture.own.camera.uuid], startTimeMillis: 1_000, durationSec: 1, title };
  const { clipUuid } = await fixture.call('/api/video/spliceV3', order);
  return clipUuid as string;
}

const create = (clips: readonly string[], fields: object = {}): Promise<Answer> =>
  fixture.call(CREATE, { uuids: clips.map((eventUuid) => ({ eventUuid })), ...fields });

async function groups(body: object = {}): Promise<readonly Group[]> {
  return (await fixture.call(LIST, body)).sharedClipGroups as readonly Group[];
}

const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

describe('shared groups of clips', () => {
  it('are listed by name, as the MCP server asks for them', async () => {
    const [dock, gate] = [await newClip(), await newClip('Gate')];
    const { uuid } = await create([dock, gate], { title: 'Tuesday' });
    await fixture.call('/api/event/deleteSavedClip', { savedClipUuid: gate });
    const listed = (headers?: Record<string, string>) =>
      fixture.call('/api/event/getClipGroupsForOrg', {}, headers);
    expect((await listed()).clipGroups).toEqual([{ uuid, name: 'Tuesday', clipCount: 1 }]);
    expect((await listed(foreign())).clipGroups).toEqual([]);
  });

  it('list the clips in their order, each once, and say nothing of the password', async () => {
    const [dock, gate] = [await newClip(), await newClip('Gate')];
    const nowSec = fixture.clock.epochMs() / 1_000;
    const response = await create([gate, dock, gate], {
      title: '  Tuesday ',
      plaintextPassword: 'Correct horse',
      expirationTimeSecs: 3_600,
    });
    expect(response).toMatchObject({ error: false });
    expect(response.shareUrl).toMatch(/^https?:\/\/[^/]+\/clips\/[\w-]{38}$/);
    const [group] = await groups();
    expect(group).toMatchObject({
      uuid: response.uuid,
      title: 'Tuesday',
      isSecured: true,
      orgUuid: fixture.own.organization.uuid,
      expirationTimeSecs: Math.ceil(nowSec) + 3_600,
    });
    expect(group!.sharedClips.map(({ uuid }) => uuid)).toEqual([gate, dock]);
    expect(group!.sharedClips[0]!.startTime).toBe(1_000);
    const details = await fixture.call(DETAILS, { uuid: response.uuid });
    expect(details.sharedClipGroup).toMatchObject({
      sharedClips: [{ uuid: gate, description: '', seekPoints: [] }, { uuid: dock }],
    });
    expect(JSON.stringify([group, details])).not.toMatch(/scrypt|password/i);
  });

  it('take a clip by the alert that was saved as it, if the gateway has its video', async () => {
    const alert = { uuid: newRuuid(), deviceUuid: fixture.own.camera.uuid, timestampMs: 1_000 };
    await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
    const body = { uuids: [{ alertUuid: alert.uuid }] };
    expect((await fixture.call(CREATE, body)).errorMsg).toMatch(/^uuids\[0\] must name/);
    await fixture.call('/api/event/savePolicyAlertV2', { alertUuid: alert.uuid });
    expect((await fixture.call(CREATE, body)).errorMsg).toMatch(/^uuids\[0\]: the clip was reported without/);
    const { savedClips } = await fixture.call('/api/event/getSavedClipsV2');
    const [{ uuid }] = savedClips as [{ uuid: Ruuid }];
    const orgUuid = fixture.own.organization.uuid;
    const times = { createdAtMs: 1, updatedAtMs: 1 };
    await fixture.store.resources.of(CLIP_JOBS).save({
      uuid,
      orgUuid,
      name: '',
      parentUuid: null,
      secret: null,
      ...times,
      body: { devices: [], fromMs: 0, toMs: 1, hasAudio: true, failureCode: null },
    });
    expect(await fixture.call(CREATE, body)).toMatchObject({ error: false });
    expect((await groups())[0]!.sharedClips).toMatchObject([{ uuid }]);
  });

  it('for a download last an hour, are in no list, and are removed by the next one', async () => {
    const dock = await newClip();
    const download = (headers?: Record<string, string>) =>
      fixture.call('/api/event/createClipDownload', { clipUuids: [dock], title: 'Case 7' }, headers);
    const response = await download();
    expect(response.downloadUrl).toMatch(/^https?:\/\/[^/]+\/clips\/[\w-]{38}\/download$/);
    expect(response.expirationTimeSecs).toBe(Math.ceil(fixture.clock.epochMs() / 1_000) + 3_600);
    expect(await groups()).toEqual([]);
    expect((await fixture.call('/api/event/getClipGroupsForOrg')).clipGroups).toEqual([]);
    expect(await download(foreign())).toMatchObject({ error: true });
    const stored = () => fixture.store.resources.of(SHARED_GROUPS.clip).list(fixture.own.organization.uuid);
    await download();
    expect(await stored()).toHaveLength(2);
    fixture.clock.advance(3_600_000);
    await create([dock]);
    await download();
    const kinds = (await stored()).map(({ body }) => body.isDownload);
    expect(kinds.sort()).toEqual([true, undefined]);
  });

  it('lose a clip that is deleted, and stay', async () => {
    const [dock, gate] = [await newClip(), await newClip()];
    await create([dock, gate]);
    await fixture.call('/api/event/deleteSavedClip', { savedClipUuid: dock });
    expect((await groups())[0]!.sharedClips.map(({ uuid }) => uuid)).toEqual([gate]);
  });

  it('are found by when they were created', async () => {
    const clip = await newClip();
    await create([clip], { title: 'first' });
    fixture.clock.advance(1_000);
    await create([clip], { title: 'second' });
    const [first, second] = (await groups()).map(({ createdAtMillis }) => createdAtMillis);
    const titles = async (body: object) => (await groups(body)).map(({ title }) => title);
    expect(await titles({})).toEqual(['first', 'second']);
    expect(await titles({ createdAfterMs: second })).toEqual(['second']);
    expect(await titles({ createdBeforeMs: second })).toEqual(['first']);
    expect(await titles({ createdAfterMs: first, createdBeforeMs: first! + 1 })).toEqual(['first']);
  });

  it('change only in what is given; the link stays', async () => {
    const clip = await newClip();
    const created = await create([clip], { title: 'Tuesday', expirationTimeSecs: 60 });
    const update = (fields: object) => fixture.call(UPDATE, { sharedClipUuid: created.uuid, ...fields });
    const changed = await update({ description: 'By the gate', plaintextPassword: 'Correct horse' });
    expect(changed).toMatchObject({ uuid: created.uuid, shareUrl: created.shareUrl });
    const before = (await groups())[0]!;
    expect(before).toMatchObject({ title: 'Tuesday', description: 'By the gate', isSecured: true });
    expect(before.expirationTimeSecs).toBeDefined();
    await update({ title: 'Wednesday', plaintextPassword: '', expirationTimeSecs: 0 });
    const after = (await groups())[0]!;
    expect(after).toMatchObject({ title: 'Wednesday', isSecured: false });
    expect(after.expirationTimeSecs).toBeUndefined();
  });

  it('end when they are deleted, and leave the clips', async () => {
    const clip = await newClip();
    const { uuid } = await create([clip]);
    expect(await fixture.call(DELETE, { uuid })).toMatchObject({ error: false });
    expect(await groups()).toEqual([]);
    const { errorMsg } = await fixture.call(DELETE, { uuid });
    expect(errorMsg).toBe('There is no shared group with this UUID.');
    expect(await fixture.call('/api/event/getSavedClipDetails', { clipUuid: clip })).toMatchObject({
      error: false,
    });
  });

  it('belong to their organization alone', async () => {
    const clip = await newClip();
    const { uuid } = await create([clip]);
    const notFound = { error: true, errorMsg: 'There is no shared group with this UUID.' };
    expect(await fixture.call(DETAILS, { uuid }, foreign())).toMatchObject(notFound);
    expect(await fixture.call(UPDATE, { sharedClipUuid: uuid, title: 'Mine' }, foreign())).toMatchObject(
      notFound,
    );
    expect(await fixture.call(DELETE, { uuid }, foreign())).toMatchObject(notFound);
    const body = { uuids: [{ eventUuid: clip }] };
    expect((await fixture.call(CREATE, body, foreign())).errorMsg).toMatch(
      /^uuids\[0\] must name a saved clip/,
    );
    expect((await groups())[0]).toMatchObject({ uuid, title: '' });
  });

  it('are refused with the field that is wrong', async () => {
    const clip = await newClip();
    const refusal = async (body: object) => (await fixture.call(CREATE, body)).errorMsg;
    expect(await refusal({ uuids: [] })).toBe('uuids must name at least one clip.');
    expect(await refusal({ uuids: [{ eventUuid: clip }, { eventUuid: newRuuid() }] })).toMatch(
      /^uuids\[1\] must name/,
    );
    expect(await refusal({ uuids: [{}] })).toMatch(/^uuids\[0\] must name/);
    const ended = { uuids: [{ eventUuid: clip }], expirationTimeSecs: 1_000_000_001 };
    expect(await refusal(ended)).toMatch(/expirationTimeSecs/);
    const rows = [{ id: 'clip-1', deviceUuids: [fixture.own.camera.uuid], timestampMs: 1 }];
    await fixture.call('/api/ingest/savedClips', { rows });
    const { savedClips } = await fixture.call('/api/event/getSavedClipsV2');
    const reported = (savedClips as { uuid: string; externalTransactionId?: string }[]).find(
      ({ externalTransactionId }) => externalTransactionId === 'clip-1',
    )!;
    expect(await refusal({ uuids: [{ eventUuid: reported.uuid }] })).toBe(
      'uuids[0]: the clip was reported without its video, so there is nothing to share.',
    );
    expect(await create([clip], { plaintextPassword: '  ' })).toMatchObject({
      warningMsg: 'plaintextPassword is blank, so the group has none: anyone with its link can see it.',
    });
  });
});
