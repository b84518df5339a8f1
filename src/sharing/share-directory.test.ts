import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Location, Share } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleShare,
  sampleWeeklySchedule,
} from '../store/sample-entities.ts';
import type { ChangeEvent } from '../store/store.ts';
import { FollowedTable } from './followed-table.ts';
import { DEFAULT_TIME_ZONE, ShareDirectory } from './share-directory.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

/** Resolves when the directory announces a share. */
const announced = (directory = fixture.directory) =>
  new Promise<Ruuid>((resolve) => {
    const stop = directory.onChange((uuid) => {
      stop();
      resolve(uuid);
    });
  });

const makeShare = (overrides: Partial<Share> = {}) =>
  sampleShare(fixture.orgUuid, { cameraUuid: fixture.camera.uuid, ...overrides });

describe('ShareDirectory', () => {
  it('knows at its start what the store has', async () => {
    const schedule = sampleWeeklySchedule(fixture.orgUuid);
    const share = makeShare({ scheduleUuid: schedule.uuid });
    await fixture.store.schedules.save(schedule);
    await fixture.store.shares.save(share);
    const { store, clock } = fixture;
    const directory = await ShareDirectory.open({ store, clock, log: silentLog });
    expect(directory.find(share.uuid)).toMatchObject({ share, schedule, timeZone: 'America/New_York' });
    expect(directory.size).toBe(1);
    directory.close();
  });

  it('follows what others write to the store', async () => {
    const share = makeShare();
    const created = announced();
    await fixture.store.shares.save(share);
    expect(await created).toBe(share.uuid);
    expect(fixture.directory.find(share.uuid)?.share).toEqual(share);
    const updated = announced();
    await fixture.store.shares.save({ ...share, name: 'Renamed' });
    await updated;
    expect(fixture.directory.find(share.uuid)?.share.name).toBe('Renamed');
    await fixture.store.shares.remove(fixture.orgUuid, share.uuid);
    expect(fixture.directory.find(share.uuid)).toBeUndefined();
  });

  it('finds the time zone of the camera, else of its NVR, else UTC', async () => {
    const london = sampleLocation(fixture.orgUuid, { tz: 'Europe/London' });
    const nvr = sampleNvr(fixture.orgUuid, { locationUuid: london.uuid });
    const ofNvr = sampleCamera(fixture.orgUuid, { nvrUuid: nvr.uuid });
    const nowhere = sampleCamera(fixture.orgUuid);
    await fixture.store.locations.save(london);
    await fixture.store.nvrs.save(nvr);
    await fixture.store.cameras.save(ofNvr);
    await fixture.store.cameras.save(nowhere);
    const shares = [fixture.camera, ofNvr, nowhere].map(({ uuid }) => makeShare({ cameraUuid: uuid }));
    for (const share of shares) await fixture.store.shares.save(share);
    const { store, clock } = fixture;
    const directory = await ShareDirectory.open({ store, clock, log: silentLog });
    const zones = () => shares.map(({ uuid }) => directory.find(uuid)?.timeZone);
    expect(zones()).toEqual(['America/New_York', 'Europe/London', DEFAULT_TIME_ZONE]);
    const moved = announced(directory);
    await fixture.store.locations.save({ ...london, tz: 'Asia/Tokyo' });
    expect(await moved).toBe(shares[1]!.uuid);
    expect(zones()).toEqual(['America/New_York', 'Asia/Tokyo', DEFAULT_TIME_ZONE]);
    directory.close();
  });

  it('does not lend a schedule to another organisation', () => {
    const schedule = sampleWeeklySchedule(newRuuid());
    const share = makeShare({ scheduleUuid: schedule.uuid });
    fixture.directory.putSchedule(schedule);
    fixture.directory.putShare(share);
    expect(fixture.directory.find(share.uuid)?.schedule).toBeNull();
  });

  it('says nothing when nothing changed', () => {
    const share = makeShare();
    const changed: Ruuid[] = [];
    fixture.directory.onChange((uuid) => changed.push(uuid));
    fixture.directory.putShare(share);
    fixture.directory.putShare(share);
    fixture.directory.putSchedule(sampleWeeklySchedule(fixture.orgUuid));
    fixture.directory.removeShare(newRuuid());
    expect(changed).toEqual([share.uuid]);
  });
});

/** Reads that a test answers when it likes. */
class SlowRepository {
  readonly pending: { resolve(row: Location | null): void; reject(error: Error): void }[] = [];
  rows: Location[] = [];

  find(): Promise<Location | null> {
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  }

  async listEverywhere(): Promise<Location[]> {
    return this.rows;
  }
}

describe('FollowedTable', () => {
  const location = sampleLocation(newRuuid(), { tz: 'Europe/Paris' });
  const later = { ...location, tz: 'Europe/Rome' };
  const event = (type: ChangeEvent['type']): ChangeEvent => ({
    entity: 'location',
    type,
    orgUuid: location.orgUuid,
    uuid: location.uuid,
  });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  function follow() {
    const repository = new SlowRepository();
    const clock = new FakeClock();
    const changes: Ruuid[] = [];
    const table = new FollowedTable({
      repository,
      rowOf: ({ tz }: Location) => tz,
      onRow: (uuid) => void changes.push(uuid),
      clock,
      log: silentLog,
    });
    return { repository, clock, changes, table, zone: () => table.get(location.uuid) };
  }

  it('keeps the newest state whatever the order of the answers', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('CREATE'));
    table.follow(event('UPDATE'));
    repository.pending[1]!.resolve(later);
    await settled();
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });

  it('does not bring back what was removed while it was read', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('UPDATE'));
    table.follow(event('DELETE'));
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBeUndefined();
  });

  it('does not overwrite what was put while it was read', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('UPDATE'));
    table.put(later);
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });

  it('trusts an event more than the list that was being read when it came', async () => {
    const { repository, table, zone } = follow();
    repository.rows = [location];
    const loading = table.load();
    table.follow(event('DELETE'));
    await loading;
    expect(zone()).toBeUndefined();
  });

  it('reads again after a failure, and forgets the row while it cannot be read', async () => {
    const { repository, clock, table, zone, changes } = follow();
    table.put(location);
    table.follow(event('UPDATE'));
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(zone()).toBe('Europe/Paris');
      repository.pending[attempt]!.reject(new Error('disk'));
      await settled();
      clock.advance(250);
      await settled();
    }
    expect(zone()).toBeUndefined();
    expect(changes).toHaveLength(2);
    repository.pending[4]!.resolve(later);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });
});
