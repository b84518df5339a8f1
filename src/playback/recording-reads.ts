/**
 * Reads of recording files, done by a thread of their own. The caller's thread never waits for a disk: what it asks for
 * is bounded in bytes and in number, and every read ends within READ_DEADLINE_MS, with its bytes or with an error.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type NotTaken, Pool, type Taken } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { CLIPS_FOLDER } from '../recording/open-storage.ts';
import { RestartedThread } from '../threads/restarted-thread.ts';
import type { MessageThread, ThreadEvents } from '../threads/spawn-thread.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { type PoolPlace, ReadPool } from './read-pool.ts';
import type { ReadJob, ReadMessage, ReadNotice } from './read-protocol.ts';

export type ReadThreadEvents = ThreadEvents<ReadNotice>;

/** `memory`: where it can place what it reads. */
export type LaunchReadThread = (
  memory: SharedArrayBuffer,
  events: ReadThreadEvents,
) => MessageThread<ReadMessage>;

/** Bytes of a recording, and the duty to give them back. */
export interface LentBytes {
  readonly bytes: Buffer;
  /** No one uses the bytes anymore. Idempotent. */
  release(): void;
}

export interface RecordingReadsOptions {
  readonly launch: LaunchReadThread;
  readonly clock: Clock;
  readonly log: Log;
}

/** A read that takes longer fails. */
export const READ_DEADLINE_MS = 10_000;
/** Reads that the thread has at a time: enough to keep it busy, few enough to forget the others when it hangs. */
export const READS_IN_THREAD = 8;

interface Read {
  readonly job: ReadJob;
  readonly organization: string;
  /** Its shares of the bounded resources, also in a thread that hangs. */
  readonly taken: readonly Taken[];
  /** Its bytes are given back, so they may be placed in the pool. */
  readonly isLent: boolean;
  readonly timer: TimerHandle;
  readonly startMonoMs: number;
  /** null: in memory of their own. */
  place: PoolPlace | null;
  /** No one waits for it. */
  isLate: boolean;
  resolve(bytes: LentBytes): void;
  reject(error: GatewayError): void;
}

export class RecordingReads {
  readonly #options: RecordingReadsOptions;
  /** The camera's organization; null: not known, and the camera counts as one of its own. Known after the start. */
  organizationOf: (cameraUuid: string) => string | null = () => null;
  /** By organization: the next in turn is the first of each; after its turn, an organization goes to the end. */
  readonly #queue = new Map<string, Set<Read>>();
  readonly #reads = new Pool(LIMITS.recordingReads);
  readonly #bytes = new Pool(LIMITS.recordingReadBytes);
  /** Reads that the thread has, by ID, in the order in which it got them. */
  readonly #posted = new Map<number, Read>();
  #nextId = 0;
  readonly #thread: RestartedThread<ReadMessage, ReadNotice>;
  /** That of the thread: one that failed may still write to its own. */
  #pool = new ReadPool(0);
  #isClosed = false;

  constructor(options: RecordingReadsOptions) {
    this.#options = options;
    this.#thread = new RestartedThread<ReadMessage, ReadNotice>({
      clock: options.clock,
      launch: (events) => {
        this.#pool = new ReadPool();
        return options.launch(this.#pool.memory, events);
      },
      onNotice: (notice) => this.#noticed(notice),
      onEnd: (cause, retryMs) => this.#ended(cause, retryMs),
      pausesFirst: true,
      onRestart: () => this.#pump(),
    });
  }

  /** Reads that are not answered yet. */
  get waiting(): number {
    return this.#reads.used;
  }

  get waitingBytes(): number {
    return this.#bytes.used;
  }

  /**
   * Exactly these bytes; the caller owns them. Fails like the storage: RECORDING_NOT_FOUND, RECORDING_IO, PLAYBACK_TOO_MANY_READS,
   * PLAYBACK_STORAGE_SLOW, PLAYBACK_READER_FAILED.
   */
  async read(job: ReadJob): Promise<Buffer> {
    return (await this.#ask(job, false)).bytes;
  }

  /** The same bytes, to be given back. Cheaper: for media on their way to a viewer. */
  lend(job: ReadJob): Promise<LentBytes> {
    return this.#ask(job, job.trackId === undefined);
  }

  #ask(job: ReadJob, isLent: boolean): Promise<LentBytes> {
    const { name, length } = job;
    if (this.#isClosed)
      return Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, { name }));
    if (this.#isHanging())
      return Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_STORAGE_SLOW, { name }));
    const organization = this.#organizationOf(name);
    const taken = [this.#reads.take({ organization }), this.#bytes.take({ organization }, length)];
    const refused = taken.find(({ isTaken }) => !isTaken);
    if (refused !== undefined) {
      giveBack(taken);
      const context = { name, waiting: this.waiting, waitingBytes: this.waitingBytes };
      return Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_READS, context));
    }
    return new Promise((resolve, reject) => {
      const { clock } = this.#options;
      const read: Read = {
        job,
        organization,
        isLent,
        resolve,
        reject,
        place: null,
        isLate: false,
        taken: taken.filter((each) => each.isTaken),
        startMonoMs: clock.monoMs(),
        timer: clock.after(READ_DEADLINE_MS, () => this.#late(read)),
      };
      const others = this.#queue.get(organization);
      if (others === undefined) this.#queue.set(organization, new Set([read]));
      else others.add(read);
      this.#pump();
    });
  }

  /** Fails what waits, and ends the thread. */
  close(): void {
    this.#isClosed = true;
    this.#failAll();
    this.#thread.close();
  }

  /** The oldest read in the thread is late: more of them would only wait. */
  #isHanging(): boolean {
    const [oldest] = this.#posted.values();
    return oldest !== undefined && this.#options.clock.monoMs() - oldest.startMonoMs >= READ_DEADLINE_MS;
  }

  #pump(): void {
    const thread = this.#queue.size === 0 ? null : this.#thread.get();
    if (thread === null) return;
    while (this.#queue.size > 0 && this.#posted.size < READS_IN_THREAD) {
      const read = this.#next();
      const id = this.#nextId++;
      this.#posted.set(id, read);
      if (read.isLent) read.place = this.#pool.take(read.job.length);
      thread.post({ id, job: read.job, place: read.place?.offset ?? null });
    }
  }

  /** Call only if there is one. */
  #next(): Read {
    const [organization, reads] = this.#queue.entries().next().value!;
    const [read] = reads;
    reads.delete(read!);
    this.#queue.delete(organization);
    if (reads.size > 0) this.#queue.set(organization, reads);
    return read!;
  }

  /**
   * The organization of the camera, which is the first part of a recording's name and the last one of a clip's. The camera itself
   * if it is not known.
   */
  #organizationOf(name: string): string {
    const parts = name.split('/');
    const camera = parts[0] === CLIPS_FOLDER ? parts.at(-1)!.split('.')[0]! : parts[0]!;
    return this.organizationOf(camera) ?? camera;
  }

  /** Its caller no longer waits. If the thread has it, its bytes still count until the thread answers. */
  #late(read: Read): void {
    const reads = this.#queue.get(read.organization);
    if (reads?.delete(read) === true) {
      if (reads.size === 0) this.#queue.delete(read.organization);
      giveBack(read.taken);
    }
    read.isLate = true;
    read.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_STORAGE_SLOW, { name: read.job.name }));
  }

  #noticed(notice: ReadNotice): void {
    const read = this.#posted.get(notice.id);
    if (read === undefined) return;
    this.#posted.delete(notice.id);
    giveBack(read.taken);
    read.timer.cancel();
    const { place } = read;
    if (read.isLate || place === null || 'failure' in notice) place?.release();
    if ('failure' in notice) {
      const { failure } = notice;
      read.reject(errorOfWire({ ...failure, context: { name: read.job.name, ...failure.context } }));
    } else if ('bytes' in notice) {
      const { buffer, byteOffset, byteLength } = notice.bytes;
      const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
      read.resolve({ bytes, release: () => undefined });
    } else read.resolve(place!);
    this.#pump();
  }

  /** Reads that the thread had fail; the rest waits for the next thread. */
  #ended(cause: unknown, retryMs: number): void {
    const { log } = this.#options;
    const error = new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, {}, cause);
    log.error({ err: error, retryMs }, 'playback reader failed');
    for (const read of this.#posted.values()) this.#fail(read);
    this.#posted.clear();
  }

  #failAll(): void {
    for (const read of this.#posted.values()) this.#fail(read);
    for (const reads of this.#queue.values()) for (const read of reads) this.#fail(read);
    this.#posted.clear();
    this.#queue.clear();
  }

  #fail(read: Read): void {
    read.timer.cancel();
    giveBack(read.taken);
    read.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, { name: read.job.name }));
  }
}

function giveBack(taken: readonly (Taken | NotTaken)[]): void {
  for (const each of taken) if (each.isTaken) each.giveBack();
}
