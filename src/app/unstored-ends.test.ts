import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actingPrincipal } from '../audit/acting-principal.ts';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { openSharingFixture, type SharingFixture } from '../sharing/sharing-fixture.ts';
import type { Share } from '../store/entities.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import { UNSTORED_RETRY_MS, UnstoredEnds } from './unstored-ends.ts';

const PRINCIPAL = { type: 'API_TOKEN', uuid: null, name: 'ops', sourceIp: null, userAgent: null } as const;

let fixture: SharingFixture;
let ends: UnstoredEnds;
let share: Share;
let isDiskFull: boolean;
let actors: string[];

beforeEach(async () => {
  fixture = await openSharingFixture();
  [isDiskFull, actors] = [true, []];
  const { store, directory, clock } = fixture;
  const remove: typeof store.shares.remove = async (orgUuid, uuid) => {
    actors.push(actingPrincipal().name);
    if (isDiskFull) throw new GatewayError(STORE_ERRORS.STORE_DISK_FULL);
    return store.shares.remove(orgUuid, uuid);
  };
  const { wallShares, resources } = store;
  ends = new UnstoredEnds({
    store: { shares: { remove }, wallShares, resources },
    directory,
    clock,
    log: silentLog,
  });
  share = await fixture.shares.create(fixture.orgUuid, { ...fixture.request });
});
afterEach(async () => {
  ends.close();
  await fixture.close();
});

const open = () =>
  fixture.gate.open({
    shareToken: fixture.tokens.tokenOf(share.uuid),
    password: null,
    address: '192.0.2.1',
    onNear: () => undefined,
  });

describe('the end of a share that the store cannot take', () => {
  it('cuts off its viewers, and is not undone by reads from the store', async () => {
    const opened = await open();
    if (!opened.allowed) throw new Error('not opened');
    const access = fixture.sessions.access(opened.grantText);
    if (!access.allowed) throw new Error('refused');
    const reasons: string[] = [];
    access.waiting.add({ onCutOff: ({ reason }) => void reasons.push(reason) });
    expect(ends.endShare(fixture.orgUuid, share.uuid, PRINCIPAL)).toBe(true);
    expect(reasons).toEqual(['revoked']);
    expect(fixture.sessions.access(opened.grantText)).toMatchObject({ reason: 'revoked' });
    await fixture.directory.refresh();
    await fixture.store.shares.save({ ...share, name: 'Renamed' });
    await fixture.store.ping();
    fixture.directory.putShare(share);
    expect(await open()).toMatchObject({ reason: 'revoked' });
    expect(ends.endShare(fixture.orgUuid, share.uuid, PRINCIPAL)).toBe(true);
    expect(ends.size).toBe(1);
  });

  it('is retried until it is stored, on behalf of the caller that requested it', async () => {
    ends.endShare(fixture.orgUuid, share.uuid, PRINCIPAL);
    for (let attempt = 1; attempt <= 3; attempt++) {
      fixture.clock.advance(UNSTORED_RETRY_MS);
      await eventually('it is tried', () => actors.length === attempt);
      expect(await fixture.store.shares.find(fixture.orgUuid, share.uuid)).not.toBeNull();
    }
    isDiskFull = false;
    await eventually('the end is stored', () => {
      fixture.clock.advance(UNSTORED_RETRY_MS);
      return ends.size === 0;
    });
    expect(await fixture.store.shares.find(fixture.orgUuid, share.uuid)).toBeNull();
    expect(new Set(actors)).toEqual(new Set(['ops']));
    expect(await open()).toMatchObject({ reason: 'revoked' });
  });

  it('fails for another organization, and for an unknown share', async () => {
    expect(ends.endShare(newRuuid(), share.uuid, PRINCIPAL)).toBe(false);
    expect(ends.endShare(fixture.orgUuid, newRuuid(), PRINCIPAL)).toBe(false);
    expect(await open()).toMatchObject({ allowed: true });
    expect(ends.size).toBe(0);
  });
});
