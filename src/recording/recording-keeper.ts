/**
 * Keeps the store and the storage in line: lists files that a gateway left unfinished, forgets rows whose file is gone,
 * and thins and deletes files beyond the limits of age and size, oldest first (docs/design/recording.md#retention).
 *
 * Longer than 500 lines: all of it is one line of work over the same files.
 */

import { CautiousClock } from '../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type {
  RecordingHead,
  RecordingPurpose,
  RecordingRepository,
  StoredStream,
} from '../store/recording.ts';
import type { RecordingBlock } from '../store/recording-block.ts';
import { countedBytes } from './camera-bytes.ts';
import { DiskSweep, NO_OTHER_FILES, type OtherFiles, type StuckFiles } from './disk-sweep.ts';
import { DiskUses } from './disk-uses.ts';
import type { Recorder } from './recorder.ts';
import type { RecordingBlocks } from './recording-blocks.ts';
import type { RecordingCatalog } from './recording-catalog.ts';
import type { RecordingNodes } from './recording-nodes.ts';
import {
  excessOfStream,
  limitsOfStream,
  type OwnRetention,
  type RetentionLimits,
} from './retention-rules.ts';
import type { RecordedFile, RecordedStream } from './segment-index.ts';
import { type GivenFor, ThinnedFiles } from './thinned-files.ts';
import { isUnreadable, UnreadableFiles } from './unreadable-files.ts';

export interface RecordingKeeperOptions {
  readonly recorder: Pick<Recorder, 'call'>;
  readonly catalog: Pick<RecordingCatalog, 'add' | 'isUnsaved'>;
  readonly recordings: RecordingRepository;
  readonly limits: RetentionLimits;
  /** Other files on the disk; absent: none. */
  readonly others?: OtherFiles;
  /** Keeps key frames; absent: none stay. */
  readonly thinner?: { thin(file: RecordingHead): Promise<void> };
  /** The camera's own retention. Default: none. */
  readonly ownRetention?: (cameraUuid: Ruuid) => OwnRetention;
  /** Whether an upload still has to finish the file; absent: none has to. */
  readonly isReserved?: (stream: RecordedStream, number: number) => boolean | Promise<boolean>;
  /** The file is gone from all lists. Absent: no one wants to know. */
  readonly onDeleted?: (stream: RecordedStream, number: number) => void;
  /** Other nodes record into the same storage; absent: none do. */
  readonly cluster?: KeeperCluster | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** In a cluster. */
export interface KeeperCluster {
  readonly blocks: Pick<RecordingBlocks, 'isOfAnother' | 'ended' | 'remove'>;
  readonly nodes: Pick<RecordingNodes, 'isCaretaker'>;
  /** All nodes see all files. Otherwise, some are on a node's own disk until they are uploaded. */
  readonly hasAllFiles: boolean;
}

export const SWEEP_INTERVAL_MS = 60_000;
/** How long a node that has gone is waited for: it may come back. Files that others left are not checked before then, either. */
export const GONE_AFTER_MS = 3_000;
/** Sweep interval of a disk that several nodes fill. */
const SHARED_DISK_INTERVAL_MS = 10_000;
/** In a cluster, streams that other nodes have begun are found this late. Asking for all takes the store a while. */
const STREAMS_AGAIN_MS = 600_000;
/** Files of a stream, or of all, that are looked at together. */
const FILES_PER_STEP = 64;
/** Files of a stream, or of all streams, that cannot be deleted, one after the other: the next sweep continues behind them. */
const MAX_STUCK_IN_ROW = 3;
/** Beyond all times of recordings. */
const FOREVER_MS = Number.POSITIVE_INFINITY;
type FileName = Pick<RecordingHead, 'cameraUuid' | 'rendition' | 'number'>;

const NO_OWN_RETENTION: OwnRetention = {
  keepMs: null,
  keepSubMs: null,
  keepKeyFramesMs: null,
  maxBytes: null,
};

export class RecordingKeeper {
  readonly #options: RecordingKeeperOptions;
  readonly #wallClock: CautiousClock;
  /** One piece of work at a time. */
  #work: Promise<void> = Promise.resolve();
  #timer: TimerHandle | null = null;
  #diskTimer: TimerHandle | null = null;
  #endedTimer: TimerHandle | null = null;
  #isSweepWaiting = false;
  readonly #roomMaking = new Set<Ruuid>();
  #isDiskSweepWaiting = false;
  /** Streams that have files, and how much of the disk they take. Asking the store takes it a moment. */
  readonly #uses = new DiskUses();
  #areUsesRead = false;
  #usesReadMonoMs = 0;
  /** Files that were listed since the last sweep. */
  readonly #recent: RecordedFile[] = [];
  readonly #disk: DiskSweep;
  /** Files whose repair failed: tried again with each sweep. */
  readonly #unrepaired = new Map<string, { readonly stream: RecordedStream; readonly number: number }>();
  readonly #unreadable = new UnreadableFiles();
  readonly #thinned: ThinnedFiles;
  /** Files without a row whose deletion failed: tried again with each sweep. */
  readonly #undeleted = new Map<string, FileName>();
  /** Files that an earlier gateway left are listed. A storage that cannot be read now may be readable later. */
  #hasTakenOver = true;
  /** The last listing includes the files that only a caretaker lists. */
  #wasCaretaker = false;
  #isClosed = false;
  #deletedFiles = 0;

  constructor(options: RecordingKeeperOptions) {
    this.#options = options;
    this.#wallClock = new CautiousClock(options.clock);
    const { recorder, recordings, limits, log, others = NO_OTHER_FILES } = options;
    this.#thinned = new ThinnedFiles({
      thinner: options.thinner,
      keepMs: (cameraUuid) => this.#limitsOf({ cameraUuid, rendition: 'key-frames' }).keepMs,
      epochMs: () => this.#wallClock.epochMs(),
      isClosed: () => this.#isClosed,
      log,
    });
    this.#disk = new DiskSweep({
      recorder,
      recordings,
      limits,
      log,
      others,
      uses: this.#uses,
      isClosed: () => this.#isClosed,
      removeAll: (files, stuck) => this.#giveAll(files, 'room', stuck),
    });
  }

  /** Files deleted since the start. */
  get deletedFiles(): number {
    return this.#deletedFiles;
  }

  /** Files that no list shows, because they cannot be read. */
  get unreadableFiles(): number {
    return this.#unreadable.count;
  }

  /** The recorder's thread has started: takes over what an earlier one left, and sweeps from now on. */
  begin(): void {
    this.#hasTakenOver = false;
    if (this.#options.cluster === undefined) this.#enqueue('recordings not read', () => this.#takeOver());
    else {
      this.#armDisk();
      this.nodeLeft();
    }
    this.sweepSoon();
  }

  /** In a cluster: a node is gone, or seems to be. Its files are finished, if it is not back in time. */
  nodeLeft(): void {
    if (this.#isClosed) return;
    this.#endedTimer ??= this.#options.clock.after(GONE_AFTER_MS, () => {
      this.#endedTimer = null;
      this.#enqueue('recordings not read', async () => {
        if (!this.#isCaretaker) this.#wasCaretaker = false;
        if (!this.#hasTakenOver || this.#isCaretaker !== this.#wasCaretaker) await this.#takeOver();
        await this.#finishBlocks();
      });
    });
  }

  /** The recorder has finished a file: lists it, and makes room for the next. */
  finished(file: RecordedFile): void {
    this.#take(file);
    this.#sweepDiskSoon();
  }

  #sweepDiskSoon(): void {
    if (this.#isDiskSweepWaiting || !this.#isCaretaker) return;
    this.#isDiskSweepWaiting = true;
    this.#enqueue('old recordings not deleted', async () => {
      this.#isDiskSweepWaiting = false;
      await this.#sweepDisk();
    });
  }

  /** Sweeps when the work before is done: the disk is full. */
  sweepSoon(): void {
    if (this.#isSweepWaiting) return;
    this.#isSweepWaiting = true;
    this.#timer?.cancel();
    this.#enqueue('old recordings not deleted', async () => {
      this.#isSweepWaiting = false;
      await this.#sweep().finally(() => this.#arm());
    });
  }

  /** An organization wants to hand over files of this size: deletes what it recorded first itself, if the disk is full. */
  makeRoom(orgUuid: Ruuid, byteLength: number): void {
    if (this.#roomMaking.has(orgUuid) || !this.#isCaretaker) return;
    this.#roomMaking.add(orgUuid);
    this.#enqueue('old recordings not deleted', async () => {
      this.#roomMaking.delete(orgUuid);
      await this.#readUses();
      await this.#disk.makeRoom(orgUuid, byteLength);
    });
  }

  /** Finishes and lists a file that the recorder had to leave. */
  repair(stream: RecordedStream, number: number): void {
    this.#enqueue('recording not repaired', () => this.#repairOrLater(stream, number));
  }

  /** Deletes pulled files, unless a legal hold includes them. Resolves when it is done. */
  remove(files: readonly FileName[]): Promise<void> {
    this.#enqueue('pulled recordings not deleted', () => this.#deleteAll(files).then(() => undefined));
    return this.#work;
  }

  /** Resolves when all work so far is done. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Begins no more work, but still lists what the recorder finishes. Resolves when the work in progress is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#timer, this.#diskTimer, this.#endedTimer]) timer?.cancel();
    await this.#work;
  }

  #arm(): void {
    if (!this.#isClosed) this.#timer = this.#options.clock.after(SWEEP_INTERVAL_MS, () => this.sweepSoon());
  }

  #armDisk(): void {
    this.#diskTimer?.cancel();
    this.#diskTimer = this.#options.clock.after(SHARED_DISK_INTERVAL_MS, () => {
      if (this.#isClosed) return;
      this.#sweepDiskSoon();
      this.#armDisk();
    });
  }

  /** Old recordings are deleted by one node. */
  get #isCaretaker(): boolean {
    return this.#options.cluster?.nodes.isCaretaker() ?? true;
  }

  #enqueue(failure: string, work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#isClosed ? undefined : work()))
      .catch((thrown) => {
        // At the end, the thread goes while it is asked something.
        if (!this.#isClosed) this.#options.log.error({ err: toGatewayError(thrown) }, failure);
      });
  }

  async #takeOver(): Promise<void> {
    const { recorder, recordings, log } = this.#options;
    this.#wasCaretaker = this.#isCaretaker;
    const streams = await recorder.call({ name: 'streams' });
    const known = (await recordings.usage()).filter(
      ({ cameraUuid, rendition }) =>
        !streams.some((each) => each.cameraUuid === cameraUuid && each.rendition === rendition),
    );
    if (streams.length === 0 && known.length > 0) {
      // Their rows stay: they are right again when the disk is back.
      log.error({}, 'no recordings in their folder, is its disk mounted?');
      this.#hasTakenOver = true;
      return;
    }
    let areAllRead = true;
    for (const { cameraUuid, rendition } of [...streams, ...known]) {
      if (this.#isClosed) return;
      const stream = { cameraUuid, rendition };
      const isRead = await this.#tried({ name: keyOf(stream) }, 'recordings not read', () =>
        this.#takeOverStream(stream),
      );
      if (!isRead) areAllRead = false;
    }
    this.#hasTakenOver = areAllRead;
  }

  async #takeOverStream(stream: RecordedStream): Promise<void> {
    const { recorder, recordings, log, cluster } = this.#options;
    const stored = await recordings.numbers(stream);
    const files = await recorder.call({ name: 'numbers', of: stream });
    const present = new Set(files);
    const listed = new Set(stored);
    for (const number of files) {
      if (this.#isClosed) return;
      if (listed.has(number) || (await this.#options.isReserved?.(stream, number))) continue;
      if (await cluster?.blocks.isOfAnother(stream, number)) continue;
      await this.#repairOrLater(stream, number);
    }
    for (const number of stored) {
      if (present.has(number) || cluster?.hasAllFiles === false) continue;
      await recordings.remove({ ...stream, number });
      log.warn({ ...stream, number }, 'recording file missing');
    }
  }

  /** In a cluster: lists the files of blocks that have ended. */
  async #finishBlocks(): Promise<void> {
    const { cluster } = this.#options;
    if (cluster === undefined) return;
    const { blocks, areAwaited } = await cluster.blocks.ended();
    // Its end was before this node knew of it, so the registry does not tell.
    if (areAwaited) this.nodeLeft();
    for (const block of blocks) {
      if (this.#isClosed) return;
      const { cameraUuid, rendition } = block;
      const name = keyOf({ cameraUuid, rendition });
      await this.#tried({ name }, 'recordings not read', () => this.#finishBlock(cluster, block));
    }
  }

  async #finishBlock(cluster: KeeperCluster, block: RecordingBlock): Promise<void> {
    const { recorder, recordings, catalog, isReserved } = this.#options;
    const { cameraUuid, rendition, first, end } = block;
    const stream = { cameraUuid, rendition };
    let isListed = true;
    // Files on the disk of a node that is gone are listed by its next run.
    const files = cluster.hasAllFiles ? await recorder.call({ name: 'numbers', of: stream }) : [];
    const listed = new Set(files.length === 0 ? [] : await recordings.numbers(stream));
    for (const number of files) {
      if (this.#isClosed) return;
      if (number < first || number >= end || listed.has(number)) continue;
      if (await isReserved?.(stream, number)) isListed = false;
      else if (catalog.isUnsaved(stream, number)) isListed = false;
      else await this.#repairOrLater(stream, number);
      if (this.#unrepaired.has(`${keyOf(stream)}/${number}`)) isListed = false;
    }
    if (isListed) await cluster.blocks.remove(block);
  }

  /** A disk that is full or fails now may not later. A file that cannot be read stays, and is logged once. */
  async #repairOrLater(stream: RecordedStream, number: number): Promise<void> {
    try {
      if (stream.rendition === 'pulled') await this.#delete({ ...stream, number });
      else await this.#repair(stream, number);
      this.#unreadable.delete(stream, number);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const name = `${keyOf(stream)}/${number}`;
      if (error.kind === 'unavailable') this.#unrepaired.set(name, { stream, number });
      const isKnown = isUnreadable(error) && !this.#unreadable.add(stream, number);
      if (!isKnown && !this.#isClosed)
        this.#options.log.error({ name, err: error }, 'recording not repaired');
    }
  }

  async #repair(stream: RecordedStream, number: number): Promise<void> {
    const { recorder, catalog, log } = this.#options;
    // A file that is to be deleted is not listed again.
    if (catalog.isUnsaved(stream, number) || this.#undeleted.has(`${keyOf(stream)}/${number}`)) return;
    const file = await recorder.call({ name: 'repair', of: stream, number });
    if (file === null) return;
    this.#take(file);
    log.info({ ...stream, number, segments: file.segments.length }, 'recording file taken over');
  }

  async #sweep(): Promise<void> {
    const { cluster } = this.#options;
    if (!this.#hasTakenOver && cluster === undefined) {
      await this.#tried({}, 'recordings not read', () => this.#takeOver());
    }
    const again = [...this.#unrepaired.values()];
    this.#unrepaired.clear();
    for (const { stream, number } of again) await this.#repairOrLater(stream, number);
    if (cluster !== undefined) this.nodeLeft();
    // Those that failed before this sweep: they come after it, because they may fail again.
    const stuck = [...this.#undeleted.values()];
    await this.#sweepStreams().finally(() => this.#deleteAll(stuck));
  }

  async #sweepStreams(): Promise<void> {
    const { recordings, cluster, clock } = this.#options;
    if (!this.#isCaretaker) {
      this.#areUsesRead = false;
      this.#recent.length = 0;
      return;
    }
    const isOld = clock.monoMs() - this.#usesReadMonoMs >= STREAMS_AGAIN_MS;
    if (cluster !== undefined && isOld) this.#areUsesRead = false;
    const isNew = !this.#areUsesRead;
    await this.#readUses();
    if (isNew) await recordings.forgetOwners();
    const nowEpochMs = this.#wallClock.epochMs();
    for (const stream of this.#uses.streams) {
      if (this.#isClosed) return;
      await this.#tried({ name: keyOf(stream) }, 'old recordings not deleted', () =>
        this.#sweepStream(stream, nowEpochMs),
      );
    }
    await this.#tried({}, 'old recordings not deleted', () => this.#disk.shrinkOrganizations());
    await this.#sweepDisk();
    await this.#tried({}, 'unreadable recordings not deleted', () => this.#sweepUnreadable());
  }

  async #sweepStream(stream: RecordedStream, nowEpochMs: number): Promise<void> {
    const { recordings } = this.#options;
    // Copies: src/recorders bounds them.
    if (stream.rendition === 'pulled') return;
    const { keepMs, keepForSharesMs, maxCameraBytes } = this.#limitsOf(stream);
    await this.#sweepOldest(stream, undefined, 'age', (oldest) =>
      excessOfStream(oldest, 0, { keepMs, maxCameraBytes: null }, nowEpochMs),
    );
    if (maxCameraBytes !== null) {
      const leftBytes = await countedBytes(recordings, stream);
      await this.#sweepOldest(stream, undefined, 'room', (oldest, deletedBytes) =>
        excessOfStream(oldest, leftBytes - deletedBytes, { keepMs: FOREVER_MS, maxCameraBytes }, nowEpochMs),
      );
    }
    if (keepForSharesMs === keepMs) return;
    await this.#sweepOldest(stream, 'shares', 'age', (oldest) =>
      excessOfStream(oldest, 0, { keepMs: keepForSharesMs, maxCameraBytes: null }, nowEpochMs),
    );
  }

  #limitsOf({ cameraUuid, rendition }: StoredStream): ReturnType<typeof limitsOfStream> {
    const { limits, ownRetention } = this.#options;
    return limitsOfStream(limits, ownRetention?.(cameraUuid) ?? NO_OWN_RETENTION, rendition);
  }

  async #sweepOldest(
    stream: RecordedStream,
    purpose: RecordingPurpose | undefined,
    givenFor: GivenFor,
    excessOf: (oldest: readonly RecordingHead[], deletedBytes: number) => number,
  ): Promise<void> {
    let deletedBytes = 0;
    const stuck = { inRow: 0 };
    while (!this.#isClosed) {
      const oldest = await this.#options.recordings.oldest(FILES_PER_STEP, stream, purpose);
      const excess = oldest.slice(0, excessOf(oldest, deletedBytes));
      deletedBytes += excess.reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (!(await this.#giveAll(excess, givenFor, stuck)) || excess.length < FILES_PER_STEP) return;
    }
  }

  /** As `#deleteAll`, of files whose key frames may stay. */
  async #giveAll(files: readonly RecordingHead[], givenFor: GivenFor, stuck: StuckFiles): Promise<boolean> {
    let kept = 0;
    for (const file of files) {
      if (this.#isClosed) return false;
      const thinning = await this.#thinned.thin(file, givenFor);
      if (thinning === 'kept') {
        kept++;
        continue;
      }
      const isGone = thinning === 'thinned' && (await this.#delete(file));
      stuck.inRow = isGone ? 0 : stuck.inRow + 1;
      if (stuck.inRow >= MAX_STUCK_IN_ROW) return false;
    }
    return kept < files.length || files.length === 0;
  }

  async #sweepUnreadable(): Promise<void> {
    const outlived = await this.#unreadable.outlived((stream) => this.#options.recordings.numbers(stream));
    for (const { stream, number } of outlived) {
      // No one knows what time it covers.
      if (await this.#options.recordings.isHeld(stream.cameraUuid)) continue;
      await this.#deleteAll([{ ...stream, number }]);
    }
  }

  async #sweepDisk(): Promise<void> {
    const { recorder, limits } = this.#options;
    if ((await recorder.call({ name: 'freeBytes' })) >= limits.minFreeBytes) return;
    await this.#readUses();
    await this.#disk.sweep();
  }

  /** Reads the users of the disk, including the newest recordings. */
  async #readUses(): Promise<void> {
    const { recordings, clock } = this.#options;
    this.#mergeRecent();
    if (this.#areUsesRead && this.#uses.isComplete) return;
    this.#usesReadMonoMs = clock.monoMs();
    this.#uses.put(await recordings.usage());
    this.#areUsesRead = true;
    this.#mergeRecent();
  }

  #mergeRecent(): void {
    for (const file of this.#recent.splice(0)) {
      this.#uses.added(file);
      const owner = this.#uses.ownerOf(file);
      if (file.rendition === 'uploaded' && owner != null) this.#disk.uploaded(owner, file.byteLength);
    }
  }

  /** False: several in a row could not be deleted, also in earlier calls with the same count, and the rest is not tried now. */
  async #deleteAll(
    files: readonly (FileName & Partial<Pick<RecordingHead, 'byteLength'>>)[],
    stuck: StuckFiles = { inRow: 0 },
  ): Promise<boolean> {
    for (const file of files) {
      if (this.#isClosed) return false;
      stuck.inRow = (await this.#delete(file)) ? 0 : stuck.inRow + 1;
      if (stuck.inRow >= MAX_STUCK_IN_ROW) return false;
    }
    return true;
  }

  #take(file: RecordedFile): void {
    this.#options.catalog.add(file);
    this.#recent.push(file);
  }

  /**
   * The row first: it never refers to a file that is gone. A file without a row is found again at the next start. False: the file is
   * still there, and each sweep tries again.
   */
  async #delete(file: FileName & Partial<Pick<RecordingHead, 'byteLength'>>): Promise<boolean> {
    const { recorder, recordings, log } = this.#options;
    const { cameraUuid, rendition, number, byteLength = 0 } = file;
    // A hold was placed since it was listed.
    if ((await recordings.removeUnheld(file)) === 'held') return true;
    this.#uses.removed({ cameraUuid, rendition, byteLength });
    this.#options.onDeleted?.({ cameraUuid, rendition }, number);
    const name = `${keyOf(file)}/${number}`;
    // At the end: those that were not tried for the longest time come first.
    const isKnown = this.#undeleted.delete(name);
    this.#undeleted.set(name, { cameraUuid, rendition, number });
    try {
      await recorder.call({ name: 'delete', of: { cameraUuid, rendition }, number });
    } catch (thrown) {
      const err = toGatewayError(thrown);
      if (!this.#isClosed && !isKnown) log.error({ name, err }, 'recording not deleted, trying again');
      return false;
    }
    this.#undeleted.delete(name);
    this.#unreadable.delete({ cameraUuid, rendition }, number);
    this.#thinned.forget(file);
    this.#deletedFiles++;
    log.debug({ cameraUuid, rendition, number }, 'recording deleted');
    return true;
  }

  /** One of many pieces of work: if it fails, the others are done. Whether it was done. */
  async #tried(
    fields: { readonly name?: string },
    failure: string,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      if (!this.#isClosed) this.#options.log.error({ ...fields, err: toGatewayError(thrown) }, failure);
      return false;
    }
  }
}

function keyOf({ cameraUuid, rendition }: RecordedStream): string {
  return `${cameraUuid}/${rendition}`;
}
