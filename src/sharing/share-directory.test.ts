import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { DEFAULT_TIME_ZONE } from '../store/camera-time-zone.ts';
import type { Share } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleShare,
  sampleWeeklySchedule,
} from '../store/sample-entities-fixture.ts';
import { ShareDirectory } from './share-directory.ts';
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
  it('knows the store’s content from the start', async () => {
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

  it('finds changes without a notification', async () => {
    const [kept, revoked, renamed] = [makeShare(), makeShare(), makeShare()];
    for (const share of [kept, revoked, renamed]) await fixture.store.shares.save(share);
    const { store, clock } = fixture;
    const deaf = { ...store, onChange: () => () => undefined };
    const directory = await ShareDirectory.open({ store: deaf, clock, log: silentLog });
    const added = makeShare();
    await store.shares.remove(fixture.orgUuid, revoked.uuid);
    await store.shares.save({ ...renamed, name: 'Renamed' });
    await store.shares.save(added);
    const told = new Set<Ruuid>();
    directory.onChange((uuid) => told.add(uuid));
    await directory.refresh();
    expect([...told]).toEqual(expect.arrayContaining([revoked.uuid, renamed.uuid, added.uuid]));
    expect([kept, revoked, renamed, added].map(({ uuid }) => directory.find(uuid)?.share.name)).toEqual([
      kept.name,
      undefined,
      'Renamed',
      added.name,
    ]);
    directory.close();
  });

  it('finds the time zone of the camera, otherwise of its NVR, otherwise UTC', async () => {
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

  it('does not apply a schedule of another organization', () => {
    const schedule = sampleWeeklySchedule(newRuuid());
    const share = makeShare({ scheduleUuid: schedule.uuid });
    fixture.directory.applied({ kind: 'schedule', uuid: schedule.uuid, record: schedule });
    fixture.directory.applied({ kind: 'share', uuid: share.uuid, record: share });
    expect(fixture.directory.find(share.uuid)?.schedule).toBeNull();
  });

  it.each(['location', 'NVR', 'camera', 'schedule'] as const)(
    'evaluates the many shares of a %s in slices, and those of others meanwhile',
    async (kind) => {
      const { store, orgUuid, directory } = fixture;
      const location = sampleLocation(orgUuid, { tz: 'Europe/Berlin' });
      const nvr = sampleNvr(orgUuid, { locationUuid: location.uuid });
      const camera = sampleCamera(orgUuid, { locationUuid: null, nvrUuid: nvr.uuid });
      const schedule = sampleWeeklySchedule(orgUuid);
      await store.locations.save(location);
      await store.nvrs.save(nvr);
      await store.cameras.save(camera);
      await store.schedules.save(schedule);
      await directory.settled();
      const many = Array.from({ length: 500 }, () =>
        makeShare({ uuid: newRuuid(), cameraUuid: camera.uuid, scheduleUuid: schedule.uuid }),
      );
      for (const share of many) directory.applied({ kind: 'share', uuid: share.uuid, record: share });
      const bystander = makeShare({ uuid: newRuuid() });
      const perTurn = [0];
      const count = () => {
        perTurn.push(0);
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      const stop = directory.onChange(() => perTurn.push(perTurn.pop()! + 1));
      const elsewhere = sampleLocation(orgUuid, { uuid: location.uuid, tz: 'Asia/Tokyo' });
      const changes = {
        location: () => store.locations.save(elsewhere),
        NVR: () => store.nvrs.save({ ...nvr, locationUuid: fixture.camera.locationUuid }),
        camera: () => store.cameras.save({ ...camera, locationUuid: fixture.camera.locationUuid }),
        schedule: async () =>
          directory.applied({
            kind: 'schedule',
            uuid: schedule.uuid,
            record: { ...schedule, name: 'Changed' },
          }),
      };
      await changes[kind]();
      directory.applied({ kind: 'share', uuid: bystander.uuid, record: bystander });
      expect(directory.find(bystander.uuid)?.share).toBe(bystander);
      await directory.settled();
      stop();
      clearImmediate(turn);
      expect(perTurn.reduce((a, b) => a + b)).toBe(501);
      expect(Math.max(...perTurn)).toBeLessThanOrEqual(STEPS_PER_SLICE + 1);
      const view = directory.find(many.at(-1)!.uuid);
      expect(kind === 'schedule' ? view?.schedule?.name : view?.timeZone).toBe(
        { location: 'Asia/Tokyo', NVR: 'America/New_York', camera: 'America/New_York', schedule: 'Changed' }[
          kind
        ],
      );
    },
  );

  it('says nothing when nothing changed', () => {
    const share = makeShare();
    const changed: Ruuid[] = [];
    fixture.directory.onChange((uuid) => changed.push(uuid));
    fixture.directory.applied({ kind: 'share', uuid: share.uuid, record: share });
    fixture.directory.applied({ kind: 'share', uuid: share.uuid, record: share });
    const schedule = sampleWeeklySchedule(fixture.orgUuid);
    fixture.directory.applied({ kind: 'schedule', uuid: schedule.uuid, record: schedule });
    fixture.directory.applied({ kind: 'share', uuid: newRuuid(), record: null });
    expect(changed).toEqual([share.uuid]);
  });
});
