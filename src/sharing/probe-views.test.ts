/** The synthetic viewer has the access of a viewer, and is none. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Share } from '../store/entities.ts';
import { Grants } from './grant.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerObserver } from './viewer-sessions.ts';

const DAY_SEC = 86_400;
const told: string[] = [];
const observer: ViewerObserver = {
  viewerJoined: () => void told.push('joined'),
  viewerLeft: () => void told.push('left'),
};

let fixture: SharingFixture;
let share: Share;
beforeEach(async () => {
  told.length = 0;
  fixture = await openSharingFixture({ maxViewersPerShare: 1, observer });
  share = await fixture.shares.create(fixture.orgUuid, { ...fixture.request, password: 'open sesame' });
});
afterEach(() => fixture.close());

const grantBy = (grants: Grants, lifetimeSec = DAY_SEC) =>
  grants.issue(share.uuid, share.accessEpoch, fixture.clock.epochMs() / 1_000 + lifetimeSec);
const probe = () => fixture.sessions.access(grantBy(fixture.probeGrants), { ip: '127.0.0.1' });

it('is served beside as many viewers as the limit allows, and in none of their places', () => {
  const probes = [probe(), probe()];
  expect(probes.map((access) => access.allowed && access.isProbe)).toEqual([true, true]);
  expect(fixture.sessions.access(grantBy(fixture.grants), { ip: '192.0.2.1' })).toMatchObject({
    allowed: true,
    isProbe: false,
  });
  expect(fixture.sessions.access(grantBy(fixture.grants), { ip: '192.0.2.2' })).toMatchObject({
    reason: 'viewer-limit',
  });
  expect(probe().allowed).toBe(true);
});

it('is not counted, not listed, and no one is told of it, however long it plays', () => {
  const access = probe();
  for (let sec = 0; sec < 30; sec++) {
    if (access.allowed) access.noteFetch();
    fixture.clock.advance(1_000);
    fixture.sessions.access(access.allowed ? access.grantText : '');
  }
  expect(fixture.sessions.viewers).toBe(0);
  expect(fixture.sessions.size).toBe(1);
  expect([...fixture.sessions.viewersByCamera()]).toEqual([]);
  expect(fixture.viewers.list(fixture.orgUuid, share.uuid)?.viewers).toEqual([]);
  expect(fixture.counters.localViewerCount(share.uuid)).toBe(0);
  expect(told).toEqual([]);
});

it('is cut off when the share ends, as viewers are', async () => {
  const access = probe();
  const refusals: string[] = [];
  if (access.allowed) access.waiting.add({ onCutOff: ({ reason }) => void refusals.push(reason) });
  await fixture.shares.remove(fixture.orgUuid, share.uuid);
  expect(refusals).toEqual(['revoked']);
  expect(probe()).toMatchObject({ allowed: false, reason: 'revoked' });
});

it('needs a grant of its own, which ends and is worth nothing elsewhere', () => {
  expect(fixture.sessions.access(grantBy(Grants.forGroups(Buffer.alloc(32, 2))))).toMatchObject({
    reason: 'unknown',
  });
  expect(fixture.sessions.access(grantBy(fixture.probeGrants, 0))).toMatchObject({ reason: 'grant-expired' });
  expect(fixture.groupSessions.access(grantBy(fixture.probeGrants))).toMatchObject({ reason: 'unknown' });
  expect(fixture.grants.verify(grantBy(fixture.probeGrants))).toBeNull();
});
