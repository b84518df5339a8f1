import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import { EndedViews, MAX_BLOCKED_ADDRESSES, MAX_ENDED_VIEWERS } from './ended-views.ts';
import { MAX_LISTED_VIEWERS } from './share-viewers.ts';
import { FIXTURE_EPOCH_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { MediaReader, ViewerSession } from './viewer-session.ts';
import { MAX_USER_AGENT_CHARS, type ViewerOrigin } from './viewer-sessions.ts';

const MINUTE_MS = 60_000;
const PHONE: ViewerOrigin = { ip: '192.0.2.10', headers: { 'user-agent': 'Phone/1' } };
const DESK: ViewerOrigin = { ip: '192.0.2.20', headers: {} };
let fixture: SharingFixture;

beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const share = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });

function grantFor({ uuid, accessEpoch }: Pick<Share, 'uuid' | 'accessEpoch'>, lifetimeSec = 86_400): string {
  return fixture.grants.issue(uuid, accessEpoch, fixture.clock.epochMs() / 1_000 + lifetimeSec);
}

function watch(grantText: string, from: ViewerOrigin, sessions = fixture.sessions): ViewerSession {
  const access = sessions.access(grantText, from);
  if (!access.allowed) throw new Error(`refused: ${access.reason}`);
  return access;
}

function refusalFor(grantText: string, from: ViewerOrigin = PHONE, sessions = fixture.sessions) {
  const access = sessions.access(grantText, from);
  return access.allowed ? null : { reason: access.reason, untilEpochMs: access.untilEpochMs };
}

const list = (uuid: Ruuid) => fixture.viewers.list(fixture.orgUuid, uuid)!;
const end = (uuid: Ruuid, viewerId: string, blockMs: number | null = null) =>
  fixture.viewers.end(fixture.orgUuid, uuid, viewerId, blockMs);

describe('ShareViewers', () => {
  it('says who watches, since when, what and how much', async () => {
    const made = await share();
    const first = watch(grantFor(made), PHONE);
    await fixture.clock.advance(5_000);
    const second = watch(grantFor(made), DESK);
    first.noteLive('hls', 'sub');
    first.sentBytes = 1_234;
    second.notePast('dash');
    await fixture.clock.advance(2_000);
    fixture.sessions.access(first.grantText);
    expect(list(made.uuid)).toEqual({
      kind: 'stream',
      total: 2,
      blocked: [],
      viewers: [
        {
          viewerId: first.grant.viewerId,
          sinceEpochMs: FIXTURE_EPOCH_MS,
          lastRequestEpochMs: FIXTURE_EPOCH_MS + 7_000,
          address: '192.0.2.10',
          userAgent: 'Phone/1',
          protocol: 'hls',
          profile: 'sub',
          isInPast: false,
          sentBytes: 1_234,
          isCounted: true,
          cameraUuids: [],
        },
        {
          viewerId: second.grant.viewerId,
          sinceEpochMs: FIXTURE_EPOCH_MS + 5_000,
          lastRequestEpochMs: FIXTURE_EPOCH_MS + 5_000,
          address: '192.0.2.20',
          userAgent: '',
          protocol: 'dash',
          profile: null,
          isInPast: true,
          sentBytes: 0,
          isCounted: true,
          cameraUuids: [],
        },
      ],
    });
  });

  it('keeps a bounded part of what a program calls itself', async () => {
    const made = await share();
    watch(grantFor(made), { ip: '192.0.2.10', headers: { 'user-agent': 'ä'.repeat(5_000) } });
    expect(list(made.uuid).viewers[0]!.userAgent).toBe('ä'.repeat(MAX_USER_AGENT_CHARS));
  });

  it('lists a bounded number, and counts all', async () => {
    await fixture.close();
    fixture = await openSharingFixture({ maxSessions: 2_000 });
    const made = await share();
    for (let i = 0; i <= MAX_LISTED_VIEWERS; i++) watch(grantFor(made), { ip: `198.51.100.${i % 250}` });
    const { viewers, total } = list(made.uuid);
    expect([viewers.length, total]).toEqual([MAX_LISTED_VIEWERS, MAX_LISTED_VIEWERS + 1]);
  });

  it('knows only the links of the organization', async () => {
    const made = await share();
    const { grant } = watch(grantFor(made), PHONE);
    const other = newRuuid();
    expect(fixture.viewers.list(other, made.uuid)).toBeNull();
    expect(fixture.viewers.list(fixture.orgUuid, newRuuid())).toBeNull();
    expect(await fixture.viewers.end(other, made.uuid, grant.viewerId, null)).toBeNull();
    expect(await fixture.viewers.unblock(other, made.uuid, '192.0.2.10')).toBeNull();
    expect(list(made.uuid).total).toBe(1);
  });

  it('ends one view: its waiting requests, its media and its grant, and no other view', async () => {
    const made = await share();
    const session = watch(grantFor(made), PHONE);
    const other = watch(grantFor(made), PHONE);
    const refusals: unknown[] = [];
    const cut: MediaReader[] = [];
    session.waiting.add({ onCutOff: (refusal) => refusals.push(refusal) });
    session.connections.add({ cutFor: (cutOff) => cut.push(cutOff) });
    expect(await end(made.uuid, session.grant.viewerId)).toEqual({
      kind: 'stream',
      endedViews: 1,
      blocked: null,
      isStored: true,
      silentNodes: [],
    });
    expect(refusals).toEqual([{ allowed: false, reason: 'viewer-ended', untilEpochMs: null }]);
    expect(cut).toEqual([session]);
    expect(refusalFor(session.grantText)).toEqual({ reason: 'viewer-ended', untilEpochMs: null });
    expect(refusalFor(session.grantText, DESK)).toEqual({ reason: 'viewer-ended', untilEpochMs: null });
    expect(refusalFor(other.grantText)).toBeNull();
    expect(list(made.uuid).viewers.map(({ viewerId }) => viewerId)).toEqual([other.grant.viewerId]);
    expect(await end(made.uuid, session.grant.viewerId)).toBe('no-viewer');
  });

  it('keeps the grant void until it would have expired', async () => {
    const made = await share();
    const session = watch(grantFor(made, 60), PHONE);
    await end(made.uuid, session.grant.viewerId);
    await fixture.clock.advance(59_999);
    expect(refusalFor(session.grantText)?.reason).toBe('viewer-ended');
    await fixture.clock.advance(1);
    expect(refusalFor(session.grantText)?.reason).toBe('grant-expired');
  });

  it('lets whoever has the link in again as a new viewer, unless the address is blocked', async () => {
    const made = await share();
    const shareToken = fixture.tokens.tokenOf(made.uuid);
    const open = (address: string) =>
      fixture.gate.open({ shareToken, password: null, address, onNear: () => undefined });
    const session = watch(grantFor(made), PHONE);
    await end(made.uuid, session.grant.viewerId);
    const opened = await open('192.0.2.10');
    if (!opened.allowed) throw new Error(opened.reason);
    const again = watch(opened.grantText, PHONE);
    expect(again.grant.viewerId).not.toBe(session.grant.viewerId);
    const beside = watch(grantFor(made), PHONE);
    const elsewhere = watch(grantFor(made), DESK);
    const untilEpochMs = FIXTURE_EPOCH_MS + 10 * MINUTE_MS;
    expect(await end(made.uuid, again.grant.viewerId, 10 * MINUTE_MS)).toEqual({
      kind: 'stream',
      isStored: true,
      silentNodes: [],
      endedViews: 2,
      blocked: { address: '192.0.2.10', untilEpochMs },
    });
    const refused = { reason: 'viewer-ended', untilEpochMs };
    expect(await open('192.0.2.10')).toMatchObject({ allowed: false, ...refused });
    expect(fixture.gate.look(shareToken, PHONE)).toMatchObject({ allowed: false, ...refused });
    expect(refusalFor(beside.grantText)).toEqual(refused);
    expect(refusalFor(grantFor(made))).toEqual(refused);
    expect(refusalFor(elsewhere.grantText, DESK)).toBeNull();
    expect(await open('192.0.2.20')).toMatchObject({ allowed: true });
    expect(list(made.uuid).blocked).toEqual([{ address: '192.0.2.10', untilEpochMs }]);
    await fixture.clock.advance(10 * MINUTE_MS);
    expect(await open('192.0.2.10')).toMatchObject({ allowed: true });
    expect(list(made.uuid).blocked).toEqual([]);
    // The view itself stays ended.
    expect(refusalFor(again.grantText)).toEqual({ reason: 'viewer-ended', untilEpochMs: null });
    expect(refusalFor(beside.grantText)).toBeNull();
  });

  it('blocks an address for one link alone, a /64 of IPv6 as a whole', async () => {
    const [made, another] = [await share(), await share()];
    const session = watch(grantFor(made), { ip: '2001:db8:1:2::7' });
    await end(made.uuid, session.grant.viewerId, MINUTE_MS);
    expect(list(made.uuid).blocked[0]!.address).toBe('2001:db8:1:2::/64');
    expect(refusalFor(grantFor(made), { ip: '2001:db8:1:2:ffff::1' })?.reason).toBe('viewer-ended');
    expect(refusalFor(grantFor(made), { ip: '2001:db8:1:3::7' })).toBeNull();
    expect(refusalFor(grantFor(another), { ip: '2001:db8:1:2::7' })).toBeNull();
    expect(await fixture.viewers.unblock(fixture.orgUuid, made.uuid, '2001:db8:1:2::/64')).toBe('unblocked');
    expect(await fixture.viewers.unblock(fixture.orgUuid, made.uuid, '2001:db8:1:2::9')).toBe('not-blocked');
    expect(refusalFor(grantFor(made), { ip: '2001:db8:1:2::7' })).toBeNull();
  });

  it('blocks nothing if the address is unknown', async () => {
    const made = await share();
    const session = watch(grantFor(made), { ip: '' });
    const other = watch(grantFor(made), { ip: '' });
    expect(await end(made.uuid, session.grant.viewerId, MINUTE_MS)).toMatchObject({
      endedViews: 1,
      blocked: null,
    });
    expect(refusalFor(other.grantText, { ip: '' })).toBeNull();
  });

  it('refuses beyond its limits, and changes nothing then', async () => {
    const made = await share();
    const session = watch(grantFor(made), PHONE);
    const common = { orgUuid: fixture.orgUuid, linkUuid: made.uuid, grantUntilEpochMs: 9e12 };
    for (let i = 1; i < MAX_ENDED_VIEWERS; i++) {
      void fixture.ended.end({ ...common, viewerId: `viewer ${i}`, blocked: null });
    }
    for (let i = 0; i < MAX_BLOCKED_ADDRESSES; i++) {
      const blocked = { address: `block ${i}`, untilEpochMs: 9e12 };
      void fixture.ended.end({ ...common, viewerId: 'viewer 1', blocked });
    }
    const { viewerId } = session.grant;
    await expect(end(made.uuid, viewerId, MINUTE_MS)).rejects.toThrow(
      expect.objectContaining({ code: 'BLOCKED_ADDRESSES_FULL' }),
    );
    expect(refusalFor(session.grantText)).toBeNull();
    void fixture.ended.end({ ...common, viewerId: 'the last', blocked: null });
    await expect(end(made.uuid, viewerId)).rejects.toThrow(
      expect.objectContaining({ code: 'ENDED_VIEWERS_FULL' }),
    );
    expect(refusalFor(session.grantText)).toBeNull();
    // Another organization has room of its own.
    void fixture.ended.end({ ...common, orgUuid: newRuuid(), viewerId: 'one', blocked: null });
  });
});

describe('what outlasts a restart', () => {
  const restarted = async () => {
    const ended = new EndedViews(fixture.clock, fixture.store.endedViews);
    await ended.load();
    return ended;
  };

  it('is who was ended and which address is blocked, until that is over', async () => {
    const made = await share();
    const { grant } = watch(grantFor(made, 3_600), PHONE);
    const before = new EndedViews(fixture.clock, fixture.store.endedViews);
    const of = { orgUuid: fixture.orgUuid, linkUuid: made.uuid };
    const untilEpochMs = fixture.clock.epochMs() + MINUTE_MS;
    const blocked = { address: '192.0.2.10', untilEpochMs };
    const grantUntilEpochMs = grant.expiresAtSec * 1_000;
    await before.end({ ...of, viewerId: grant.viewerId, grantUntilEpochMs, blocked });
    await before.end({ ...of, viewerId: grant.viewerId, grantUntilEpochMs, blocked });

    const after = await restarted();
    expect(after.blocked(fixture.orgUuid, made.uuid)).toEqual([blocked]);
    expect(after.find(fixture.orgUuid, made.uuid, null, PHONE)).toEqual({ untilEpochMs });
    expect(after.find(fixture.orgUuid, made.uuid, grant.viewerId, DESK)).toEqual({ untilEpochMs: null });
    expect(after.find(fixture.orgUuid, made.uuid, null, DESK)).toBeNull();
    expect(after.find(newRuuid(), made.uuid, grant.viewerId, PHONE)).toBeNull();
    expect(await after.unblock(fixture.orgUuid, made.uuid, '192.0.2.10')).toBe(true);
    expect((await restarted()).blocked(fixture.orgUuid, made.uuid)).toEqual([]);

    await fixture.clock.advance(3_600_000);
    expect(await fixture.store.endedViews.list(fixture.clock.epochMs())).toEqual([]);
  });

  it('is nothing that the store could not save, and the caller is told', async () => {
    const made = await share();
    const { grant } = watch(grantFor(made), PHONE);
    const stored = {
      ...fixture.store.endedViews,
      put: () => Promise.reject(new GatewayError(STORE_ERRORS.STORE_DISK_FULL)),
    };
    const ended = new EndedViews(fixture.clock, stored);
    await expect(
      ended.end({
        orgUuid: fixture.orgUuid,
        linkUuid: made.uuid,
        viewerId: grant.viewerId,
        grantUntilEpochMs: grant.expiresAtSec * 1_000,
        blocked: null,
      }),
    ).rejects.toThrow();
    expect(ended.find(fixture.orgUuid, made.uuid, grant.viewerId, PHONE)).toEqual({ untilEpochMs: null });
  });
});

describe('what another process ended and blocked', () => {
  async function blockedElsewhere() {
    const made = await share();
    const { clock, orgUuid, store } = fixture;
    const ended = new EndedViews(clock, store.endedViews);
    const untilEpochMs = clock.epochMs() + MINUTE_MS;
    const of = { orgUuid, linkUuid: made.uuid };
    const record = { ...of, kind: 'address', subject: '192.0.2.10', untilMs: untilEpochMs } as const;
    await store.endedViews.put([record, { ...record, linkUuid: newRuuid() }], clock.epochMs());
    const addresses = () => ended.blocked(orgUuid, made.uuid).map(({ address }) => address);
    return { ended, of, record, untilEpochMs, addresses };
  }

  it('is known when the link is read, and forgotten when it was lifted', async () => {
    const { ended, of, record, addresses } = await blockedElsewhere();
    await ended.load(newRuuid());
    expect(addresses()).toEqual([]);
    await ended.load(of.linkUuid);
    expect(addresses()).toEqual(['192.0.2.10']);
    await fixture.store.endedViews.remove(record);
    await ended.load(newRuuid());
    expect(addresses()).toEqual(['192.0.2.10']);
    await ended.load(of.linkUuid);
    expect(addresses()).toEqual([]);
  });

  it('does not undo what this process is storing, or could not store', async () => {
    const { ended, of, untilEpochMs, addresses } = await blockedElsewhere();
    await ended.load();
    const viewer = { ...of, viewerId: 'q83v', grantUntilEpochMs: untilEpochMs };
    const loading = ended.load();
    const storing = ended.end({ ...viewer, blocked: { address: '192.0.2.20', untilEpochMs } });
    const unblocking = ended.unblock(of.orgUuid, of.linkUuid, '192.0.2.10');
    await loading;
    expect(addresses()).toEqual(['192.0.2.20']);
    await Promise.all([storing, unblocking]);
    await ended.load();
    expect(addresses()).toEqual(['192.0.2.20']);

    const put = () => Promise.reject(new GatewayError(STORE_ERRORS.STORE_DISK_FULL));
    const { clock, store } = fixture;
    const failing = new EndedViews(clock, { ...store.endedViews, list: () => store.endedViews.list(0), put });
    await expect(
      failing.end({ ...viewer, blocked: { address: '192.0.2.30', untilEpochMs } }),
    ).rejects.toThrow();
    await failing.load();
    expect(
      failing
        .blocked(of.orgUuid, of.linkUuid)
        .map(({ address }) => address)
        .sort(),
    ).toEqual(['192.0.2.20', '192.0.2.30']);
  });
});

describe('ShareViewers of a wall', () => {
  async function openWall() {
    const { videoWalls, wallShares, wallTokens, wallGate, orgUuid, camera, store } = fixture;
    const second = { ...camera, uuid: newRuuid(), name: 'Gate' };
    await store.cameras.save(second);
    const cameras = [camera.uuid, second.uuid];
    const wall = await videoWalls.create(orgUuid, { name: 'Room', deviceList: cameras });
    const shared = await wallShares.create(orgUuid, { wallUuid: wall.uuid, vodEnabled: false });
    await fixture.directory.settled();
    const wallToken = wallTokens.tokenOf(shared.uuid);
    const open = async (address: string) => {
      const opened = await wallGate.open({ wallToken, password: null, address, onNear: () => undefined });
      if (!opened.allowed) throw new Error(opened.reason);
      return opened;
    };
    return { shared, cameras, open };
  }

  it('lists one viewer with its cameras, and ends all of them with the grant of the wall', async () => {
    const { shared, cameras, open } = await openWall();
    const [mine, theirs] = [await open('192.0.2.10'), await open('192.0.2.20')];
    const grantsOf = ({ tiles }: typeof mine) =>
      tiles.map((tile) => (tile.allowed ? tile.grantText : 'refused'));
    for (const grantText of grantsOf(mine)) watch(grantText, PHONE).sentBytes = 100;
    watch(grantsOf(theirs)[0]!, DESK);
    const { kind, viewers, total } = list(shared.uuid);
    expect({ kind, total }).toEqual({ kind: 'wall', total: 2 });
    expect(viewers[0]).toMatchObject({ address: '192.0.2.10', sentBytes: 200, cameraUuids: cameras });
    expect(viewers[1]).toMatchObject({ address: '192.0.2.20', cameraUuids: [cameras[0]] });
    expect(await end(shared.uuid, viewers[0]!.viewerId)).toMatchObject({ kind: 'wall', endedViews: 1 });
    for (const grantText of grantsOf(mine)) expect(refusalFor(grantText)?.reason).toBe('viewer-ended');
    expect(await fixture.wallGate.look(mine.grantText, '192.0.2.10')).toMatchObject({
      reason: 'viewer-ended',
    });
    expect(await fixture.wallGate.look(theirs.grantText, '192.0.2.20')).toMatchObject({ allowed: true });
    expect(await fixture.viewers.counts([shared.uuid, newRuuid()])).toEqual([1, 0]);
  });

  it('keeps a blocked address away from the wall and its cameras', async () => {
    const { shared, open } = await openWall();
    const mine = await open('192.0.2.10');
    const tile = mine.tiles[1]!;
    if (!tile.allowed) throw new Error('refused');
    const { viewerId } = watch(tile.grantText, PHONE).grant;
    await end(shared.uuid, viewerId, MINUTE_MS);
    await expect(open('192.0.2.10')).rejects.toThrow('viewer-ended');
    expect(await open('192.0.2.20')).toMatchObject({ allowed: true });
  });
});

describe('ShareViewers of a shared group', () => {
  it('ends a view of its files', async () => {
    const { groups, groupGrants, groupSessions, orgUuid } = fixture;
    const group = await groups.create(orgUuid, 'clip', { itemUuids: [newRuuid()] });
    const grantText = groupGrants.issue(group.uuid, group.body.accessEpoch, 4e9);
    const { viewerId } = watch(grantText, PHONE, groupSessions).grant;
    expect(list(group.uuid)).toMatchObject({ kind: 'group', total: 1, viewers: [{ viewerId }] });
    expect(await end(group.uuid, viewerId)).toMatchObject({ kind: 'group', endedViews: 1 });
    expect(refusalFor(grantText, PHONE, groupSessions)?.reason).toBe('viewer-ended');
  });
});
