/**
 * Makes room on a disk that is nearly full, by thinning and deleting, without letting one organization displace another (disk-uses.ts), and
 * keeps organizations within `recording.maxSizePerOrganization`.
 */

import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingHead, RecordingRepository, StoredStream } from '../store/recording.ts';
import { type DiskUse, type DiskUses, type Owner, usedBy } from './disk-uses.ts';
import { givingOrder } from './giving-order.ts';
import type { Recorder } from './recorder.ts';
import { excessOfDisk, type RetentionLimits } from './retention-rules.ts';

export interface DiskSweepOptions {
  readonly recorder: Pick<Recorder, 'call'>;
  readonly recordings: Pick<RecordingRepository, 'oldestOf' | 'byteLength' | 'isHeld'>;
  readonly limits: Pick<RetentionLimits, 'minFreeBytes' | 'maxOrganizationBytes'>;
  readonly uses: DiskUses;
  readonly others: OtherFiles;
  readonly log: Log;
  readonly isClosed: () => boolean;
  /** False: several in a row could not be deleted, and the rest is not tried now. */
  readonly removeAll: (files: readonly RecordingHead[], stuck: StuckFiles) => Promise<boolean>;
}

/** How many of the last files that were to be deleted are still there, although their rows are gone. */
export interface StuckFiles {
  inRow: number;
}

/** Files on the same disk that are not recordings. */
export interface OtherFiles {
  /** Bytes by organization, as of a moment ago. */
  bytes(): Promise<ReadonlyMap<Ruuid, number>>;
  /** Asks for the organization's oldest to be deleted, in a moment. */
  evict(orgUuid: Ruuid, byteLength: number): void;
}

export const NO_OTHER_FILES: OtherFiles = { bytes: async () => new Map(), evict: () => undefined };

/** Files of a stream that are looked at together. */
const FILES_PER_STEP = 8;
/** Deleting for free room ends at the latest after this many files; the next sweep continues. */
const MAX_DISK_FILES = 1_024;
/** Bytes that announcements alone can delete of their organization's own recordings: an upload that arrives gives them back. */
export const MAX_ROOM_IN_ADVANCE_BYTES = 8 * 1_073_741_824;

export class DiskSweep {
  readonly #options: DiskSweepOptions;
  /** By organization: its use when its other files were asked to go. */
  readonly #requested = new Map<Ruuid, number>();
  /** By organization: room that was made and not filled by uploads. */
  readonly #inAdvance = new Map<Ruuid, number>();

  constructor(options: DiskSweepOptions) {
    this.#options = options;
  }

  /** Deletes what the organizations that use most recorded first, until there is enough room. */
  async sweep(): Promise<void> {
    const { recorder, limits, uses, others, log, isClosed, removeAll } = this.#options;
    const stuck: StuckFiles = { inRow: 0 };
    let otherBytes: ReadonlyMap<Ruuid, number> | null = null;
    for (let deleted = 0; !isClosed() && deleted < MAX_DISK_FILES; ) {
      const freeBytes = await recorder.call({ name: 'freeBytes' });
      if (freeBytes >= limits.minFreeBytes) return;
      otherBytes ??= await others.bytes();
      const [largest, next] = this.#largest(uses.byOwner(otherBytes), limits.minFreeBytes - freeBytes);
      if (largest === 'asked') return;
      if (largest === undefined) {
        log.warn(
          { freeBytes, minFreeBytes: limits.minFreeBytes },
          'disk nearly full, no recording to delete',
        );
        return;
      }
      const files = await this.#oldestOf(largest.streams, FILES_PER_STEP);
      // The rows are the truth: another node may have deleted them. The others are held.
      if (files.length === 0) uses.exhausted(largest.streams, await this.#heldBytes(largest.streams));
      const surplusBytes = next === undefined ? Number.POSITIVE_INFINITY : usedBy(largest) - usedBy(next);
      const most = Math.max(1, countWithin(files, surplusBytes));
      const excess = files.slice(0, Math.min(most, excessOfDisk(files, freeBytes, limits)));
      if (!(await removeAll(excess, stuck))) return;
      deleted += excess.length;
    }
  }

  /**
   * Deletes what the organization itself recorded first, until there is room for `byteLength` more. Deletes nothing if that
   * would take more than half of what it has: then someone else fills the disk.
   */
  async makeRoom(orgUuid: Ruuid, byteLength: number): Promise<void> {
    const { recorder, limits, uses, isClosed, removeAll } = this.#options;
    const own = uses.byOwner(new Map()).find(({ owner }) => owner === orgUuid);
    const missingBytes = limits.minFreeBytes + byteLength - (await recorder.call({ name: 'freeBytes' }));
    if (own === undefined || missingBytes > own.recordedBytes / 2) return;
    const stuck: StuckFiles = { inRow: 0 };
    let madeBytes = 0;
    let takenBytes = 0;
    while (!isClosed() && madeBytes < missingBytes && takenBytes < own.recordedBytes / 2) {
      const [file] = await this.#oldestOf(own.streams, 1);
      const inAdvance = this.#inAdvance.get(orgUuid) ?? 0;
      if (file === undefined || inAdvance + file.byteLength > MAX_ROOM_IN_ADVANCE_BYTES) return;
      this.#inAdvance.set(orgUuid, inAdvance + file.byteLength);
      takenBytes += file.byteLength;
      if (!(await removeAll([file], stuck))) return;
      if (stuck.inRow === 0) madeBytes += file.byteLength;
    }
  }

  /** Deletes what organizations that have more than they may recorded first. What is held does not count, as for a camera. */
  async shrinkOrganizations(): Promise<void> {
    const { limits, uses, isClosed } = this.#options;
    const { maxOrganizationBytes: maxBytes } = limits;
    if (maxBytes === null) return;
    for (const { owner, recordedBytes } of uses.byOwner(new Map())) {
      if (isClosed()) return;
      if (owner === null || recordedBytes <= maxBytes) continue;
      const streams = uses.streams.filter((stream) => uses.ownerOf(stream) === owner);
      let excessBytes = recordedBytes - (await this.#heldBytesOf(streams)) - maxBytes;
      while (excessBytes > 0 && !isClosed()) excessBytes -= await this.#deleteOldest(streams, excessBytes);
    }
  }

  /** The files that go first, of the step of thinning whose turn it is (giving-order.ts). */
  async #oldestOf(streams: readonly StoredStream[], limit: number): Promise<readonly RecordingHead[]> {
    const { recordings, uses } = this.#options;
    for (const step of givingOrder(streams, (stream) => uses.bytesOf(stream))) {
      const oldest = await recordings.oldestOf(step, limit);
      if (oldest.length > 0) return oldest;
    }
    return [];
  }

  /** Returns how much was deleted; infinite: nothing else can be deleted now. */
  async #deleteOldest(streams: readonly StoredStream[], byteLength: number): Promise<number> {
    const { removeAll } = this.#options;
    const oldest = await this.#oldestOf(streams, FILES_PER_STEP);
    const excess = oldest.slice(0, countUntil(oldest, byteLength));
    if (excess.length === 0 || !(await removeAll(excess, { inRow: 0 }))) return Number.POSITIVE_INFINITY;
    return excess.reduce((sum, file) => sum + file.byteLength, 0);
  }

  async #heldBytesOf(streams: readonly StoredStream[]): Promise<number> {
    const { recordings } = this.#options;
    let bytes = 0;
    for (const stream of streams) {
      if (await recordings.isHeld(stream.cameraUuid)) bytes += await recordings.byteLength(stream, 'held');
    }
    return bytes;
  }

  /** Bytes of the streams that no one may delete. */
  async #heldBytes(streams: readonly StoredStream[]): Promise<ReadonlyMap<StoredStream, number>> {
    const bytes = new Map<StoredStream, number>();
    for (const stream of streams) {
      bytes.set(stream, await this.#options.recordings.byteLength(stream, 'held'));
    }
    return bytes;
  }

  /** An upload has become a recording: more room can be made for the organization. */
  uploaded(orgUuid: Ruuid, byteLength: number): void {
    const left = (this.#inAdvance.get(orgUuid) ?? 0) - 2 * byteLength;
    if (left > 0) this.#inAdvance.set(orgUuid, left);
    else this.#inAdvance.delete(orgUuid);
  }

  /**
   * Returns the largest user of the disk that has recordings to give up, and the next largest. A larger user with other files
   * only is asked to give up those.
   */
  #largest(
    uses: readonly DiskUse[],
    wantedBytes: number,
  ): readonly [largest?: DiskUse | 'asked', next?: DiskUse] {
    for (const [index, use] of uses.entries()) {
      if (use.streams.length > 0) return uses[index + 1] === undefined ? [use] : [use, uses[index + 1]!];
      if (use.owner !== null && use.otherBytes > 0 && this.#ask(use.owner, use.otherBytes, wantedBytes)) {
        return ['asked'];
      }
    }
    return [];
  }

  /** False: it was asked before, and has not given up anything. */
  #ask(owner: NonNullable<Owner>, otherBytes: number, wantedBytes: number): boolean {
    const before = this.#requested.get(owner);
    if (before !== undefined && otherBytes >= before) return false;
    this.#requested.set(owner, otherBytes);
    this.#options.others.evict(owner, wantedBytes);
    return true;
  }
}

/** How many of the files together have at least `byteLength` bytes; all of them, if they have less. */
function countUntil(files: readonly RecordingHead[], byteLength: number): number {
  let left = byteLength;
  for (const [index, file] of files.entries()) {
    left -= file.byteLength;
    if (left <= 0) return index + 1;
  }
  return files.length;
}

/** How many of the files together have at most `byteLength` bytes. */
function countWithin(files: readonly RecordingHead[], byteLength: number): number {
  let left = byteLength;
  for (const [index, file] of files.entries()) {
    left -= file.byteLength;
    if (left < 0) return index;
  }
  return files.length;
}
