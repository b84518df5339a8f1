import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const FEED = '/api/report/getAuditFeed';

interface Entry {
  readonly action: string;
  readonly targetUuid: string;
  readonly targetName?: string;
  readonly timestamp: string;
}

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const feed = async (body: object = {}, headers?: Record<string, string>) =>
  (await fixture.call(FEED, body, headers)).auditEvents as Entry[];
const createShare = async () =>
  (
    await fixture.call(
      '/api/camera/createSharedLiveVideoStream',
      { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false, name: 'Gate' },
      { 'user-agent': 'video wall' },
    )
  ).sharedLiveVideoStreamUuid as string;

describe(FEED, () => {
  it('has every change with who made it, newest first, and names what was removed', async () => {
    const share = await createShare();
    fixture.clock.advance(1_000);
    await fixture.call('/api/camera/deleteSharedLiveVideoStream', { uuid: share });
    const entries = (await feed()).filter(({ targetUuid }) => targetUuid === share);
    expect(entries.map(({ action, targetName }) => [action, targetName])).toEqual([
      ['SHARED_LIVE_VIDEO_STREAM_DELETE', 'Gate'],
      ['SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE', 'Gate'],
    ]);
    expect(entries[1]).toMatchObject({
      displayText: 'Shared live video stream without password create: Gate',
      orgUuid: fixture.own.organization.uuid,
      principalType: 'API_TOKEN',
      principalUuid: fixture.own.key.uuid,
      principalName: fixture.own.key.name,
      clientType: 'API_TOKEN',
      sourceIp: '127.0.0.1',
      userAgent: 'video wall',
      failure: false,
    });
  });

  it('records the gateway’s own changes, and openings of shares', async () => {
    const { orgUuid } = fixture.own.camera;
    const camera = sampleCamera(orgUuid, { name: 'Yard' });
    await fixture.store.cameras.save(camera);
    const share = await createShare();
    const stored = (await fixture.store.shares.list(orgUuid)).find(({ uuid }) => uuid === share)!;
    fixture.audit.shareOpened(stored, { address: '192.0.2.7', userAgent: 'browser' });
    const entries = await feed();
    expect(entries.find(({ targetUuid }) => targetUuid === camera.uuid)).toMatchObject({
      action: 'DEVICE_REGISTERED',
      principalType: 'UNKNOWN',
      principalName: 'Sluice',
      targetName: 'Yard',
    });
    expect(entries.find(({ action }) => action === 'VIEW_SHARE_STREAM')).toMatchObject({
      principalType: 'SHARED_STREAM',
      principalName: 'Anonymous Share User',
      targetUuid: share,
      targetName: 'Gate',
      sourceIp: '192.0.2.7',
      userAgent: 'browser',
    });
  });

  it('has the same fields in each entry, for reports that make a table of them', async () => {
    const { orgUuid } = fixture.own.camera;
    await fixture.store.cameras.save(sampleCamera(orgUuid, { name: '' }));
    const share = await createShare();
    const stored = (await fixture.store.shares.list(orgUuid)).find(({ uuid }) => uuid === share)!;
    fixture.audit.shareOpened(stored, { address: '192.0.2.7', userAgent: 'browser' });
    const entries = await feed();
    expect(new Set(entries.map(({ action }) => action)).size).toBeGreaterThan(2);
    const columns = Object.keys(entries[0]!);
    for (const entry of entries) expect(Object.keys(entry)).toEqual(columns);
    const looked = ['displayText', 'failure', 'principalUuid', 'clientType', 'targetName', 'userAgent'];
    const places = ['sourceCity', 'sourceState', 'sourceCountry'];
    expect(columns).toEqual(expect.arrayContaining([...looked, ...places]));
    expect(entries.find(({ targetName }) => targetName === '')).toMatchObject({
      principalUuid: 'AAAAAAAAAAAAAAAAAAAAAA',
      clientType: 'DEVICE',
      sourceIp: '',
      userAgent: '',
      sourceCity: '',
    });
  });

  it('says whether a new share has a password', async () => {
    const { sharedLiveVideoStreamUuid } = await fixture.call('/api/camera/createSharedLiveVideoStream', {
      cameraUuid: fixture.own.camera.uuid,
      password: 'open sesame',
    });
    const includeActions = ['SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE'];
    expect(await feed({ includeActions })).toMatchObject([{ targetUuid: sharedLiveVideoStreamUuid }]);
  });

  it('names a pause by the widest of its subjects', async () => {
    const { camera, locationUuid } = fixture.own;
    const path = '/api/policy/pauseAlertPolicyForComponentComposite';
    const subjects = { deviceUuids: [camera.uuid], locationUuids: [locationUuid] };
    await fixture.call(path, { ...subjects, durationSec: 60 });
    const includeActions = ['POLICY_PAUSED_LOCATION', 'POLICY_PAUSED_DEVICE'];
    expect((await feed({ includeActions })).map(({ action }) => action)).toEqual(['POLICY_PAUSED_LOCATION']);
  });

  it('filters by action and time', async () => {
    const startMs = fixture.clock.epochMs();
    await createShare();
    fixture.clock.advance(1_000);
    await createShare();
    const shares = { includeActions: ['SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE'] };
    expect(await feed(shares)).toHaveLength(2);
    expect(await feed({ ...shares, timestampMsAfter: startMs + 1_000 })).toHaveLength(1);
    expect(await feed({ ...shares, timestampMsBefore: startMs + 1_000 })).toHaveLength(1);
    expect(
      await feed({
        excludeActions: ['SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE'],
        timestampMsAfter: startMs + 1,
      }),
    ).toEqual([]);
    expect(await feed({ includeActions: ['NO_SUCH_ACTION'] })).toEqual([]);
  });

  it('shows no one another organization’s entries', async () => {
    const share = await createShare();
    const entries = await feed({}, { 'x-auth-apikey': fixture.foreign.apiKey });
    expect(entries.map(({ targetUuid }) => targetUuid)).not.toContain(share);
  });

  it('is read in responses of limited length, each entry once', async () => {
    const orgUuid = fixture.own.organization.uuid;
    const principal = { type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null } as const;
    const rows = Array.from({ length: 2_300 }, (_, index) => ({
      uuid: newRuuid(),
      orgUuid,
      atMs: 1_000 + (index >> 3),
      action: 'TEST',
      principal,
      targetUuid: newRuuid(),
      targetName: '',
    }));
    for (let at = 0; at < rows.length; at += 1_000) await fixture.store.audit.add(rows.slice(at, at + 1_000));
    const seen: string[] = [];
    let timestampMsBefore: number | null = null;
    for (;;) {
      const response = await fixture.call(FEED, { includeActions: ['TEST'], timestampMsBefore });
      const page = response.auditEvents as Entry[];
      expect(page.length).toBeLessThanOrEqual(1_000);
      seen.push(...page.map(({ targetUuid }) => targetUuid));
      if (response.warningMsg === undefined) break;
      timestampMsBefore = Date.parse(page.at(-1)!.timestamp);
    }
    expect(seen.toSorted()).toEqual(rows.map(({ targetUuid }) => targetUuid).sort());
  });

  it('never splits entries of one millisecond, no matter how many', async () => {
    const uuids = Array.from({ length: 1_500 }, () => newRuuid());
    const ownerDeviceUuid = newRuuid();
    for (let at = 0; at < uuids.length; at += 1_000) {
      const rows = uuids.slice(at, at + 1_000).map((uuid) => ({ uuid, ownerDeviceUuid }));
      await fixture.call('/api/ingest/doors', { rows });
    }
    const actions = {
      includeActions: ['ACCESS_CONTROLLED_DOOR_CREATE', 'SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE'],
    };
    expect(await fixture.call(FEED, actions)).not.toHaveProperty('warningMsg');
    fixture.clock.advance(1);
    await createShare();
    const newest = await fixture.call(FEED, actions);
    expect((newest.auditEvents as Entry[]).map(({ action }) => action)).toEqual([
      'SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE',
    ]);
    expect(newest.warningMsg).toMatch(/^There are older entries/);
    const timestampMsBefore = Date.parse((newest.auditEvents as Entry[])[0]!.timestamp);
    const doors = await feed({ ...actions, timestampMsBefore });
    expect(doors.map(({ targetUuid }) => targetUuid).sort()).toEqual(uuids.sort());
  });

  it('refuses an invalid time', async () => {
    expect((await fixture.call(FEED, { timestampMsAfter: 'now' })).errorMsg).toBe(
      'timestampMsAfter must be an integer from 0 to 253402300799999, got string.',
    );
  });
});
