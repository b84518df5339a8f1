import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SmallDisk } from '../../../test/support/small-disk.ts';
import { until } from '../../../test/support/until.ts';
import { systemClock } from '../../core/clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { openSqliteThread, openStore } from '../open-store.ts';
import { sampleCamera, sampleOrganization, sampleShare } from '../sample-entities-fixture.ts';
import type { Store } from '../store.ts';
import { DiskReserve, RESERVE_STEP_BYTES } from './disk-reserve.ts';
import type { SqliteThread } from './sqlite-thread.ts';

const RESERVE_BYTES = 2 * RESERVE_STEP_BYTES;

let disk: SmallDisk;
let path: string;
beforeEach(async () => {
  disk = await SmallDisk.mount(16);
  path = join(disk.folder, 'reserve');
});
afterEach(() => disk.unmount());

describe('DiskReserve', () => {
  it('gives up its room in steps, and takes it back when there is plenty', () => {
    const reserve = new DiskReserve(path, RESERVE_BYTES);
    expect(reserve.refill()).toBe(true);
    expect([reserve.isWhole, reserve.isGiven]).toEqual([true, false]);
    disk.fill();
    expect(disk.freeBytes()).toBe(0);
    expect(reserve.give()).toBe(true);
    expect(disk.freeBytes()).toBe(RESERVE_STEP_BYTES);
    expect(reserve.give()).toBe(true);
    expect(reserve.give()).toBe(false);
    expect(disk.freeBytes()).toBe(RESERVE_BYTES);
    expect(reserve.refill()).toBe(false);
    expect([reserve.isWhole, reserve.isGiven, statSync(path).size]).toEqual([false, true, 0]);
    disk.free();
    expect(reserve.refill()).toBe(true);
    expect([reserve.isWhole, reserve.isGiven, statSync(path).size]).toEqual([true, false, RESERVE_BYTES]);
  });

  it('that finds no room is created later, and is not in use until then', () => {
    disk.fill();
    const reserve = new DiskReserve(path, RESERVE_BYTES);
    expect(reserve.refill()).toBe(false);
    expect([existsSync(path), reserve.isGiven, reserve.give()]).toEqual([false, false, false]);
  });
});

describe('a database on a full disk', () => {
  const organization = sampleOrganization();
  const camera = sampleCamera(organization.uuid);
  const share = sampleShare(organization.uuid, { cameraUuid: camera.uuid, scheduleUuid: null });
  let thread: SqliteThread;
  let store: Store;
  let states: string[];

  beforeEach(async () => {
    const options = { clock: systemClock, path: join(disk.folder, 'sluice.db') };
    thread = await openSqliteThread({ ...options, reserve: { path, bytes: RESERVE_BYTES } });
    states = [];
    thread.onReserve((state) => states.push(state));
    const port = thread.connect();
    store = await openStore({ ...options, kind: 'sqlite-port', port, fieldKey: Buffer.alloc(32) });
    await store.organizations.save(organization);
    await store.cameras.save(camera);
    await store.shares.save(share);
  });
  afterEach(async () => {
    await store.close();
    await thread.close();
  });

  const audit = (bytes: number) => ({
    uuid: newRuuid(),
    orgUuid: organization.uuid,
    atMs: 1,
    action: 'VIEW_SHARE_STREAM',
    targetUuid: share.uuid,
    principal: { type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null } as const,
    targetName: 'x'.repeat(bytes),
  });
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'stored',
      (thrown: { code: string }) => thrown.code,
    );

  it('stores what is vital, using the reserve, and refuses the rest until there is room', async () => {
    disk.fill();
    // The log may have spare room, so write more than fits.
    for (let i = 0; i < 100 && (await code(store.audit.add([audit(100_000)]))) === 'stored'; i++);
    expect(await code(store.audit.add([audit(100_000)]))).toBe('STORE_DISK_FULL');
    expect(states).toEqual([]);
    expect(await code(store.audit.add([audit(300_000)], 'vital'))).toBe('stored');
    await until('word of the reserve', () => states.length > 0);
    expect(states).toEqual(['given']);
    expect(await code(store.audit.add([audit(10)]))).toBe('STORE_DISK_FULL');
    expect(await code(store.checkWriting())).toBe('STORE_DISK_FULL');
    expect(await store.shares.remove(organization.uuid, share.uuid)).toBe(true);
    expect(await store.shares.find(organization.uuid, share.uuid)).toBeNull();
    disk.free();
    await until('the reserve to be whole', () => states.length === 2);
    expect(states).toEqual(['given', 'whole']);
    expect(statSync(path).size).toBe(RESERVE_BYTES);
    expect(await code(store.audit.add([audit(10)]))).toBe('stored');
  });

  it('refuses what is vital when the reserve is used up, and stays intact', async () => {
    disk.fill();
    for (let i = 0; i < 100 && (await code(store.audit.add([audit(100_000)], 'vital'))) === 'stored'; i++);
    expect(await code(store.audit.add([audit(100_000)], 'vital'))).toBe('STORE_DISK_FULL');
    expect(statSync(path).size).toBe(0);
    expect(await store.shares.find(organization.uuid, share.uuid)).toEqual(share);
  });
});
