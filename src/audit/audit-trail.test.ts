import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { AuditEvent } from '../store/audit.ts';
import type { Share } from '../store/entities.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import { sampleCamera, sampleOrganization, sampleShare } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import type { StoredImportance } from '../store/stored-importance.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { AuditTrail, GROWTH_INTERVAL_MS, VIEWINGS_PAUSE_MS } from './audit-trail.ts';

const MAX_ROWS = 700;
const VIEWER = { address: '192.0.2.7', userAgent: 'browser' };
const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, includeActions: null, excludeActions: [] };

let clock: FakeClock;
let store: Store;
let trail: AuditTrail;
let share: Share;
let logged: string[];
/** The writes that the trail requested. */
let importances: (StoredImportance | undefined)[];
let isDiskFull: boolean;

beforeEach(async () => {
  clock = new FakeClock();
  [logged, importances, isDiskFull] = [[], [], false];
  store = await openTestStore(clock);
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const camera = sampleCamera(organization.uuid);
  await store.cameras.save(camera);
  share = sampleShare(organization.uuid, { cameraUuid: camera.uuid, scheduleUuid: null, name: 'Gate' });
  await store.shares.save(share);
  const { audit } = store;
  const full = () => Promise.reject(new GatewayError(STORE_ERRORS.STORE_DISK_FULL));
  const watched: Store['audit'] = {
    add(events, importance) {
      if (events.length > 0) importances.push(importance);
      return isDiskFull && importance !== 'vital' && events.length > 0
        ? full()
        : audit.add(events, importance);
    },
    repeat: (rows) => (isDiskFull ? full() : audit.repeat(rows)),
    list: (orgUuid, query) => audit.list(orgUuid, query),
    removeBefore: (orgUuid, beforeMs, limit) => audit.removeBefore(orgUuid, beforeMs, limit),
    removeExcess: (orgUuid, maxRows, limit) => audit.removeExcess(orgUuid, maxRows, limit),
    lastFootageOf: (orgUuid, targetUuid) => audit.lastFootageOf(orgUuid, targetUuid),
    lastNameOf: (orgUuid, targetUuid) => audit.lastNameOf(orgUuid, targetUuid),
    lastViewed: (orgUuid, targetUuids) => audit.lastViewed(orgUuid, targetUuids),
    creatorsOf: (orgUuid, targetUuids) => audit.creatorsOf(orgUuid, targetUuids),
    creators: (orgUuid) => audit.creators(orgUuid),
    createdBy: (orgUuid, principalUuid) => audit.createdBy(orgUuid, principalUuid),
  };
  const log = { ...silentLog, error: (_fields: object, message: string) => void logged.push(message) };
  trail = new AuditTrail({ store: { ...store, audit: watched }, clock, log, maxRows: MAX_ROWS });
});
afterEach(async () => {
  await trail.close();
  await store.close();
});

const rows = (limit = 1_000): Promise<AuditEvent[]> =>
  store.audit.list(share.orgUuid, { ...everything, limit });
const leaving = () => {
  const { orgUuid, uuid: shareUuid, cameraUuid } = share;
  return { orgUuid, shareUuid, cameraUuid, address: VIEWER.address };
};

describe('AuditTrail', () => {
  it('merges 97,000 openings and departures into two rows, which say so', async () => {
    for (let i = 0; i < 97_000; i++) {
      trail.shareOpened(share, VIEWER);
      trail.viewerLeft(leaving());
    }
    await trail.settled();
    const repeated = { occurrences: 97_000, lastAtMs: clock.epochMs() };
    const principal = { type: 'SHARED_STREAM', name: 'Gate', sourceIp: VIEWER.address };
    expect(await rows()).toHaveLength(2);
    expect(await rows()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'VIEW_SHARE_STREAM', targetName: 'Gate', repeated }),
        expect.objectContaining({
          action: 'VIEW_SHARE_STREAM_END',
          principal: expect.objectContaining(principal),
          repeated,
        }),
      ]),
    );
  });

  it('records who sees shared files, by their kind', async () => {
    const group = { uuid: newRuuid(), orgUuid: share.orgUuid, name: 'Tuesday' };
    for (const kind of ['clip', 'timelapse'] as const) {
      for (let i = 0; i < 3; i++) trail.groupOpened({ ...group, body: { kind } }, VIEWER);
    }
    await trail.settled();
    const seen = (await rows()).map(({ action, targetName, principal, repeated }) => [
      action,
      targetName,
      principal.type,
      repeated?.occurrences,
    ]);
    expect(seen.sort()).toEqual([
      ['VIEW_SHARE_CLIP', 'Tuesday', 'SHARED_CLIP', 3],
      ['VIEW_SHARE_TIMELAPSE', 'Tuesday', 'SHARED_TIMELAPSE', 3],
    ]);
  });

  it('records who watches a camera without a share, each key in rows of its own', async () => {
    const camera = { uuid: newRuuid(), orgUuid: share.orgUuid, name: 'Lobby' };
    const keys = ['panel', 'puller'].map((name) => ({ uuid: newRuuid(), name, scheme: 'api' as const }));
    for (const key of [...keys, ...keys]) {
      trail.deviceOpened(camera, key, VIEWER);
      trail.deviceOpened(camera, key, VIEWER, 'VIEW_CAMERA_VOD');
      trail.deviceLeft(camera, key, VIEWER.address);
    }
    trail.deviceLeft(camera, null, VIEWER.address);
    await trail.settled();
    const written = (await rows()).map(({ action, principal, targetName, repeated }) => [
      action,
      principal.type,
      principal.name,
      targetName,
      repeated?.occurrences ?? 1,
    ]);
    expect(written.sort()).toEqual([
      ['VIEW_CAMERA_LIVE', 'API_TOKEN', 'panel', 'Lobby', 2],
      ['VIEW_CAMERA_LIVE', 'API_TOKEN', 'puller', 'Lobby', 2],
      ['VIEW_CAMERA_LIVE_END', 'API_TOKEN', 'panel', 'Lobby', 2],
      ['VIEW_CAMERA_LIVE_END', 'API_TOKEN', 'puller', 'Lobby', 2],
      ['VIEW_CAMERA_LIVE_END', 'UNKNOWN', '', 'Lobby', 1],
      ['VIEW_CAMERA_VOD', 'API_TOKEN', 'panel', 'Lobby', 2],
      ['VIEW_CAMERA_VOD', 'API_TOKEN', 'puller', 'Lobby', 2],
    ]);
  });

  it('writes on its own, after a while, what a row covers', async () => {
    trail.shareOpened(share, VIEWER);
    await trail.settled();
    trail.shareOpened(share, VIEWER);
    clock.advance(GROWTH_INTERVAL_MS);
    await eventually('the row is written', async () => (await rows())[0]?.repeated?.occurrences === 2);
  });

  it('is trimmed while it grows: views are removed before changes', async () => {
    await store.shares.save({ ...share, name: 'Dock' });
    for (let i = 0; i < 1_500; i++) {
      clock.advance(1);
      trail.shareOpened(share, { ...VIEWER, address: `10.0.${i >> 8}.${i & 255}` });
    }
    await trail.settled();
    const kept = await rows(2_000);
    expect(kept.length).toBeLessThanOrEqual(MAX_ROWS + 500);
    expect(kept.map(({ action }) => action)).toContain('SHARED_LIVE_VIDEO_STREAM_UPDATE');
    expect(kept[0]!.principal.sourceIp).toBe('10.0.5.219');
  });

  it('loses nothing of one organization in a flood of another', async () => {
    const neighbor = sampleOrganization();
    await store.organizations.save(neighbor);
    await trail.settled();
    for (let i = 0; i < 25_000; i++) trail.gatewayOperated(neighbor.uuid, 'GATEWAY_CONFIG_RELOAD');
    await store.shares.remove(share.orgUuid, share.uuid);
    await trail.settled();
    expect((await rows()).map(({ action }) => action)).toContain('SHARED_LIVE_VIDEO_STREAM_DELETE');
    expect(logged).toEqual(['audit rows lost in a flood']);
  });

  it('on a full disk leaves out views first, writes changes, and continues when there is room', async () => {
    isDiskFull = true;
    trail.shareOpened(share, VIEWER);
    await trail.settled();
    for (let i = 0; i < 50; i++) trail.shareOpened(share, { ...VIEWER, address: `192.0.2.${i}` });
    await store.shares.remove(share.orgUuid, share.uuid);
    await trail.settled();
    expect((await rows()).map(({ action }) => action)).toEqual(['SHARED_LIVE_VIDEO_STREAM_DELETE']);
    expect(importances).toEqual([undefined, 'vital']);
    expect(logged).toEqual(['views not recorded for now']);
    isDiskFull = false;
    clock.advance(VIEWINGS_PAUSE_MS);
    trail.shareOpened({ ...share, uuid: newRuuid() }, VIEWER);
    trail.shareOpened(share, VIEWER);
    await trail.settled();
    expect(await rows()).toHaveLength(3);
  });
});
