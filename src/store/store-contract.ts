/** The contract of every store, on every database. The test of each implementation runs it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { describeAudit } from './audit-contract.ts';
import { describeRecordChanges } from './change-contract.ts';
import { describeClusterLeases } from './cluster-lease-contract.ts';
import { describeCrossings, describeLatestOccupancy } from './crossing-contract.ts';
import { describeEndedViews } from './ended-view-contract.ts';
import type { Share, StreamLedgerEntry } from './entities.ts';
import { describeGatewayRuns } from './gateway-run-contract.ts';
import { describeLeases } from './lease-contract.ts';
import { describeOAuth } from './oauth-contract.ts';
import { describeOrganizations } from './organization-contract.ts';
import { describePasskeys } from './passkey-contract.ts';
import { describePeople } from './people-contract.ts';
import { describeRecordingBlocks } from './recording-block-contract.ts';
import { describeRecordings } from './recording-contract.ts';
import { describeRecordingHolds } from './recording-hold-contract.ts';
import { describeResources } from './resource-contract.ts';
import {
  sampleAbsoluteSchedule,
  sampleApiKey,
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
  samplePerson,
  sampleShare,
  sampleVideoWall,
  sampleWeeklySchedule,
} from './sample-entities-fixture.ts';
import { describeScopes } from './scope-contract.ts';
import { describeSigningCertificates } from './signing-certificate-contract.ts';
import type { ChangeEvent, OrgRepository, Store } from './store.ts';
import { describeStoredUse } from './stored-use-contract.ts';
import { describeUploads } from './upload-contract.ts';
import { describeWallShares } from './wall-contract.ts';

/** A repository of the store under test, and a way to create entities for it. */
interface RepositoryCase<T extends { readonly uuid: Ruuid; readonly name: string }> {
  readonly kind: ChangeEvent['entity'];
  repository(store: Store): OrgRepository<T>;
  make(orgUuid: Ruuid, overrides?: Partial<T>): T;
}

/**
 * `open` returns a fresh, empty store each time; the suite closes it. `openNew`: one whose tables have never had rows, for what
 * goes by their size.
 */
export function describeStoreContract(name: string, open: () => Promise<Store>, openNew = open): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    let org: Ruuid;
    let otherOrg: Ruuid;

    beforeEach(async () => {
      store = await open();
      org = newRuuid();
      otherOrg = newRuuid();
      await store.organizations.save(sampleOrganization({ uuid: org, createdAtMs: 1 }));
      await store.organizations.save(sampleOrganization({ uuid: otherOrg, createdAtMs: 2 }));
    });
    afterEach(() => store.close());

    const context = { store: () => store, org: () => org, otherOrg: () => otherOrg };
    describeOrgRepository(context, {
      kind: 'apiKey',
      repository: (s) => s.apiKeys,
      make: sampleApiKey,
    });
    describeOrgRepository(context, {
      kind: 'person',
      repository: (s) => s.people,
      make: samplePerson,
    });
    describeOrgRepository(context, {
      kind: 'location',
      repository: (s) => s.locations,
      make: sampleLocation,
    });
    describeOrgRepository(context, { kind: 'nvr', repository: (s) => s.nvrs, make: sampleNvr });
    describeOrgRepository(context, { kind: 'camera', repository: (s) => s.cameras, make: sampleCamera });
    describeOrgRepository(context, { kind: 'share', repository: (s) => s.shares, make: sampleShare });
    describeOrgRepository(context, {
      kind: 'schedule',
      repository: (s) => s.schedules,
      make: sampleWeeklySchedule,
    });
    describeOrgRepository(context, {
      kind: 'videoWall',
      repository: (s) => s.videoWalls,
      make: sampleVideoWall,
    });
    describeOrganizations(context);
    describeShares(context);
    describeSchedules(context);
    describeReferences(context);
    describeLedger(context);
    describeClusterLeases(context);
    describeChanges(context);
    describeRecordChanges(context);
    describeGatewayRuns(context);
    describeLeases(context);
    describeResources(context);
    describeOAuth(context);
    describePeople(context);
    describePasskeys(context);
    describe('room for shares and schedules', () => {
      const room = (atMost: number) => ({ atMost, full: () => new Error('full') });

      it('is exact, of each organization', async () => {
        const [camera, others] = [org, otherOrg].map((orgUuid) =>
          sampleCamera(orgUuid, { locationUuid: null, nvrUuid: null }),
        );
        for (const each of [camera!, others!]) await store.cameras.save(each);
        const share = (of: NonNullable<typeof camera>) =>
          sampleShare(of.orgUuid, { uuid: newRuuid(), cameraUuid: of.uuid, scheduleUuid: null });
        const added = await Promise.allSettled(
          Array.from({ length: 5 }, () => store.shares.add(share(camera!), room(3))),
        );
        expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
        await store.shares.add(share(others!), room(3));
        const schedule = (orgUuid: Ruuid) => sampleWeeklySchedule(orgUuid, { uuid: newRuuid() });
        await store.schedules.add(schedule(org), room(1));
        await expect(store.schedules.add(schedule(org), room(1))).rejects.toThrow('full');
        await store.schedules.add(schedule(otherOrg), room(1));
        const counts = [await store.shares.list(org), await store.schedules.list(org)].map((l) => l.length);
        expect(counts).toEqual([3, 1]);
      });
    });
    describeStoredUse({ store: () => store, org: () => org, otherOrg: () => otherOrg });
    describeCrossings(context);
    describeLatestOccupancy(context);
    describeAudit(context);
    describeScopes(context);
    describeEndedViews(context);
    describeRecordings(() => store);
    describeRecordingBlocks(() => store);
    describeRecordingHolds(() => store);
    describeSigningCertificates(() => store);
    describeWallShares(context);
    describeUploads(() => store);
    describeLifecycle(context, openNew);
  });
}

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

function describeOrgRepository<T extends { readonly uuid: Ruuid; readonly name: string }>(
  context: Context,
  { kind, repository, make }: RepositoryCase<T>,
): void {
  describe(`${kind}s`, () => {
    const named = (orgUuid: Ruuid, overrides: object) => make(orgUuid, overrides as Partial<T>);

    it('returns what was saved, field by field', async () => {
      const entity = make(context.org());
      await repository(context.store()).save(entity);
      expect(await repository(context.store()).find(context.org(), entity.uuid)).toEqual(entity);
    });

    it('replaces by uuid', async () => {
      const entity = make(context.org());
      const renamed = { ...entity, name: "Ren'amed; 漢字 \u0000?" };
      await repository(context.store()).save(entity);
      await repository(context.store()).save(renamed);
      expect(await repository(context.store()).list(context.org())).toEqual([renamed]);
    });

    it("lists in creation order, never another organization's", async () => {
      const late = named(context.org(), { createdAtMs: 3_000 });
      const early = named(context.org(), { createdAtMs: 1_000 });
      const foreign = named(context.otherOrg(), { createdAtMs: 2_000 });
      for (const entity of [late, foreign, early]) await repository(context.store()).save(entity);
      expect(await repository(context.store()).list(context.org())).toEqual([early, late]);
      const everywhere = await repository(context.store()).listEverywhere();
      expect(new Set(everywhere.map((entity) => entity.uuid))).toEqual(
        new Set([early.uuid, late.uuid, foreign.uuid]),
      );
    });

    it("does not find, remove or take over another organization's", async () => {
      const entity = make(context.org());
      await repository(context.store()).save(entity);
      const stolen = named(context.otherOrg(), { uuid: entity.uuid, name: 'stolen' });
      expect(await repository(context.store()).find(context.otherOrg(), entity.uuid)).toBeNull();
      expect(await repository(context.store()).remove(context.otherOrg(), entity.uuid)).toBe(false);
      await expect(repository(context.store()).save(stolen)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'STORE_OTHER_ORG',
      });
      expect(await repository(context.store()).find(context.org(), entity.uuid)).toEqual(entity);
    });

    it('removes once', async () => {
      const entity = make(context.org());
      await repository(context.store()).save(entity);
      expect(await repository(context.store()).remove(context.org(), entity.uuid)).toBe(true);
      expect(await repository(context.store()).remove(context.org(), entity.uuid)).toBe(false);
      expect(await repository(context.store()).find(context.org(), entity.uuid)).toBeNull();
    });

    it('refuses an organization that does not exist', async () => {
      await expect(repository(context.store()).save(make(newRuuid()))).rejects.toMatchObject({
        code: 'STORE_REFERENCE',
      });
    });
  });
}

function describeShares({ store, org, otherOrg }: Context): void {
  describe('shares of a camera, of a schedule', () => {
    it('lists only those of this organization', async () => {
      const cameraUuid = newRuuid();
      const scheduleUuid = newRuuid();
      const first = sampleShare(org(), { cameraUuid, scheduleUuid, createdAtMs: 1 });
      const second = sampleShare(org(), { cameraUuid, createdAtMs: 2 });
      const third = sampleShare(org(), { scheduleUuid, createdAtMs: 3 });
      const foreign = sampleShare(otherOrg(), { cameraUuid, scheduleUuid });
      for (const share of [third, foreign, second, first]) await store().shares.save(share);
      expect(await store().shares.listByCamera(org(), cameraUuid)).toEqual([first, second]);
      expect(await store().shares.listBySchedule(org(), scheduleUuid)).toEqual([first, third]);
      expect(await store().shares.listByCamera(org(), newRuuid())).toEqual([]);
    });

    it('keeps every null and every large number', async () => {
      const share: Share = sampleShare(org(), {
        audioGatewayUuid: `${newRuuid()}.a0`,
        expiresAtSec: null,
        passwordHash: null,
        cameraFacet: '',
        invertSchedule: true,
        ssoProtected: true,
        cdn: true,
        vodEnabled: true,
        vodPastSec: 34_560_000,
        vodExpiresAtSec: 2_147_483_647,
        includeAudio: false,
        talk: true,
        streamType: 'RAPIDSOS',
        accessEpoch: 2 ** 40,
        updatedAtMs: Number.MAX_SAFE_INTEGER,
      });
      await store().shares.save(share);
      expect(await store().shares.find(org(), share.uuid)).toEqual(share);
    });
  });
}

function describeSchedules({ store, org, otherOrg }: Context): void {
  describe('removing unused schedules', () => {
    it('keeps intervals of both strategies', async () => {
      const absolute = sampleAbsoluteSchedule(org());
      await store().schedules.save(absolute);
      expect(await store().schedules.find(org(), absolute.uuid)).toEqual(absolute);
    });

    it('refuses while shares use it and names them', async () => {
      const schedule = sampleWeeklySchedule(org());
      const share = sampleShare(org(), { scheduleUuid: schedule.uuid });
      await store().schedules.save(schedule);
      await store().shares.save(share);
      const events = recordChanges(store());
      expect(await store().schedules.removeUnused(org(), schedule.uuid)).toEqual({
        removed: false,
        usedBy: [share],
      });
      expect(await store().schedules.find(org(), schedule.uuid)).toEqual(schedule);
      expect(events).toEqual([]);
    });

    it('removes it if nothing uses it', async () => {
      const schedule = sampleWeeklySchedule(org());
      await store().schedules.save(schedule);
      await store().shares.save(sampleShare(otherOrg(), { scheduleUuid: schedule.uuid }));
      const events = recordChanges(store());
      expect(await store().schedules.removeUnused(otherOrg(), schedule.uuid)).toMatchObject({
        removed: false,
      });
      expect(await store().schedules.removeUnused(org(), schedule.uuid)).toEqual({
        removed: true,
        usedBy: [],
      });
      expect(await store().schedules.removeUnused(org(), schedule.uuid)).toEqual({
        removed: false,
        usedBy: [],
      });
      expect(events).toMatchObject([
        { entity: 'schedule', type: 'DELETE', orgUuid: org(), uuid: schedule.uuid },
      ]);
    });
  });
}

function describeReferences({ store, org, otherOrg }: Context): void {
  describe('references between entities', () => {
    it('keeps cameras, NVRs and locations of one organization together', async () => {
      const location = sampleLocation(org());
      const nvr = sampleNvr(org(), { locationUuid: location.uuid });
      const camera = sampleCamera(org(), { locationUuid: location.uuid, nvrUuid: nvr.uuid });
      await store().locations.save(location);
      await store().nvrs.save(nvr);
      await store().cameras.save(camera);
      expect(await store().cameras.find(org(), camera.uuid)).toEqual(camera);
      const trespasser = sampleCamera(otherOrg(), { nvrUuid: nvr.uuid });
      await expect(store().cameras.save(trespasser)).rejects.toMatchObject({ code: 'STORE_REFERENCE' });
      await expect(store().locations.remove(org(), location.uuid)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'STORE_REFERENCE',
      });
    });

    it('lists shares that expired before a time, the earliest first', async () => {
      const share = (expiresAtSec: number | null, orgUuid = org()) => sampleShare(orgUuid, { expiresAtSec });
      const shares = [share(30), share(null), share(10), share(20), share(5, otherOrg())];
      for (const each of shares) await store().shares.save(each);
      const expired = async (beforeSec: number, limit: number) =>
        (await store().shares.listExpired(org(), beforeSec, limit)).map(({ expiresAtSec }) => expiresAtSec);
      expect(await expired(30, 9)).toEqual([10, 20]);
      expect(await expired(31, 2)).toEqual([10, 20]);
    });

    it('lists cameras without their URLs', async () => {
      const late = sampleCamera(org(), { createdAtMs: 3_000 });
      const early = sampleCamera(org(), { createdAtMs: 1_000, mummified: true });
      for (const camera of [late, sampleCamera(otherOrg()), early]) await store().cameras.save(camera);
      const expected = [early, late].map(
        ({ rtspUrl: _main, substreamUrl: _sub, onvifUrl: _onvif, ...record }) => record,
      );
      expect(await store().cameras.listRecords(org())).toEqual(expected);
      expect(await (await store().cameras.records(org())).toArray()).toEqual(expected);
    });

    it('lists many shares newest first, those of one instant in uuid order', async () => {
      const shares = Array.from({ length: 200 }, (_, index) =>
        sampleShare(org(), { createdAtMs: 1_000 + (index >> 1) }),
      );
      for (const share of [...shares, sampleShare(otherOrg())]) await store().shares.save(share);
      const newestFirst = shares.toSorted(
        (a, b) => b.createdAtMs - a.createdAtMs || (a.uuid < b.uuid ? -1 : 1),
      );
      expect(await (await store().shares.listNewestFirst(org(), 100_000)).toArray()).toEqual(newestFirst);
      expect(await (await store().shares.listNewestFirst(org(), 2)).toArray()).toEqual(
        newestFirst.slice(0, 2),
      );
    });

    it('keeps the shares of a camera that was removed', async () => {
      const camera = sampleCamera(org(), { substreamUrl: null, onvifUrl: null });
      const share = sampleShare(org(), { cameraUuid: camera.uuid });
      await store().cameras.save(camera);
      await store().shares.save(share);
      expect(await store().cameras.remove(org(), camera.uuid)).toBe(true);
      expect(await store().shares.list(org())).toEqual([share]);
    });
  });
}

function describeLedger({ store }: Context): void {
  describe('stream ledger', () => {
    it('has one entry per camera and rendition', async () => {
      const cameraUuid = newRuuid();
      const main: StreamLedgerEntry = {
        cameraUuid,
        rendition: 'main',
        nextMediaSequenceNumber: 100,
        nextDiscontinuitySequence: 1,
        initFingerprint: null,
      };
      const sub: StreamLedgerEntry = { ...main, rendition: 'sub-silent', initFingerprint: 'ab12' };
      const raised = { ...main, nextMediaSequenceNumber: 200 };
      for (const entry of [main, sub, raised]) await store().streamLedger.save(entry);
      expect(await store().streamLedger.find(cameraUuid, 'main')).toEqual(raised);
      expect(await store().streamLedger.find(cameraUuid, 'sub-silent')).toEqual(sub);
      expect(await store().streamLedger.find(cameraUuid, 'sub')).toBeNull();
    });
  });
}

function describeChanges({ store, org, otherOrg }: Context): void {
  describe('change events', () => {
    it('reports creation, change and removal, and nothing that failed', async () => {
      const events = recordChanges(store());
      const share = sampleShare(org());
      await store().shares.save(share);
      await store().shares.save({ ...share, name: 'Gate' });
      await expect(store().shares.save({ ...share, orgUuid: otherOrg() })).rejects.toThrow();
      await store().shares.remove(otherOrg(), share.uuid);
      await store().shares.remove(org(), share.uuid);
      expect(events).toEqual(
        ['CREATE', 'UPDATE', 'DELETE'].map((type, index) => ({
          entity: 'share',
          type,
          orgUuid: org(),
          uuid: share.uuid,
          details: {
            deviceUuid: share.cameraUuid,
            fields: {
              name: index === 0 ? share.name : 'Gate',
              streamType: share.streamType,
              scheduleUuid: share.scheduleUuid,
              expirationTimeSecs: share.expiresAtSec,
              passwordProtected: share.passwordHash !== null,
            },
          },
        })),
      );
    });

    it('arrives in commit order, before the call that caused it resolves', async () => {
      const shares = Array.from({ length: 50 }, () => sampleShare(org()));
      const cameras = shares.map(() => sampleCamera(org()));
      const seen: string[] = [];
      store().onChange((event) => seen.push(event.uuid));
      const resolved: boolean[] = [];
      await Promise.all(
        shares.map(async (share, i) => {
          const camera = cameras[i]!;
          const saves = [store().shares.save(share), store().cameras.save(camera)];
          await Promise.all(saves);
          resolved.push(seen.includes(share.uuid) && seen.includes(camera.uuid));
        }),
      );
      expect(seen).toEqual(shares.flatMap((share, i) => [share.uuid, cameras[i]!.uuid]));
      expect(resolved).toEqual(shares.map(() => true));
    });

    it('ends with the subscription', async () => {
      const events: ChangeEvent[] = [];
      const unsubscribe = store().onChange((event) => events.push(event));
      unsubscribe();
      await store().organizations.save(sampleOrganization());
      expect(events).toEqual([]);
    });
  });
}

function describeLifecycle({ store, org }: Context, openNew: () => Promise<Store>): void {
  describe('life cycle', () => {
    it('says how large it is, and grows', async () => {
      const fresh = await openNew();
      const organization = sampleOrganization();
      await fresh.organizations.save(organization);
      const before = await fresh.sizeBytes();
      expect(before).toBeGreaterThan(10_000);
      const names = Array.from({ length: 300 }, () => ({ name: 'x'.repeat(250) }));
      for (const name of names) await fresh.shares.save(sampleShare(organization.uuid, name));
      expect(await fresh.sizeBytes()).toBeGreaterThan(before);
      await fresh.close();
    });

    it('responds to a ping while open; finishes what is waiting, then refuses', async () => {
      await store().ping();
      await store().checkWriting();
      await store().checkWriting();
      const saved = store().shares.save(sampleShare(org()));
      const closed = store().close();
      await expect(store().ping()).rejects.toMatchObject({ kind: 'unavailable', code: 'STORE_CLOSED' });
      await saved;
      await closed;
      await expect(store().shares.list(org())).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await store().close();
    });

    it('refuses more requests than its queue holds, and recovers', async () => {
      const requested = Array.from({ length: 6_000 }, () => store().ping());
      const outcomes = await Promise.allSettled(requested);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      for (const { reason } of refused) {
        expect(reason).toMatchObject({ kind: 'unavailable', code: 'STORE_BUSY' });
      }
      await store().ping();
    });
  });
}

function recordChanges(store: Store): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  store.onChange((event) => events.push(event));
  return events;
}
