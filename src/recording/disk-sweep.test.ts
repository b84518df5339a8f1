import { describe, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { RecordingHead, StoredStream } from '../store/recording.ts';
import { DiskSweep, MAX_ROOM_IN_ADVANCE_BYTES } from './disk-sweep.ts';
import { DiskUses } from './disk-uses.ts';
import type { RecorderCall } from './recorder-protocol.ts';

const FILE_BYTES = 100;
const MIN_FREE_BYTES = 1_000;
const HOUR_MS = 3_600_000;

/** A disk with recordings of two organizations, and copies of clips. */
class SmallDisk {
  readonly files: RecordingHead[] = [];
  readonly clips = new Map<Ruuid, number>();
  readonly evicted: Ruuid[] = [];
  readonly uses = new DiskUses();
  readonly sweep: DiskSweep;
  capacityBytes = MIN_FREE_BYTES;
  /** Its row goes, and its bytes stay. */
  isStuck: (file: RecordingHead) => boolean = () => false;
  stuckBytes = 0;
  /** No one may delete it. */
  isHeld: (file: RecordingHead) => boolean = () => false;
  maxOrganizationBytes: number | null = null;
  readonly #owners = new Map<Ruuid, Ruuid>();

  constructor() {
    const freeBytes = () =>
      this.capacityBytes -
      this.stuckBytes -
      [...this.files.map(({ byteLength }) => byteLength), ...this.clips.values()].reduce((a, b) => a + b, 0);
    this.sweep = new DiskSweep({
      recorder: { call: async (_call: RecorderCall) => freeBytes() as never },
      recordings: {
        oldestOf: async (streams, limit) =>
          this.files
            .filter((file) => !this.isHeld(file) && streams.some((stream) => isOf(file, stream)))
            .sort((a, b) => a.startMs - b.startMs)
            .slice(0, limit),
        byteLength: async (stream, which) =>
          this.files
            .filter((file) => isOf(file, stream) && this.isHeld(file) === (which === 'held'))
            .reduce((sum, { byteLength }) => sum + byteLength, 0),
        isHeld: async (cameraUuid) =>
          this.files.some((file) => file.cameraUuid === cameraUuid && this.isHeld(file)),
      },
      limits: limitsOf(this),
      uses: this.uses,
      others: {
        bytes: async () => new Map(this.clips),
        evict: (orgUuid) => void this.evicted.push(orgUuid),
      },
      log: silentLog,
      isClosed: () => false,
      removeAll: async (files, stuck) => {
        for (const file of files) {
          this.files.splice(this.files.indexOf(file), 1);
          this.uses.removed(file);
          const isStuck = this.isStuck(file);
          if (isStuck) this.stuckBytes += file.byteLength;
          stuck.inRow = isStuck ? stuck.inRow + 1 : 0;
          if (stuck.inRow >= 3) return false;
        }
        return true;
      },
    });
  }

  record(
    orgUuid: Ruuid,
    count: number,
    startMs = 0,
    byteLength = FILE_BYTES,
    stream: StoredStream = { cameraUuid: newRuuid(), rendition: 'main' },
  ): StoredStream {
    this.#owners.set(stream.cameraUuid, orgUuid);
    for (let number = 0; number < count; number++) {
      const at = startMs + number * HOUR_MS;
      this.files.push({ ...stream, number, byteLength, startMs: at, endMs: at + HOUR_MS });
    }
    this.capacityBytes += count * byteLength;
    this.read();
    return stream;
  }

  read(): void {
    this.uses.put(
      [...Map.groupBy(this.files, ({ cameraUuid, rendition }) => `${cameraUuid}/${rendition}`).values()].map(
        (files) => ({
          cameraUuid: files[0]!.cameraUuid,
          rendition: files[0]!.rendition,
          orgUuid: this.#owners.get(files[0]!.cameraUuid) ?? null,
          files: files.length,
          byteLength: files.reduce((sum, { byteLength }) => sum + byteLength, 0),
          startMs: files[0]!.startMs,
        }),
      ),
    );
  }

  startsOf(stream: StoredStream): number[] {
    return this.files.filter((file) => isOf(file, stream)).map(({ startMs }) => startMs / HOUR_MS);
  }
}

/** As they are when they are read. */
function limitsOf(disk: Pick<SmallDisk, 'maxOrganizationBytes'>) {
  return {
    minFreeBytes: MIN_FREE_BYTES,
    get maxOrganizationBytes() {
      return disk.maxOrganizationBytes;
    },
  };
}

function isOf(file: StoredStream, stream: StoredStream): boolean {
  return file.cameraUuid === stream.cameraUuid && file.rendition === stream.rendition;
}

describe('an organization with more than it may have', () => {
  it('loses its oldest recordings, of whichever camera, and no other one does', async () => {
    const disk = new SmallDisk();
    const [own, other] = [newRuuid(), newRuuid()];
    const [first, second] = [disk.record(own, 6), disk.record(own, 6, HOUR_MS / 2)];
    const ofOther = disk.record(other, 5);
    disk.maxOrganizationBytes = 5 * FILE_BYTES;
    await disk.sweep.shrinkOrganizations();
    expect(disk.startsOf(first)).toEqual([4, 5]);
    expect(disk.startsOf(second)).toEqual([3.5, 4.5, 5.5]);
    expect(disk.startsOf(ofOther)).toHaveLength(5);
    await disk.sweep.shrinkOrganizations();
    expect(disk.files).toHaveLength(10);
  });

  it('keeps what is held, and as much again of the rest as it may have', async () => {
    const disk = new SmallDisk();
    const own = newRuuid();
    const [held, kept] = [disk.record(own, 3), disk.record(own, 8, 100 * HOUR_MS)];
    disk.isHeld = ({ cameraUuid, number }) => cameraUuid === held.cameraUuid || number === 2;
    disk.maxOrganizationBytes = 2 * FILE_BYTES;
    // A full disk has found that nothing more of it can be deleted.
    disk.uses.exhausted([held], new Map([[held, 3 * FILE_BYTES]]));
    await disk.sweep.shrinkOrganizations();
    expect(disk.startsOf(held)).toHaveLength(3);
    expect(disk.startsOf(kept)).toEqual([102, 106, 107]);
    disk.maxOrganizationBytes = 0;
    await disk.sweep.shrinkOrganizations();
    expect(disk.startsOf(kept)).toEqual([102]);
  });

  it('waits for the next sweep if files cannot be deleted', async () => {
    const disk = new SmallDisk();
    const stream = disk.record(newRuuid(), 10);
    disk.maxOrganizationBytes = FILE_BYTES;
    disk.isStuck = () => true;
    await disk.sweep.shrinkOrganizations();
    expect(disk.startsOf(stream)).toHaveLength(7);
  });
});

describe('a full disk', () => {
  it('takes from the organization that uses most, its oldest first, whatever times it claims', async () => {
    const disk = new SmallDisk();
    const [modest, greedy] = [newRuuid(), newRuuid()];
    const evidence = disk.record(modest, 3);
    const [first, second] = [
      disk.record(greedy, 5, 1_000 * HOUR_MS),
      disk.record(greedy, 5, 1_002 * HOUR_MS),
    ];
    disk.capacityBytes -= 4 * FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(evidence)).toEqual([0, 1, 2]);
    expect(disk.startsOf(first)).toEqual([1_003, 1_004]);
    expect(disk.startsOf(second)).toEqual([1_003, 1_004, 1_005, 1_006]);
  });

  it('counts both streams of each camera', async () => {
    const disk = new SmallDisk();
    const [one, other] = [newRuuid(), newRuuid()];
    const alone = disk.record(one, 5);
    const main = disk.record(other, 4);
    const sub = disk.record(other, 3, 0, FILE_BYTES, { ...main, rendition: 'sub' });
    disk.capacityBytes -= 2 * FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(alone)).toHaveLength(5);
    expect(disk.startsOf(main).length + disk.startsOf(sub).length).toBe(5);
  });

  it('goes on with the next one when the largest has no more than that', async () => {
    const disk = new SmallDisk();
    const streams = [6, 4, 2].map((count) => disk.record(newRuuid(), count));
    disk.capacityBytes -= 6 * FILE_BYTES;
    await disk.sweep.sweep();
    expect(streams.map((stream) => disk.startsOf(stream).length)).toEqual([2, 2, 2]);
  });

  it('counts copies of clips, and asks for them when there is nothing else to take', async () => {
    const disk = new SmallDisk();
    const [modest, greedy] = [newRuuid(), newRuuid()];
    const evidence = disk.record(modest, 5);
    const own = disk.record(greedy, 2);
    disk.clips.set(greedy, 10 * FILE_BYTES);
    disk.capacityBytes += 7 * FILE_BYTES;
    await disk.sweep.sweep();
    expect([disk.startsOf(evidence).length, disk.startsOf(own).length]).toEqual([5, 0]);
    expect(disk.evicted).toEqual([greedy]);
    // Its clips are deleted: the next one is not needed.
    disk.clips.set(greedy, 9 * FILE_BYTES);
    await disk.sweep.sweep();
    expect(disk.startsOf(evidence)).toHaveLength(5);
    // They cannot be deleted: recording continues at the expense of the next organization.
    disk.capacityBytes -= FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.evicted).toEqual([greedy, greedy]);
    await disk.sweep.sweep();
    expect(disk.startsOf(evidence)).toEqual([1, 2, 3, 4]);
  });

  it('deletes no held file, and counts what an organization holds against it', async () => {
    const disk = new SmallDisk();
    const [modest, holding] = [newRuuid(), newRuuid()];
    const evidence = disk.record(modest, 4);
    const held = disk.record(holding, 8);
    disk.isHeld = ({ cameraUuid, number }) => cameraUuid === held.cameraUuid && number < 6;
    disk.capacityBytes -= 2 * FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(held)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(disk.startsOf(evidence)).toEqual([0, 1, 2, 3]);
    // It records again: the new file is the first to go, before those of the other one.
    disk.record(holding, 1, 2_000 * HOUR_MS);
    disk.capacityBytes -= FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(evidence)).toEqual([0, 1, 2, 3]);
    // Nothing of it is left to delete.
    disk.capacityBytes -= FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(evidence)).toEqual([1, 2, 3]);
    expect(disk.startsOf(held)).toHaveLength(6);
    disk.isHeld = () => true;
    disk.capacityBytes -= FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.files).toHaveLength(9);
  });

  it('goes on behind files that cannot be deleted, and ends after three in a row', async () => {
    const disk = new SmallDisk();
    const own = disk.record(newRuuid(), 20);
    disk.isStuck = ({ number }) => number === 0 || number === 1 || number === 3;
    disk.capacityBytes -= 2 * FILE_BYTES;
    await disk.sweep.sweep();
    // Two files give room.
    expect(disk.startsOf(own)[0]).toBe(5);
    disk.isStuck = () => true;
    disk.capacityBytes -= 10 * FILE_BYTES;
    await disk.sweep.sweep();
    expect(disk.startsOf(own)[0]).toBe(8);
    await disk.sweep.sweep();
    expect(disk.startsOf(own)[0]).toBe(11);
  });

  it('ends when nothing is left, and when rows are gone that were counted', async () => {
    const disk = new SmallDisk();
    disk.record(newRuuid(), 3);
    disk.files.splice(0);
    disk.capacityBytes = 0;
    await disk.sweep.sweep();
    expect(disk.files).toEqual([]);
  });
});

describe('room for an upload', () => {
  it('is made of what its own organization recorded first, if half of that suffices', async () => {
    const disk = new SmallDisk();
    const [modest, greedy] = [newRuuid(), newRuuid()];
    const evidence = disk.record(modest, 3);
    const own = disk.record(greedy, 4, 1_000 * HOUR_MS);
    await disk.sweep.makeRoom(greedy, 2 * FILE_BYTES);
    expect([disk.startsOf(evidence), disk.startsOf(own)]).toEqual([
      [0, 1, 2],
      [1_002, 1_003],
    ]);
    await disk.sweep.makeRoom(greedy, 4 * FILE_BYTES);
    expect([disk.startsOf(evidence), disk.startsOf(own)]).toEqual([
      [0, 1, 2],
      [1_002, 1_003],
    ]);
    await disk.sweep.makeRoom(newRuuid(), FILE_BYTES);
    expect(disk.files).toHaveLength(5);
  });

  it('is made behind files that cannot be deleted, of at most half of what there is', async () => {
    const disk = new SmallDisk();
    const greedy = newRuuid();
    const own = disk.record(greedy, 12);
    disk.isStuck = ({ number }) => number === 0;
    await disk.sweep.makeRoom(greedy, 2 * FILE_BYTES);
    expect(disk.startsOf(own)[0]).toBe(3);
    disk.isStuck = ({ number }) => number % 3 !== 0;
    await disk.sweep.makeRoom(greedy, 5 * FILE_BYTES);
    expect(disk.startsOf(own)[0]).toBe(8);
    disk.isStuck = () => true;
    disk.record(greedy, 20);
    await disk.sweep.makeRoom(greedy, 8 * FILE_BYTES);
    expect(disk.files).toHaveLength(4 + 20 - 3);
  });

  it('is made for a few announcements, until something arrives', async () => {
    const disk = new SmallDisk();
    const greedy = newRuuid();
    const own = disk.record(greedy, 12, 0, MAX_ROOM_IN_ADVANCE_BYTES / 4);
    const announce = () => {
      disk.capacityBytes = MIN_FREE_BYTES + disk.files.length * (MAX_ROOM_IN_ADVANCE_BYTES / 4);
      return disk.sweep.makeRoom(greedy, 1);
    };
    for (let announced = 0; announced < 9; announced++) await announce();
    expect(disk.startsOf(own)).toHaveLength(8);
    disk.sweep.uploaded(greedy, MAX_ROOM_IN_ADVANCE_BYTES / 8);
    for (let announced = 0; announced < 9; announced++) await announce();
    expect(disk.startsOf(own)).toHaveLength(7);
  });
});
