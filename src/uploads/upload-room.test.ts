import { describe, expect, it } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Spool } from './spool-protocol.ts';
import { type OnNoRoom, STEP_BYTES, UploadPlace, UploadRoom } from './upload-room.ts';

const LIMITS_OF_ROOM = {
  maxBytes: 2 ** 32,
  atOncePerKey: 4,
  atOnce: 16,
  keepUnfinishedMs: 86_400_000,
  minFreeBytes: 1_000,
};

/** The room of a disk with this many free bytes. */
function roomOf(disk: { freeBytes: number }, onNoRoom?: OnNoRoom): UploadRoom {
  const spool = { call: async () => disk.freeBytes } as unknown as Spool;
  return new UploadRoom(spool, LIMITS_OF_ROOM, onNoRoom);
}

function key(orgUuid: Ruuid) {
  return { orgUuid, keyUuid: newRuuid() };
}

describe('places of announced uploads', () => {
  it('are shared out among organizations and keys', () => {
    const room = roomOf({ freeBytes: 0 });
    const [greedy, modest] = [newRuuid(), newRuuid()];
    const { total, levels } = LIMITS.announcedUploads;
    const enterAll = (uploader = key(greedy)): number => {
      for (let count = 0; ; count++) if (!(room.enter(uploader) instanceof UploadPlace)) return count;
    };
    expect(enterAll()).toBe(levels.credential.max);
    let ofGreedy = levels.credential.max;
    for (let keys = 0; keys < 100; keys++) ofGreedy += enterAll();
    expect(ofGreedy).toBe(total / 2);
    expect(room.enter(key(greedy))).toEqual({ isTaken: false, level: 'organization' });
    expect(enterAll(key(modest))).toBe(levels.credential.max);
  });

  it('are given back once, and restored whatever room there is', () => {
    const room = roomOf({ freeBytes: 0 });
    const uploader = key(newRuuid());
    const { max } = LIMITS.announcedUploads.levels.credential;
    const places = Array.from({ length: max + 1 }, () => room.restore(uploader));
    expect(room.enter(uploader)).toMatchObject({ level: 'credential' });
    for (const place of places.slice(0, 2)) for (let i = 0; i < 2; i++) place.leave();
    for (let i = 0; i < 2; i++) expect(room.enter(uploader)).toBeInstanceOf(UploadPlace);
    expect(room.enter(uploader)).toMatchObject({ level: 'credential' });
  });
});

describe('room on the disk', () => {
  it('is made for what has arrived and a step ahead, twice', async () => {
    const disk = { freeBytes: 8 * STEP_BYTES + 1_000 };
    const room = roomOf(disk);
    const place = room.restore(key(newRuuid()));
    const byteLength = 10 * STEP_BYTES;
    await room.reserve(place, 1, byteLength);
    expect(place.reservedBytes).toBe(STEP_BYTES);
    await room.reserve(place, STEP_BYTES, byteLength);
    expect(place.reservedBytes).toBe(STEP_BYTES);
    place.arrivedBytes = STEP_BYTES;
    disk.freeBytes -= STEP_BYTES;
    await room.reserve(place, STEP_BYTES + 1, byteLength);
    expect(place.reservedBytes).toBe(2 * STEP_BYTES);
    // Most of eight steps, which is three steps twice.
    await room.reserve(place, 3 * STEP_BYTES, byteLength);
    await expect(room.reserve(place, 3.25 * STEP_BYTES, byteLength)).rejects.toMatchObject({
      code: 'UPLOAD_NO_ROOM',
      context: { boundOf: 'credential' },
    });
    const other = room.restore(key(newRuuid()));
    await room.reserve(other, 1, STEP_BYTES / 2);
    expect(other.reservedBytes).toBe(STEP_BYTES / 2);
    place.leave();
    await room.reserve(other, 1, STEP_BYTES);
  });

  it('has to be there for a whole file when it is announced, and is not kept for it', async () => {
    const room = roomOf({ freeBytes: 8 * STEP_BYTES + 1_000 });
    const uploader = key(newRuuid());
    for (let count = 0; count < 11; count++) await room.expectFits(uploader, 4 * STEP_BYTES);
    await expect(room.expectFits(uploader, 4 * STEP_BYTES + 1)).rejects.toMatchObject({
      code: 'UPLOAD_NO_ROOM',
    });
  });

  it.each([
    ['a whole file', 0, 0],
    ['what arrives of it', 1.75, 0],
    ['what arrives of it, next to others', 1.75, 1],
  ])(
    'that is missing for %s is asked for, so that the next attempt finds it',
    async (_what, steps, others) => {
      const { minFreeBytes } = LIMITS_OF_ROOM;
      const disk = { freeBytes: minFreeBytes + (steps === 0 ? 1 : 4 + others) * STEP_BYTES };
      const requested: number[] = [];
      const uploader = key(newRuuid());
      const room = roomOf(disk, (orgUuid, byteLength) => {
        expect(orgUuid).toBe(uploader.orgUuid);
        requested.push(byteLength);
      });
      const other = room.restore(key(newRuuid()));
      if (others > 0) await room.reserve(other, 1, STEP_BYTES / 2);
      const place = room.restore(uploader);
      if (steps > 0) await room.reserve(place, 1, 2 * STEP_BYTES);
      const attempt = () =>
        steps === 0
          ? room.expectFits(uploader, STEP_BYTES)
          : room.reserve(place, steps * STEP_BYTES, 2 * STEP_BYTES);
      await expect(attempt()).rejects.toMatchObject({ code: 'UPLOAD_NO_ROOM' });
      expect(requested).toHaveLength(1);
      disk.freeBytes = minFreeBytes + requested[0]! - 1_000;
      await expect(attempt()).rejects.toMatchObject({ code: 'UPLOAD_NO_ROOM' });
      disk.freeBytes = minFreeBytes + requested[0]!;
      await attempt();
    },
  );
});
