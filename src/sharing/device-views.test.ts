/** Views of devices: who may begin one, and what ends it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccountServices, createAccountServices } from '../accounts/account-services.ts';
import { callerOf } from '../accounts/caller.ts';
import { federatedSessionUuid } from '../accounts/federated-session.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKey } from '../store/entities.ts';
import { sampleApiKey, sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { AccessRefused } from './access-decision.ts';
import { DeviceDirectory } from './device-directory.ts';
import type { DeviceOpeningRequest, OpenedDevice } from './device-gate.ts';
import type { Principal } from './device-grant.ts';
import { GRANT_LIFETIME_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';
import { RECHECK_MS, ViewerSessions } from './viewer-sessions.ts';

let fixture: SharingFixture;
let accounts: AccountServices;
let key: ApiKey;

beforeEach(async () => {
  fixture = await openSharingFixture({ maxViewersPerShare: 1, opensPerMinute: 5 });
  const { store, clock, devices } = fixture;
  accounts = createAccountServices({ store, clock, credentialRules: devices, requestsPerSec: 50 });
  key = await addKey();
});
afterEach(() => fixture.close());

async function addKey(overrides: Partial<ApiKey> = {}): Promise<ApiKey> {
  const added = sampleApiKey(fixture.orgUuid, overrides);
  await fixture.store.apiKeys.save(added);
  return added;
}

/** Resolves when the directory knows the camera, as the partner's if it has one. */
const known = (uuid: Ruuid, partnerUuid: Ruuid | null = null) =>
  eventually('the directory knows the camera', () => fixture.devices.find(uuid)?.partnerUuid === partnerUuid);

interface Asking {
  readonly key?: ApiKey;
  readonly principal?: Principal;
  readonly deviceUuid?: Ruuid;
  readonly namedOrgUuid?: Ruuid;
  readonly address?: string;
}

function ask(of: Asking = {}): ReturnType<SharingFixture['deviceGate']['open']> {
  const by = of.key ?? key;
  const request: DeviceOpeningRequest = {
    principal: of.principal ?? { kind: 'key', uuid: by.uuid },
    actor: by,
    namedOrgUuid: of.namedOrgUuid ?? null,
    deviceUuid: of.deviceUuid ?? fixture.camera.uuid,
    address: of.address ?? '192.0.2.1',
  };
  return fixture.deviceGate.open(request);
}

async function open(of: Asking = {}): Promise<OpenedDevice> {
  const opened = await ask(of);
  if (!opened.allowed) throw new Error(`refused: ${opened.reason}`);
  return opened;
}

const reasonOf = async (of: Asking = {}) => {
  const opened = await ask(of);
  return opened.allowed ? null : opened.reason;
};

async function addSession(
  wanted: { deviceUuid?: Ruuid; durationSec?: number } = {},
  by: ApiKey = key,
  orgUuid = fixture.orgUuid,
): Promise<Principal> {
  const caller = callerOf({ kind: 'key', key: by }, { orgUuid });
  const { deviceUuid = null, durationSec = 3_600 } = wanted;
  const token = await accounts.federatedSessions.create(caller, { domain: null, deviceUuid, durationSec });
  return { kind: 'session', uuid: federatedSessionUuid(hashApiKey(token)) };
}

function enter(grantText: string, sessions = fixture.sessions): ViewerSession {
  const access = sessions.access(grantText);
  if (!access.allowed) throw new Error(`refused: ${access.reason}`);
  return access;
}

const viewReason = (grantText: string) => {
  const access = fixture.sessions.access(grantText);
  return access.allowed ? null : access.reason;
};

/** The refusals that a waiting request of the view got. */
function refusalsOf(session: ViewerSession): AccessRefused[] {
  const refusals: AccessRefused[] = [];
  session.waiting.add({ onCutOff: (refusal) => void refusals.push(refusal) });
  return refusals;
}

describe('a device', () => {
  it('is opened with a key, for a viewer with sound who is counted apart from shares', async () => {
    const opened = await open();
    const session = enter(opened.grantText);
    expect(session).toMatchObject({
      cameraUuid: fixture.camera.uuid,
      orgUuid: fixture.orgUuid,
      audience: 'sound',
      shareUuid: null,
      isCounted: true,
    });
    expect([...fixture.sessions.viewersByAudience()]).toEqual([[session.audienceUuid, 1]]);
    expect([...fixture.sessions.viewersByCamera()]).toEqual([[session.cameraUuid, 1]]);
    expect(await fixture.counters.viewerCounts([session.audienceUuid, fixture.camera.uuid])).toEqual([1, 0]);
    expect(fixture.sessions.viewers).toBe(1);
  });

  it('has no limit of viewers: that of shares is for links', async () => {
    const grants = [await open(), await open(), await open()];
    for (const { grantText } of grants) expect(viewReason(grantText)).toBeNull();
  });

  it('is opened a limited number of times per minute, by credential and address', async () => {
    const other = await addKey();
    for (let i = 0; i < 10; i++) await open();
    expect(await ask()).toMatchObject({ reason: 'too-many-opens', retryAfterMs: 12_000 });
    expect(await reasonOf({ key: other })).toBeNull();
    expect(await reasonOf({ address: '192.0.2.2' })).toBeNull();
    fixture.clock.advance(12_000);
    expect(await reasonOf()).toBeNull();
  });

  it('of another organization does not exist', async () => {
    const foreign = sampleOrganization();
    const camera = sampleCamera(foreign.uuid);
    await fixture.store.organizations.save(foreign);
    await fixture.store.cameras.save(camera);
    await known(camera.uuid);
    expect(await reasonOf({ deviceUuid: camera.uuid })).toBe('unknown');
    expect(await reasonOf({ deviceUuid: newRuuid() })).toBe('unknown');
  });

  it('is opened by no key that can only report', async () => {
    expect(await reasonOf({ key: await addKey({ scheme: 'device' }) })).toBe('credential-ended');
  });

  it('of a client is opened by its partner, until it leaves the partner', async () => {
    const partner = sampleOrganization();
    const client = sampleOrganization({ partnerUuid: partner.uuid });
    const camera = sampleCamera(client.uuid);
    for (const organization of [partner, client]) await fixture.store.organizations.save(organization);
    await fixture.store.cameras.save(camera);
    const partnerKey = await addKey({ orgUuid: partner.uuid, scheme: 'partner-api' });
    await known(camera.uuid, partner.uuid);
    const asking = { key: partnerKey, deviceUuid: camera.uuid };
    expect(await reasonOf({ ...asking, namedOrgUuid: client.uuid })).toBeNull();
    expect(await reasonOf({ ...asking, namedOrgUuid: partner.uuid })).toBe('unknown');
    expect(await reasonOf({ ...asking, key: await addKey({ orgUuid: partner.uuid }) })).toBe('unknown');
    const principal = await addSession({}, partnerKey, client.uuid);
    const views = [await open(asking), await open({ ...asking, principal })];
    const refusals = views.map(({ grantText }) => refusalsOf(enter(grantText)));
    await fixture.store.organizations.save({ ...client, partnerUuid: null });
    const ended = ['credential-ended', 'credential-ended'];
    await eventually('both views end', () => refusals.flat().length === ended.length);
    expect(refusals.flat().map(({ reason }) => reason)).toEqual(ended);
  });
});

describe('a session for one device', () => {
  it('opens that device alone', async () => {
    const other = sampleCamera(fixture.orgUuid);
    await fixture.store.cameras.save(other);
    await known(other.uuid);
    const principal = await addSession({ deviceUuid: fixture.camera.uuid });
    expect(await reasonOf({ principal })).toBeNull();
    expect(await reasonOf({ principal, deviceUuid: other.uuid })).toBe('unknown');
  });
});

describe('a view of a device ends', () => {
  it('at once when its key is revoked, and the views of its sessions with it', async () => {
    const principal = await addSession();
    const other = await addKey();
    const [mine, page, others] = [await open(), await open({ principal }), await open({ key: other })];
    const [first, second, third] = [mine, page, others].map(({ grantText }) => refusalsOf(enter(grantText)));
    await accounts.apiTokens.revoke(fixture.orgUuid, key.uuid);
    // Nothing else had to happen: the call returns when the views have ended.
    expect([first, second, third].map((refusals) => refusals!.map(({ reason }) => reason))).toEqual([
      ['credential-ended'],
      ['credential-ended'],
      [],
    ]);
    expect(viewReason(mine.grantText)).toBe('credential-ended');
    expect(viewReason(page.grantText)).toBe('credential-ended');
    expect(viewReason(others.grantText)).toBeNull();
    expect(await reasonOf()).toBe('credential-ended');
  });

  it('to the millisecond when its session ends, and so does the grant', async () => {
    const principal = await addSession({ durationSec: 10 });
    const { grantText } = await open({ principal });
    const refusals = refusalsOf(enter(grantText));
    fixture.clock.advance(9_999);
    expect(refusals).toEqual([]);
    fixture.clock.advance(1);
    expect(refusals).toEqual([{ allowed: false, reason: 'credential-ended', untilEpochMs: null }]);
    expect(await reasonOf({ principal })).toBe('credential-ended');
  });

  it('to the millisecond when its key ends, and so do the views of its sessions', async () => {
    const principal = await addSession({ durationSec: 3_600 });
    const grants = [await open(), await open({ principal })];
    const refusals = grants.map(({ grantText }) => refusalsOf(enter(grantText)));
    await accounts.apiTokens.update(fixture.orgUuid, key.uuid, { expirationTimeSecs: 10 });
    fixture.clock.advance(9_999);
    expect(refusals.flat()).toEqual([]);
    fixture.clock.advance(1);
    const ended = { allowed: false, reason: 'credential-ended', untilEpochMs: null };
    expect(refusals.flat()).toEqual([ended, ended]);
    expect([await reasonOf(), await reasonOf({ principal })]).toEqual([
      'credential-ended',
      'credential-ended',
    ]);
    const rights = fixture.devices.uploadRights(key.uuid, fixture.camera.uuid);
    expect(rights.key).toBeNull();
  });

  it('when the grant is too old', async () => {
    const { grantText } = await open();
    const refusals = refusalsOf(enter(grantText));
    fixture.clock.advance(GRANT_LIFETIME_MS);
    expect(refusals.map(({ reason }) => reason)).toEqual(['grant-expired']);
    expect(viewReason(grantText)).toBe('grant-expired');
  });

  it.each(['removed', 'mummified'] as const)('when the camera is %s', async (how) => {
    const { grantText } = await open();
    const refusals = refusalsOf(enter(grantText));
    const { uuid } = fixture.camera;
    if (how === 'removed') await fixture.store.cameras.remove(fixture.orgUuid, uuid);
    else await fixture.store.cameras.save({ ...fixture.camera, mummified: true });
    await eventually('the view ends', () => refusals.length > 0);
    expect(refusals.map(({ reason }) => reason)).toEqual(['device-removed']);
    expect(viewReason(grantText)).toBe('device-removed');
    expect(await reasonOf()).toBe('unknown');
  });

  it('before its event when the camera is removed here', async () => {
    const { grantText } = await open();
    const refusals = refusalsOf(enter(grantText));
    fixture.devices.applied({ kind: 'camera', uuid: fixture.camera.uuid, record: null });
    expect(refusals.map(({ reason }) => reason)).toEqual(['device-removed']);
  });

  it('when another process revokes the key, which no event announces', async () => {
    const { store, clock, directory, grants, counters, deviceGrants } = fixture;
    const silentStore = { ...store, onChange: () => () => undefined };
    const devices = await DeviceDirectory.open({ store: silentStore, clock, log: silentLog });
    const sessions = new ViewerSessions({
      directory,
      grants,
      counters,
      clock,
      maxViewersPerShare: null,
      devices: { directory: devices, grants: deviceGrants },
    });
    const { grantText } = await open();
    const session = enter(grantText, sessions);
    const refusals = refusalsOf(session);
    const revokeElsewhere = (known: ApiKey | null) => ({ ...known!, revokedAtMs: clock.epochMs() });
    await store.apiKeys.change(fixture.orgUuid, key.uuid, revokeElsewhere);
    clock.advance(RECHECK_MS);
    await eventually('the view ends', () => refusals.length > 0);
    expect(refusals.map(({ reason }) => reason)).toEqual(['credential-ended']);
    sessions.close();
    devices.close();
  });

  it('when the store is read again after events were lost', async () => {
    const { store, clock } = fixture;
    const silentStore = { ...store, onChange: () => () => undefined };
    const devices = await DeviceDirectory.open({ store: silentStore, clock, log: silentLog });
    const grant = fixture.deviceGrants.verify((await open()).grantText);
    expect(devices.decide(grant, clock.epochMs()).allowed).toBe(true);
    await accounts.apiTokens.revoke(fixture.orgUuid, key.uuid);
    expect(devices.decide(grant, clock.epochMs()).allowed).toBe(true);
    await devices.refresh();
    expect(devices.decide(grant, clock.epochMs())).toMatchObject({ reason: 'credential-ended' });
    devices.close();
  });
});

describe('a principal that is not known yet', () => {
  it('is read from the store, but what has ended stays ended', async () => {
    const { store, clock } = fixture;
    const silentStore = { ...store, onChange: () => () => undefined };
    const devices = await DeviceDirectory.open({ store: silentStore, clock, log: silentLog });
    const later = await addKey();
    const principal = { kind: 'key', uuid: later.uuid } as const;
    const decide = () => devices.decideFor(principal, fixture.camera.uuid, clock.epochMs()).allowed;
    expect(decide()).toBe(false);
    await devices.learn(principal, later);
    expect(decide()).toBe(true);
    devices.applied({ kind: 'key', uuid: later.uuid, record: { ...later, revokedAtMs: clock.epochMs() } });
    await devices.learn(principal, later);
    expect(decide()).toBe(false);
    devices.close();
  });
});
