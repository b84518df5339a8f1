import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actAs, actingPrincipal } from '../audit/acting-principal.ts';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AccessEnd, EndRequest } from '../store/access-end.ts';
import { BRIEF_WAIT_MS, withBriefWaits } from '../store/brief-waits.ts';
import type { Share } from '../store/entities.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleOrganization,
  sampleShare,
} from '../store/sample-entities-fixture.ts';
import { DeviceDirectory } from './device-directory.ts';
import { endingRules } from './ending-rules.ts';
import { Passwords } from './password.ts';
import { ShareDirectory } from './share-directory.ts';
import { ShareService } from './share-service.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { EndStore } from './store-end.ts';
import { UNSTORED_RETRY_MS, UnstoredEnds } from './unstored-ends.ts';

const PRINCIPAL = { type: 'API_TOKEN', uuid: null, name: 'ops', sourceIp: null, userAgent: null } as const;

let fixture: SharingFixture;
let ends: UnstoredEnds;
let share: Share;
let failure: GatewayError | null;
/** The store answers when it resolves; null: immediately. */
let hung: PromiseWithResolvers<void> | null;
let actors: string[];
let file: Map<Ruuid, AccessEnd>;
let isFileBroken: boolean;
const opened: { close(): void }[] = [];

beforeEach(async () => {
  fixture = await openSharingFixture();
  [failure, actors] = [new GatewayError(STORE_ERRORS.STORE_UNREACHABLE), []];
  [file, isFileBroken, hung] = [new Map(), false, null];
  ends = endsOf(fixture.directory, fixture.devices);
  share = await fixture.shares.create(fixture.orgUuid, { ...fixture.request });
});
afterEach(async () => {
  for (const each of opened.splice(0)) each.close();
  await fixture.close();
});

/** As a node has them. */
function endsOf(directory: ShareDirectory, devices: DeviceDirectory): UnstoredEnds {
  const { clock } = fixture;
  const made = new UnstoredEnds({
    store: failingStore(),
    directory,
    devices,
    actAs,
    clock,
    log: silentLog,
    maxEnds: 8,
    file: {
      async add(end) {
        if (isFileBroken) throw new Error('ENOSPC');
        file.set(end.endUuid, end);
      },
      remove: (uuid) => void file.delete(uuid),
    },
  });
  opened.push(made);
  return made;
}

function failingStore(): EndStore {
  const { shares } = fixture.store;
  const tried = async (): Promise<void> => {
    actors.push(actingPrincipal().name);
    await hung?.promise;
    if (failure !== null) throw failure;
  };
  const failing = {
    remove: async (orgUuid: Ruuid, uuid: Ruuid) => {
      await tried();
      return shares.remove(orgUuid, uuid);
    },
    change: async (...change: Parameters<typeof shares.change>) => {
      await tried();
      return shares.change(...change);
    },
  };
  const taken = { ...fixture.store, shares: Object.assign(Object.create(shares) as typeof shares, failing) };
  return withBriefWaits(taken, fixture.clock);
}

/** Another node, over the same store. */
async function openNode() {
  const { store, clock } = fixture;
  const directory = await ShareDirectory.open({ store, clock, log: silentLog });
  const devices = await DeviceDirectory.open({ store, clock, log: silentLog });
  opened.push(directory, devices);
  return { directory, ends: endsOf(directory, devices) };
}

const open = () =>
  fixture.gate.open({
    shareToken: fixture.tokens.tokenOf(share.uuid),
    password: null,
    address: '192.0.2.1',
    onNear: () => undefined,
  });
const end = (request: EndRequest, orgUuid = fixture.orgUuid) => ends.endAccess(orgUuid, request, PRINCIPAL);
const link = (): EndRequest => ({ kind: 'link', uuid: share.uuid });
const password = (passwordHash: string): EndRequest => ({
  kind: 'rules',
  of: 'share',
  uuid: share.uuid,
  rules: { passwordHash },
});
const expiry = (expiresAtSec: number | null): EndRequest => ({
  kind: 'rules',
  of: 'share',
  uuid: share.uuid,
  rules: { expiresAtSec },
});
const stored = () => fixture.store.shares.find(fixture.orgUuid, share.uuid);
const nowSec = () => fixture.clock.epochMs() / 1_000;

async function storeReturns(of: UnstoredEnds = ends): Promise<void> {
  failure = null;
  await eventually('the ends are stored', () => {
    fixture.clock.advance(UNSTORED_RETRY_MS);
    return of.size === 0;
  });
}

describe('the end of a share that the store cannot take', () => {
  it('cuts off its viewers, and is not undone by reads from the store', async () => {
    const opening = await open();
    if (!opening.allowed) throw new Error('not opened');
    const access = fixture.sessions.access(opening.grantText);
    if (!access.allowed) throw new Error('refused');
    const reasons: string[] = [];
    access.waiting.add({ onCutOff: ({ reason }) => void reasons.push(reason) });
    expect(await end(link())).toEqual({ isKept: true, silentNodes: [], record: null });
    expect(reasons).toEqual(['revoked']);
    expect(fixture.sessions.access(opening.grantText)).toMatchObject({ reason: 'revoked' });
    await fixture.directory.refresh();
    await fixture.store.shares.save({ ...share, name: 'Renamed' });
    await fixture.store.ping();
    fixture.directory.applied({ kind: 'share', uuid: share.uuid, record: share });
    expect(await open()).toMatchObject({ reason: 'revoked' });
    expect(await end(link())).toMatchObject({ isKept: true });
    expect(ends.size).toBe(1);
  });

  it('is retried until it is stored, on behalf of the caller that requested it', async () => {
    await end(link());
    for (let attempt = 1; attempt <= 3; attempt++) {
      fixture.clock.advance(UNSTORED_RETRY_MS);
      await eventually('it is tried', () => actors.length === attempt);
      expect(await stored()).not.toBeNull();
    }
    await storeReturns();
    expect(await stored()).toBeNull();
    expect(file.size).toBe(0);
    expect(new Set(actors)).toEqual(new Set(['ops']));
    expect(await open()).toMatchObject({ reason: 'revoked' });
  });

  it('fails for another organization, for an unknown share, and for one of another camera', async () => {
    expect(await end(link(), newRuuid())).toBe('unknown');
    expect(await end({ kind: 'link', uuid: newRuuid() })).toBe('unknown');
    expect(await end({ kind: 'link', uuid: share.uuid, ofCamera: newRuuid() })).toBe('unknown');
    expect(await open()).toMatchObject({ allowed: true });
    expect(ends.size).toBe(0);
  });

  it('does not keep others from being stored if the store refuses it', async () => {
    await end(link());
    failure = new GatewayError(STORE_ERRORS.STORE_QUERY);
    const other = await fixture.shares.create(fixture.orgUuid, { ...fixture.request });
    const key = sampleApiKey(fixture.orgUuid, { revokedAtMs: null });
    await fixture.store.apiKeys.save(key);
    fixture.devices.applied({ kind: 'key', uuid: key.uuid, record: key });
    await end({ kind: 'key', uuid: key.uuid });
    await end({ kind: 'link', uuid: other.uuid });
    await eventually('the key is revoked', () => {
      fixture.clock.advance(UNSTORED_RETRY_MS);
      return ends.size === 2;
    });
    expect((await fixture.store.apiKeys.find(fixture.orgUuid, key.uuid))?.revokedAtMs).not.toBeNull();
  });
});

describe('an end that is not stored', () => {
  it('is not kept if its file cannot be written, and the caller can hear that', async () => {
    isFileBroken = true;
    expect(await end(link())).toMatchObject({ isKept: false });
    expect(await open()).toMatchObject({ reason: 'revoked' });
  });

  it('is in force again after a restart, before anyone is let in, and is then stored', async () => {
    await end(password('$X'));
    const node = await openNode();
    expect(node.directory.find(share.uuid)?.share.passwordHash).toBeNull();
    await node.ends.resume([...file.values()]);
    expect(node.directory.find(share.uuid)?.share).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
    await storeReturns(node.ends);
    expect(await stored()).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
    expect(node.directory.find(share.uuid)?.share).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
  });

  it('is in force after a restart while the store hangs, and is stored once when it answers both runs', async () => {
    [hung, failure] = [Promise.withResolvers<void>(), null];
    await end(password('$X'));
    fixture.clock.advance(UNSTORED_RETRY_MS);
    await eventually('the first run has sent it', () => actors.length === 1);
    const node = await openNode();
    await node.ends.resume([...file.values()]);
    expect(node.directory.find(share.uuid)?.share).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
    fixture.clock.advance(5_000);
    await eventually('the next run has sent it', () => actors.length === 2);
    hung.resolve();
    await storeReturns(node.ends);
    expect(await stored()).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
    expect(file.size).toBe(0);
  });

  it('does not hold up the next change of the link for longer than two seconds if the store hangs', async () => {
    await end(password('$X'));
    hung = Promise.withResolvers<void>();
    const before = ends.storeEnds(share.uuid).catch((thrown: GatewayError) => thrown.code);
    await eventually('the store has it', () => actors.length === 1);
    fixture.clock.advance(BRIEF_WAIT_MS);
    expect(await before).toBe('STORE_SILENT');
    hung.resolve();
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: '$X', accessEpoch: 2 });
  });

  it('leaves room for other organizations, and is refused if its own has too many', async () => {
    const uuids = [share.uuid, ...(await Promise.all(Array.from({ length: 5 }, newShare)))];
    const outcomes: unknown[] = [];
    for (const uuid of uuids) outcomes.push(await end({ kind: 'link', uuid }));
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(2);
    const neighbor = sampleOrganization();
    const camera = sampleCamera(neighbor.uuid, { locationUuid: null, nvrUuid: null });
    await fixture.store.organizations.save(neighbor);
    await fixture.store.cameras.save(camera);
    const theirs = sampleShare(neighbor.uuid, { cameraUuid: camera.uuid, scheduleUuid: null });
    await fixture.store.shares.save(theirs);
    await fixture.directory.settled();
    expect(await end({ kind: 'link', uuid: theirs.uuid }, neighbor.uuid)).toMatchObject({ isKept: true });
    await storeReturns();
    expect(await end({ kind: 'link', uuid: uuids.at(-1)! })).toMatchObject({ isKept: true });
  });

  it('is one however often a record is changed, with the first as what was before', async () => {
    for (let nth = 0; nth < 100; nth++) await end(password(`$${nth}`));
    await end(expiry(nowSec() + 60));
    expect([ends.size, file.size]).toEqual([1, 1]);
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: '$99', expiresAtSec: nowSecAtStart() + 60 });
  });
});

async function newShare(): Promise<Ruuid> {
  return (await fixture.shares.create(fixture.orgUuid, { ...fixture.request })).uuid;
}

describe('ends and changes that contradict each other', () => {
  it('lets a change win that is later, and voids grants of both', async () => {
    await end(password('$X'));
    fixture.clock.advance(10);
    const atMs = fixture.clock.epochMs();
    await fixture.store.shares.save({ ...share, passwordHash: '$Y', accessEpoch: 2, updatedAtMs: atMs });
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: '$Y', accessEpoch: 3 });
  });

  it('wins over a change that is earlier', async () => {
    const changed = { ...share, passwordHash: '$Y', accessEpoch: 2, updatedAtMs: fixture.clock.epochMs() };
    fixture.clock.advance(10);
    await end(password('$X'));
    await fixture.store.shares.save(changed);
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: '$X', accessEpoch: 3 });
  });

  it('is not undone by a later change of something else', async () => {
    await end(expiry(nowSec() + 60));
    fixture.clock.advance(10);
    await fixture.store.shares.save({ ...share, name: 'Later', updatedAtMs: fixture.clock.epochMs() });
    await storeReturns();
    expect(await stored()).toMatchObject({ name: 'Later', expiresAtSec: nowSecAtStart() + 60 });
  });

  it('agrees at two nodes, whichever of them stores first', async () => {
    const node = await openNode();
    await end(password('$X'));
    fixture.clock.advance(5);
    await node.ends.endAccess(fixture.orgUuid, password('$Y'), PRINCIPAL);
    for (const each of node.ends.all()) await ends.take(each);
    for (const each of ends.all()) await node.ends.take(each);
    for (const { directory } of [fixture, node]) {
      expect(directory.find(share.uuid)?.share.passwordHash).toBe('$Y');
    }
    await storeReturns(node.ends);
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: '$Y' });
    expect((await stored())!.accessEpoch).toBeGreaterThan(2);
  });

  it('counts from what the node knew, if its wall clock was set back', async () => {
    const laterMs = fixture.clock.epochMs() + 3_600_000;
    const known = { ...share, expiresAtSec: laterMs / 1_000 + 600, updatedAtMs: laterMs };
    await fixture.store.shares.save(known);
    await fixture.directory.settled();
    await end(expiry(nowSec() + 60));
    await end(expiry(nowSec() + 30));
    await storeReturns();
    expect((await stored())?.expiresAtSec).toBe(nowSecAtStart() + 30);
  });

  it('is stored before a change of its record that is made when the store is back, and loses to it', async () => {
    await end(password('$X'));
    await end(expiry(nowSec() + 60));
    failure = null;
    const shares = new ShareService({
      store: fixture.store,
      counters: fixture.counters,
      tokens: fixture.tokens,
      clock: fixture.clock,
      rules: endingRules(fixture.directory, ends, () => PRINCIPAL),
      passwords: new Passwords({ log2N: 4, r: 8, p: 1 }),
      publicMediaUrl: 'http://media.example',
    });
    // This node's clock is behind that of the node that made the end.
    fixture.clock.stepWallClock(-3_000);
    const changes = { password: null, expirationTimeSecs: null };
    const changed = await shares.update(fixture.orgUuid, share.uuid, changes);
    expect(changed).toMatchObject({ passwordHash: null, expiresAtSec: null, accessEpoch: 3 });
    await storeReturns();
    expect(await stored()).toMatchObject({ passwordHash: null, expiresAtSec: null, accessEpoch: 3 });
  });

  it('repeats nothing if another node sends what the store has already', async () => {
    await end(password('$X'));
    const [made] = ends.all();
    await storeReturns();
    await fixture.shares.update(fixture.orgUuid, share.uuid, { password: null });
    expect(await ends.take(made!)).toBe(true);
    expect(ends.size).toBe(0);
    const node = await openNode();
    await node.ends.take(made!);
    await storeReturns(node.ends);
    expect(await stored()).toMatchObject({ passwordHash: null });
  });
});

function nowSecAtStart(): number {
  return share.createdAtMs / 1_000;
}
