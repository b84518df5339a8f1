import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';

const FROM = { ip: '192.0.2.10', headers: { 'user-agent': 'Phone/1' } };
let fixture: ApiFixture;
let shareUuid: Ruuid;

beforeEach(async () => {
  fixture = await openApiFixture();
  const created = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: fixture.own.camera.uuid,
    name: 'Front desk',
  });
  shareUuid = created.sharedLiveVideoStreamUuid as Ruuid;
});
afterEach(() => fixture.close());

const list = (uuid = shareUuid) =>
  fixture.call('/api/camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid: uuid });
const end = (body: object) =>
  fixture.call('/api/camera/endSharedStreamViewer', { sharedLiveVideoStreamUuid: shareUuid, ...body });
const unblock = (address: string) =>
  fixture.call('/api/camera/unblockSharedStreamAddress', {
    sharedLiveVideoStreamUuid: shareUuid,
    address,
  });

describe('getSharedStreamViewers', () => {
  it('lists who watches now', async () => {
    const startMs = fixture.clock.epochMs();
    const { viewerId, grantText } = fixture.watch(shareUuid, FROM);
    const session = fixture.viewers.access(grantText);
    if (!session.allowed) throw new Error(session.reason);
    session.noteLive('websocket', 'h264');
    session.sentBytes = 77;
    expect(await list()).toEqual({
      error: false,
      viewers: [
        {
          viewerId,
          sinceMs: startMs,
          lastRequestMs: startMs,
          address: '192.0.2.10',
          userAgent: 'Phone/1',
          protocol: 'WEBSOCKET',
          stream: 'H264',
          isInPast: false,
          sentBytes: 77,
          isCounted: true,
          cameraUuids: [],
        },
      ],
      totalCount: 1,
      lastViewedAtMs: startMs,
      blockedAddresses: [],
    });
  });

  it('knows from the trail when someone last watched', async () => {
    expect(await list()).toEqual({ error: false, viewers: [], totalCount: 0, blockedAddresses: [] });
    const share = (await fixture.store.shares.find(fixture.own.organization.uuid, shareUuid))!;
    fixture.audit.shareOpened(share, { address: '192.0.2.10', userAgent: null });
    const openedAtMs = fixture.clock.epochMs();
    await fixture.clock.advance(3_600_000);
    expect(await list()).toMatchObject({ viewers: [], lastViewedAtMs: openedAtMs });
  });

  it('tells the role that only watches how many there are, and not who', async () => {
    const { viewerId } = fixture.watch(shareUuid, FROM);
    await end({ viewerId, blockMinutes: 5 });
    fixture.watch(shareUuid, { ...FROM, ip: '192.0.2.20' });
    const body = { sharedLiveVideoStreamUuid: shareUuid };
    const { console } = await signedIn(fixture, fixture.own, 'viewer');
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const withKey = { 'x-auth-apikey': key };
    for (const response of [
      (await console.post('/api/camera/getSharedStreamViewers', body)).json(),
      await fixture.call('/api/camera/getSharedStreamViewers', body, withKey),
    ]) {
      expect(response).toMatchObject({ error: false, viewers: [], totalCount: 1, blockedAddresses: [] });
      expect(JSON.stringify(response)).not.toContain('192.0.2.');
    }
    const operator = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'operator' });
    expect(
      await fixture.call('/api/camera/getSharedStreamViewers', body, { 'x-auth-apikey': operator }),
    ).toMatchObject({
      viewers: [{ address: '192.0.2.20' }],
      blockedAddresses: [{ address: '192.0.2.10' }],
    });
  });

  it('knows no other organization’s shares, and none that do not exist', async () => {
    fixture.watch(shareUuid, FROM);
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    for (const [uuid, who] of [
      [shareUuid, headers],
      [newRuuid(), {}],
    ] as const) {
      const body = { sharedLiveVideoStreamUuid: uuid };
      expect(await fixture.call('/api/camera/getSharedStreamViewers', body, who)).toEqual({
        error: true,
        errorMsg: 'There is no shared live stream with this UUID.',
      });
    }
  });
});

describe('endSharedStreamViewer', () => {
  it('ends the view and says so in the audit trail', async () => {
    const { viewerId, grantText } = fixture.watch(shareUuid, FROM);
    expect(await end({ viewerId })).toEqual({ error: false, endedCount: 1 });
    expect(fixture.viewers.access(grantText)).toMatchObject({ allowed: false, reason: 'viewer-ended' });
    expect(await list()).toMatchObject({ totalCount: 0, blockedAddresses: [] });
    const { auditEvents } = await fixture.call('/api/report/getAuditFeed', {
      includeActions: ['SHARED_VIEWER_END'],
    });
    expect(auditEvents).toMatchObject([
      { principalUuid: fixture.own.key.uuid, targetUuid: shareUuid, targetName: 'Front desk' },
    ]);
  });

  it('keeps the address away for as long as it was told, or until it is let in again', async () => {
    const { viewerId } = fixture.watch(shareUuid, FROM);
    const blockedAddress = { address: '192.0.2.10', untilMs: fixture.clock.epochMs() + 300_000 };
    expect(await end({ viewerId, blockMinutes: 5 })).toEqual({ error: false, endedCount: 1, blockedAddress });
    expect(() => fixture.watch(shareUuid, FROM)).toThrow('viewer-ended');
    expect(await list()).toMatchObject({ blockedAddresses: [blockedAddress] });
    expect(await unblock('192.0.2.10')).toEqual({ error: false });
    fixture.watch(shareUuid, FROM);
    expect(await unblock('192.0.2.10')).toEqual({
      error: true,
      errorMsg: 'The share does not block this address.',
    });
  });

  it.each([
    [true, 'views there are not counted'],
    [false, 'views there go on'],
  ])('names nodes that did not answer, if the store has the end: %s', async (isStored, said) => {
    await fixture.close();
    const ended = {
      kind: 'stream',
      endedViews: 0,
      blocked: null,
      isStored,
      silentNodes: ['node-3'],
    } as const;
    const viewing = {
      listViewers: async () => null,
      endViewer: async () => ended,
      unblockAddress: async () => null,
      countViewers: async () => [],
    };
    fixture = await openApiFixture({ overrides: { viewing } });
    const { endedCount, warningMsg } = await end({ viewerId: 'AAAAAAAAAAA' });
    expect(endedCount).toBe(0);
    expect(warningMsg).toContain(said);
    expect(warningMsg).toMatch(/: node-3\.$/);
  });

  it('warns if there is no address to block', async () => {
    const { viewerId } = fixture.watch(shareUuid, { ip: '' });
    expect(await end({ viewerId, blockMinutes: 5 })).toMatchObject({
      endedCount: 1,
      warningMsg: 'The address of the viewer is unknown, so nothing is blocked.',
    });
  });

  it.each([
    [
      'a viewer that is not there',
      { viewerId: 'AAAAAAAAAAA' },
      'No viewer with this ID is watching the share now.',
    ],
    [
      'too long a block',
      { viewerId: 'A', blockMinutes: 1_441 },
      'blockMinutes must be an integer from 1 to 1440, got 1441.',
    ],
    [
      'too short a block',
      { viewerId: 'A', blockMinutes: 0 },
      'blockMinutes must be an integer from 1 to 1440, got 0.',
    ],
  ])('refuses %s', async (_name, body, errorMsg) => {
    const response = await fixture.post('/api/camera/endSharedStreamViewer', {
      sharedLiveVideoStreamUuid: shareUuid,
      ...body,
    });
    expect(response.json()).toEqual({ error: true, errorMsg });
  });

  it('ends nothing of another organization', async () => {
    const { viewerId } = fixture.watch(shareUuid, FROM);
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    const body = { sharedLiveVideoStreamUuid: shareUuid, viewerId };
    expect(await fixture.call('/api/camera/endSharedStreamViewer', body, headers)).toMatchObject({
      error: true,
    });
    expect(await list()).toMatchObject({ totalCount: 1 });
  });
});
