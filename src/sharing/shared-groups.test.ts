import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { newRuuid } from '../core/ruuid.ts';
import { SHARED_GROUPS, type SharedGroup } from './shared-group.ts';
import { MAX_GROUP_ITEMS, MAX_SHARED_GROUPS, type NewGroupRequest } from './shared-group-service.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';

const PRINCIPAL = { type: 'API_TOKEN', uuid: null, name: 'ops', sourceIp: null, userAgent: null } as const;

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const create = (fields: Partial<NewGroupRequest> = {}, kind: 'clip' | 'timelapse' = 'clip') =>
  fixture.groups.create(fixture.orgUuid, kind, { itemUuids: [newRuuid()], ...fields });

const open = ({ uuid }: Pick<SharedGroup, 'uuid'>, address = '192.0.2.1', password: string | null = null) =>
  fixture.groupGate.open({
    shareToken: fixture.groupTokens.tokenOf(uuid),
    password,
    address,
    onNear: () => undefined,
  });

/** A viewer of the group, and what ends its waiting request. */
async function watch(group: SharedGroup): Promise<{ session: ViewerSession; ends: string[] }> {
  const opened = await open(group);
  if (!opened.allowed) throw new Error(`refused: ${opened.reason}`);
  const session = fixture.groupSessions.access(opened.grantText);
  if (!session.allowed) throw new Error(`refused: ${session.reason}`);
  const ends: string[] = [];
  session.waiting.add({ onCutOff: ({ reason }) => void ends.push(reason) });
  return { session, ends };
}

describe('shared groups', () => {
  it.each(['clip', 'timelapse'] as const)('of a %s are found with their rules, and end', async (kind) => {
    const group = await create({ title: ' Tuesday ', expirationTimeSecs: 60 }, kind);
    expect(group.name).toBe('Tuesday');
    expect(fixture.groups.pageUrl(group)).toBe(
      `https://media.example/clips/${fixture.groupTokens.tokenOf(group.uuid)}`,
    );
    expect(fixture.directory.findGroup(group.uuid)).toEqual(group);
    const { ends } = await watch(group);
    fixture.clock.advance(60_000);
    expect(ends).toEqual(['expired']);
    expect(await open(group)).toMatchObject({ reason: 'expired' });
    await fixture.groups.remove(fixture.orgUuid, kind, group.uuid);
    expect(await open(group)).toMatchObject({ reason: 'revoked' });
    expect(await fixture.groups.list(fixture.orgUuid, kind)).toEqual([]);
  });

  it('of one kind are not found as those of another', async () => {
    const group = await create();
    const notFound = { code: 'GROUP_NOT_FOUND' };
    await expect(fixture.groups.find(fixture.orgUuid, 'timelapse', group.uuid)).rejects.toMatchObject(
      notFound,
    );
    await expect(fixture.groups.remove(fixture.orgUuid, 'timelapse', group.uuid)).rejects.toMatchObject(
      notFound,
    );
    await expect(fixture.groups.remove(newRuuid(), 'clip', group.uuid)).rejects.toMatchObject(notFound);
    expect(await open(group)).toMatchObject({ allowed: true });
  });

  it('are no shares of cameras: their grants open no stream, and streams’ grants no group', async () => {
    const group = await create();
    const opened = await open(group);
    if (!opened.allowed) throw new Error('refused');
    expect(fixture.directory.find(group.uuid)).toBeUndefined();
    expect(fixture.sessions.access(opened.grantText)).toMatchObject({ reason: 'unknown' });
    const ofCamera = await fixture.shares.create(fixture.orgUuid, { ...fixture.request });
    const grant = fixture.grants.issue(ofCamera.uuid, ofCamera.accessEpoch, 2 ** 31);
    expect(fixture.sessions.access(grant)).toMatchObject({ allowed: true });
    expect(fixture.groupSessions.access(grant)).toMatchObject({ reason: 'unknown' });
    const forged = fixture.grants.issue(group.uuid, group.body.accessEpoch, 2 ** 31);
    expect(fixture.groupSessions.access(forged)).toMatchObject({ reason: 'unknown' });
  });

  it('void earlier grants when the password changes, and only then', async () => {
    const group = await create();
    const { ends, session } = await watch(group);
    const change = (fields: object) => fixture.groups.update(fixture.orgUuid, 'clip', group.uuid, fields);
    await change({ title: 'Wednesday', expirationTimeSecs: 3_600 });
    expect(ends).toEqual([]);
    await change({ password: 'Correct horse' });
    expect(ends).toEqual(['password-needed']);
    expect(fixture.groupSessions.access(session.grantText)).toMatchObject({ reason: 'password-needed' });
    expect(await open(group, '192.0.2.1', 'Correct horse')).toMatchObject({ allowed: true });
    await change({ password: '' });
    expect(await open(group)).toMatchObject({ allowed: true });
    expect(fixture.groupSessions.access(session.grantText)).toMatchObject({ reason: 'grant-expired' });
  });

  it('are limited in viewers like shares', async () => {
    await fixture.close();
    fixture = await openSharingFixture({ maxViewersPerShare: 1 });
    const group = await create();
    await watch(group);
    expect(await open(group, '192.0.2.2')).toMatchObject({ reason: 'viewer-limit' });
  });

  it('follow what others commit, also without its event', async () => {
    const group = await create();
    const { ends } = await watch(group);
    const stored = fixture.store.resources.of(SHARED_GROUPS.clip);
    await stored.save({ ...group, body: { ...group.body, accessEpoch: 2 } });
    await eventually('the view ends', () => ends.length > 0);
    expect(ends).toEqual(['grant-expired']);
    // As if the directory had missed the removal.
    fixture.directory.applied({ kind: 'group', uuid: group.uuid, record: group });
    await stored.remove(fixture.orgUuid, group.uuid);
    fixture.directory.applied({ kind: 'group', uuid: group.uuid, record: group });
    expect(await open(group)).toMatchObject({ allowed: true });
    await fixture.directory.refresh();
    expect(await open(group)).toMatchObject({ reason: 'revoked' });
  });

  it('end although the store cannot save it, until it can', async () => {
    const group = await create();
    const { ends } = await watch(group);
    const { directory, orgUuid } = fixture;
    const request = { kind: 'link', uuid: group.uuid } as const;
    expect(directory.makeEnd(newRuuid(), request, PRINCIPAL)).toBe('unknown');
    const end = directory.makeEnd(orgUuid, request, PRINCIPAL);
    if (typeof end === 'string') throw new Error(end);
    await directory.putEnd(end);
    expect(ends).toEqual(['revoked']);
    await fixture.directory.refresh();
    expect(await open(group)).toMatchObject({ reason: 'revoked' });
    await directory.endStored(end);
    expect(directory.findGroup(group.uuid)).toBeUndefined();
  });

  it('are refused if they show nothing or too much, end in the past, or are too many', async () => {
    const many = Array.from({ length: MAX_GROUP_ITEMS + 1 }, newRuuid);
    await expect(create({ itemUuids: [] })).rejects.toMatchObject({ code: 'GROUP_EMPTY' });
    await expect(create({ itemUuids: many })).rejects.toMatchObject({ code: 'GROUP_TOO_LARGE' });
    await expect(create({ title: 'x'.repeat(257) })).rejects.toMatchObject({ code: 'GROUP_TOO_LARGE' });
    await expect(create({ expirationTimeSecs: 1_000_000_001 })).rejects.toMatchObject({
      code: 'SHARE_EXPIRY_INVALID',
    });
    await expect(create({ password: 'x'.repeat(257) })).rejects.toMatchObject({
      code: 'SHARE_PASSWORD_TOO_LONG',
    });
    const [twice] = many;
    expect((await create({ itemUuids: [twice!, twice!] })).body.itemUuids).toEqual([twice]);
    const [known] = await fixture.groups.list(fixture.orgUuid, 'clip');
    const copies = Array.from({ length: MAX_SHARED_GROUPS - 1 }, () => ({ ...known!, uuid: newRuuid() }));
    await fixture.store.resources.of(SHARED_GROUPS.clip).saveAll(copies);
    await expect(create()).rejects.toMatchObject({ code: 'TOO_MANY_SHARED_GROUPS' });
    expect(await create({}, 'timelapse')).toMatchObject({ body: { kind: 'timelapse' } });
  });
});
