/**
 * Recordings of a simulation, and their invariants (docs/design/recording.md#invariants): no written segment is lost, no
 * listed one is missing, everything reads back as it was, and only recordings beyond their age or size limit are deleted,
 * of which key frames stay where they are to.
 */

import { crc32 } from 'node:zlib';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { RECORDING_BOX_BYTES } from '../../src/recording/recording-boxes.ts';
import {
  endEpochMs,
  type RecordedSegment,
  type RecordedStream,
  recordingName,
  unpackIndex,
} from '../../src/recording/segment-index.ts';
import { framesIn } from './camera.ts';
import { SimulatedDisk, type SimulatedMount } from './disk.ts';
import type { SimulatedNode } from './node.ts';
import { Random } from './random.ts';
import { RECORDINGS_FOLDER, type RecorderSurroundings } from './recorder.ts';
import type { Simulation } from './simulation.ts';

/** The seed's chance of everything that has to do with recordings. Seeds without them are as they were before there was a recorder. */
const CHANCE = 0x3c6ef372;
const SHARE_OF_SEEDS = 0.4;
/** As CHANCE, for key frames. */
const KEY_FRAMES_CHANCE = 0x510e527f;
const SHARE_WITH_KEY_FRAMES = 0.5;
/** Longer than any simulation. */
const KEEP_KEY_FRAMES_MS = 3_600_000;
/** Times of segments are stored in whole milliseconds. */
const COVER_SLACK_MS = 100;
const ROOMY_BYTES = 4_000_000;
const TIGHT_BYTES = 260_000;
export const RECORDING_LIMITS = { keepMs: 20_000, minFreeBytes: 80_000, fileSizeBytes: 24_000 };
/** After retention has asked how much is free, it deletes for so long. */
const LOW_MS = 30_000;
/** Wall clocks are off, and step. */
const CLOCK_SLACK_MS = 8_000;
const LOOK_MS = 2_000;
/** So long after everything works again, retention has checked everything at least once, and repaired it where possible. */
export const KEEPING_MS = 80_000;
/** Time between two looks of retention, and for its work. */
const SWEEP_MS = 65_000;
/** To take the first segment after a pause: its key frame, its end. */
const SEGMENT_MS = 14_000;

interface WrittenSegment {
  readonly segment: RecordedSegment;
  readonly writtenMs: number;
  /** With its trailer. */
  readonly endOffset: number;
  readonly crc: number;
}

interface WrittenFile {
  readonly cameraUuid: Ruuid;
  readonly mounts: Set<SimulatedMount>;
  readonly segments: Map<number, WrittenSegment>;
}

/** A row of the store. */
export interface ListedFile {
  readonly cameraUuid: Ruuid;
  readonly rendition: 'main' | 'key-frames';
  readonly number: number;
  readonly endMs: number;
  readonly byteLength: number;
  readonly segments: string;
}

export class Recordings {
  readonly random: Random;
  readonly disk: SimulatedDisk;
  readonly surroundings: RecorderSurroundings;
  /** How long key frames stay; null: not at all. */
  readonly keyFramesMs: number | null;
  readonly #simulation: Simulation;
  /** By path. */
  readonly #files = new Map<string, WrittenFile>();
  /** By camera, when a segment was last written. */
  readonly #newestMs = new Map<Ruuid, number>();
  /** By path, since when there has been a row: a file whose row was deleted alone is listed again. */
  readonly #listedMs = new Map<string, number>();
  /** They have lost something with a machine: perhaps their beginning, and then they are left alone. */
  readonly #cut = new Set<string>();
  readonly #boots = new Map<string, number>();
  #lowMs = Number.NEGATIVE_INFINITY;
  #quietMs: number | null = null;
  /** By camera, how long nothing had been synced when everything worked again. */
  readonly #pausedMs = new Map<Ruuid, number>();
  segments = 0;

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.random = random;
    const ofKeyFrames = new Random(simulation.world.seed ^ KEY_FRAMES_CHANCE);
    this.keyFramesMs = ofKeyFrames.chance(SHARE_WITH_KEY_FRAMES) ? KEEP_KEY_FRAMES_MS : null;
    this.disk = new SimulatedDisk(random, random.pick([ROOMY_BYTES, TIGHT_BYTES]));
    this.disk.onRequested = (freeBytes) => {
      if (freeBytes < RECORDING_LIMITS.minFreeBytes) this.#lowMs = simulation.world.nowMs;
    };
    this.disk.onRemoved = (by, path, bytes) => this.#removed(by, path, bytes);
    this.surroundings = {
      world: simulation.world,
      disk: this.disk,
      random,
      onWritten: (mount, stream, number, segment) => this.#written(mount, stream, number, segment),
    };
  }

  /** null: this seed records nothing. */
  static of(simulation: Simulation): Recordings | null {
    const random = new Random(simulation.world.seed ^ CHANCE);
    return random.chance(SHARE_OF_SEEDS) ? new Recordings(simulation, random) : null;
  }

  /** Boot ID of a machine, from its start to its end. */
  bootIdOf(name: string): Buffer {
    const bootId = Buffer.alloc(16);
    bootId.write(`${name}/${this.#boots.get(name) ?? 0}`);
    return bootId;
  }

  /** Call this before its process ends. `isSilent`: its machine goes down, and unsynced writes may be lost. */
  killed({ name, recorder }: SimulatedNode, isSilent: boolean): void {
    if (recorder === null) return;
    if (!isSilent) {
      recorder.killed();
      return;
    }
    this.#boots.set(name, (this.#boots.get(name) ?? 0) + 1);
    this.#forgetUnsynced(recorder.mount);
    for (const path of this.disk.cutPower(recorder.mount)) this.#cut.add(path);
  }

  begin(): void {
    this.#simulation.world.after(LOOK_MS, () => {
      this.#look();
      this.begin();
    });
  }

  /** Everything works from now on. */
  quiet(): void {
    const { nowMs } = this.#simulation.world;
    this.#quietMs = nowMs;
    for (const { uuid } of this.#simulation.cameras.values()) {
      this.#pausedMs.set(uuid, nowMs - this.#syncedMs(uuid));
    }
  }

  /** When the newest segment was written that a disk has for certain. Writes in its cache prove nothing. */
  #syncedMs(camera: Ruuid): number {
    let newestMs = 0;
    for (const [path, { cameraUuid, mounts, segments }] of this.#files) {
      if (cameraUuid !== camera) continue;
      const syncedBytes = Math.min(...Array.from(mounts, (mount) => this.disk.syncedBytes(mount, path)));
      for (const { endOffset, writtenMs } of segments.values()) {
        if (endOffset <= syncedBytes) newestMs = Math.max(newestMs, writtenMs);
      }
    }
    return newestMs;
  }

  /** Recording has resumed: a pause after an error is at most twice as long as the error lasted. */
  checkResumed(): void {
    const { cameras, world, invariants } = this.#simulation;
    for (const { uuid, number } of cameras.values()) {
      const newestMs = this.#newestMs.get(uuid) ?? 0;
      const dueMs = this.#quietMs! + 2 * this.#pausedMs.get(uuid)! + SEGMENT_MS;
      if (dueMs > world.nowMs || newestMs > world.nowMs - SEGMENT_MS) continue;
      const forMs = Math.round(world.nowMs - newestMs);
      invariants.fail('recording resumes', `camera ${number} was not recorded for ${forMs} ms`);
    }
  }

  /** A file that cannot be deleted must not matter to the others. */
  wedge(): void {
    const listed = this.#simulation.database.recordings();
    if (listed.length > 0 && this.random.chance(0.5)) this.disk.stuck.add(pathOf(this.random.pick(listed)));
  }

  /** Checks that the files in the store are complete, and read back. */
  checkListed(): readonly ListedFile[] {
    const listed = this.#simulation.database.recordings();
    for (const row of listed) {
      const segments = this.#files.get(pathOf(row))?.segments;
      if (segments !== undefined) this.#checkRow(row, segments);
    }
    this.#checkFrames(listed);
    return listed;
  }

  /** KEEPING_MS after everything works. */
  checkKept(): void {
    const listed = this.checkListed();
    const rows = new Map(listed.map((file) => [pathOf(file), file]));
    for (const [path, { segments }] of this.#files) {
      if (segments.size === 0 || rows.has(path) || this.#isOpen(path) || this.disk.stuck.has(path)) continue;
      const what = `${path} with ${segments.size} segments is not listed`;
      this.#simulation.invariants.fail('what was written is not lost', what);
    }
    this.#checkOld(listed);
    this.#checkOrphans(rows);
  }

  #written(mount: SimulatedMount, stream: RecordedStream, number: number, segment: RecordedSegment): void {
    const path = pathOf({ ...stream, number });
    const { offset, byteLength } = segment;
    const bytes = this.disk.bytesOf(path);
    // Another process has deleted it in the meantime.
    if (bytes === null) return;
    this.segments++;
    this.#newestMs.set(stream.cameraUuid, this.#simulation.world.nowMs);
    const file = this.#files.get(path) ?? {
      cameraUuid: stream.cameraUuid,
      mounts: new Set(),
      segments: new Map(),
    };
    this.#files.set(path, file);
    file.mounts.add(mount);
    file.segments.set(offset, {
      segment,
      writtenMs: this.#simulation.world.nowMs,
      endOffset: offset + byteLength + RECORDING_BOX_BYTES.trailer,
      crc: crc32(bytes.subarray(offset, offset + byteLength)),
    });
  }

  /** Segments that are neither synced nor listed may be lost: they were not acknowledged. */
  #forgetUnsynced(mount: SimulatedMount): void {
    const rows = new Map(this.#simulation.database.recordings().map((file) => [pathOf(file), file]));
    for (const [path, { mounts, segments }] of this.#files) {
      if (!mounts.has(mount)) continue;
      const syncedBytes = this.disk.syncedBytes(mount, path);
      const row = rows.get(path);
      const listed = new Set(row === undefined ? [] : unpackIndex(row.segments).map(({ offset }) => offset));
      for (const [offset, { endOffset }] of segments) {
        if (endOffset > syncedBytes && !listed.has(offset)) segments.delete(offset);
      }
    }
  }

  /** They had no segment when they were deleted. */
  readonly #deletedEmpty = new Set<string>();

  #removed(by: SimulatedMount, path: string, bytes: Buffer): void {
    const segments = [...(this.#files.get(path)?.segments.values() ?? [])];
    for (const each of segments) this.#checkBytes(path, each, bytes);
    this.#files.delete(path);
    const { world, nodes, invariants, database } = this.#simulation;
    const name = nodes.find(({ recorder }) => recorder?.mount === by)?.name ?? 'a node';
    world.trace.note(name, `deletes ${path}, ${segments.length} segments`);
    if (database.recordings().some((file) => pathOf(file) === path)) {
      invariants.fail('what is listed is there', `${name} deletes ${path}, which is listed`);
    }
    if (segments.length === 0) this.#deletedEmpty.add(path);
    this.#checkThinned(name, path, segments);
    if (segments.length === 0 || world.nowMs - this.#lowMs < LOW_MS) return;
    const endMs = Math.max(...segments.map(({ segment }) => endEpochMs(segment)));
    if (endMs < world.epochMs + CLOCK_SLACK_MS - RECORDING_LIMITS.keepMs) return;
    invariants.fail(
      'only what is too old is deleted',
      `${name} deletes ${path}, of ${endMs - world.epochMs} ms`,
    );
  }

  /** What is deleted for its age has left its key frames. Without room, others may need that of the key frames, too. */
  #checkThinned(by: string, path: string, segments: readonly WrittenSegment[]): void {
    const wasEverLow = this.#lowMs > Number.NEGATIVE_INFINITY;
    if (this.keyFramesMs === null || wasEverLow || this.#cut.has(path) || this.disk.stuck.has(path)) return;
    const left = this.#simulation.database
      .recordings()
      .filter(({ rendition, cameraUuid }) => rendition === 'key-frames' && path.includes(`/${cameraUuid}/`))
      .flatMap((file) => unpackIndex(file.segments));
    for (const { segment } of segments) {
      const [fromMs, toMs] = [segment.epochMs + COVER_SLACK_MS, endEpochMs(segment) - COVER_SLACK_MS];
      let atMs = fromMs;
      for (const each of left.toSorted((a, b) => a.epochMs - b.epochMs)) {
        if (each.epochMs <= atMs) atMs = Math.max(atMs, endEpochMs(each));
      }
      if (atMs >= toMs) continue;
      const what = `${by} deletes ${path} at ${segment.offset}, of which no key frame is left`;
      this.#simulation.invariants.fail('what is thinned leaves its key frames', what);
    }
  }

  /** A row never refers to a file that does not exist. */
  #look(): void {
    const { database, invariants, world } = this.#simulation;
    const listed = database.recordings();
    const paths = new Set(listed.map(pathOf));
    // A file that cannot be deleted has no row, until a node starts that does not know this.
    for (const path of this.#listedMs.keys()) if (!paths.has(path)) this.#listedMs.delete(path);
    for (const file of listed) {
      const path = pathOf(file);
      if (!this.#listedMs.has(path)) this.#listedMs.set(path, world.nowMs);
      const bytes = this.disk.bytesOf(path);
      if (bytes !== null && bytes.length >= file.byteLength) continue;
      if (bytes === null && this.#deletedEmpty.has(path)) {
        invariants.knownDefects.add('a file without segments is listed after it was deleted');
        continue;
      }
      const has = bytes === null ? 'is gone' : `has ${bytes.length} of ${file.byteLength} bytes`;
      invariants.fail('what is listed is there', `${path} ${has}`);
    }
  }

  #checkRow(row: ListedFile, segments: WrittenFile['segments']): void {
    const path = pathOf(row);
    if (this.#isOpen(path) || this.#deletedEmpty.has(path)) return;
    const bytes = this.disk.bytesOf(path)!;
    const listed = new Map(unpackIndex(row.segments).map((segment) => [segment.offset, segment]));
    for (const [offset, each] of segments) {
      this.#checkBytes(path, each, bytes);
      if (listed.get(offset)?.byteLength === each.segment.byteLength) continue;
      const what = `${path} is listed without what is at ${offset}`;
      this.#simulation.invariants.fail('what was written is not lost', what);
    }
  }

  #checkBytes(path: string, { segment, crc }: WrittenSegment, bytes: Buffer): void {
    const { offset, byteLength } = segment;
    if (crc32(bytes.subarray(offset, offset + byteLength)) === crc) return;
    this.#simulation.invariants.fail('what was written is not changed', `${path} at ${offset}`);
  }

  /** In the order of the files of a camera, frames ascend. */
  #checkFrames(listed: readonly ListedFile[]): void {
    const { cameras, invariants } = this.#simulation;
    for (const { uuid, number } of cameras.values()) {
      const seen = new Set<string>();
      const files = listed.filter(({ cameraUuid, rendition }) => cameraUuid === uuid && rendition === 'main');
      for (const file of files.toSorted((one, other) => one.number - other.number)) {
        if (this.#deletedEmpty.has(pathOf(file))) continue;
        const bytes = this.disk.bytesOf(pathOf(file))!;
        let before = Number.NEGATIVE_INFINITY;
        for (const { offset, byteLength } of unpackIndex(file.segments)) {
          const frames = framesIn(bytes.subarray(offset, offset + byteLength));
          if (frames.length === 0) {
            invariants.fail('frames read back', `${pathOf(file)} has none at ${offset}`);
          }
          for (const frame of frames) {
            const at = frame.boot * 1_000_000 + frame.index;
            const name = `${frame.camera}/${at}`;
            if (frame.camera !== number || at <= before || seen.has(name)) {
              invariants.fail('frames read back', `${pathOf(file)}: ${name} at ${offset}, after ${before}`);
            }
            before = at;
            seen.add(name);
          }
        }
      }
    }
  }

  #checkOld(listed: readonly ListedFile[]): void {
    const { world, invariants } = this.#simulation;
    const oldMs = world.epochMs - RECORDING_LIMITS.keepMs - SWEEP_MS - CLOCK_SLACK_MS;
    const isKnown = (path: string): boolean =>
      (this.#listedMs.get(path) ?? world.nowMs) < world.nowMs - SWEEP_MS;
    const old = listed.filter(
      (file) => file.rendition === 'main' && file.endMs < oldMs && isKnown(pathOf(file)),
    );
    if (old.length === 0) return;
    invariants.fail('what is too old is deleted', old.map(pathOf).join(', '));
  }

  #checkOrphans(rows: ReadonlyMap<string, ListedFile>): void {
    for (const path of this.disk.paths) {
      if (rows.has(path) || this.#isOpen(path) || this.disk.stuck.has(path)) continue;
      if (this.#cut.has(path) && (this.#files.get(path)?.segments.size ?? 0) === 0) continue;
      this.#simulation.invariants.fail('no file is forgotten', `${path} is not listed`);
    }
  }

  #isOpen(path: string): boolean {
    return this.#simulation.nodes.some(({ recorder }) => recorder?.mount.openPaths.includes(path) === true);
  }
}

function pathOf(
  file: Pick<ListedFile, 'cameraUuid' | 'number'> & { readonly rendition: RecordedStream['rendition'] },
): string {
  return `${RECORDINGS_FOLDER}/${recordingName(file, file.number)}`;
}
