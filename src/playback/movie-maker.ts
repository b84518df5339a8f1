/**
 * Movies of recordings, made by a thread of their own: the caller's thread neither waits for a disk nor reads a thousand
 * fragments. The thread starts with the first movie; if it ends, what it had fails and a later call starts another. After
 * a second failure, calls fail for a pause that grows: one that fails with its first disk access must not be started with
 * every request.
 */

import { Backoff } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { errorOfWire } from '../core/wire-error.ts';
import type { MessageThread, ThreadEvents } from '../threads/spawn-thread.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type {
  CopiedMovie,
  CopySource,
  MadeMovie,
  MovieMessage,
  MovieNotice,
  MovieSource,
  UploadNotice,
} from './movie-protocol.ts';
import type { ReadJob } from './read-protocol.ts';

type MovieThread = MessageThread<MovieMessage>;

export type LaunchMovieThread = (events: ThreadEvents<MovieNotice>) => MovieThread;

export interface MovieMakerOptions {
  readonly launch: LaunchMovieThread;
  /** Bytes of a file that is on another node's disk. Absent: all files are in the storage. */
  readonly readElsewhere?: (job: ReadJob) => Promise<Uint8Array>;
  /** Whether what the thread has written cannot be uploaded to S3 now. */
  readonly onUpload?: (isFailing: boolean) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Calls that are not answered yet: more than LIMITS.rangeMovies, clipJobs, alertClipJobs and clipDeletions allow, which are shared out. */
export const MAX_WAITING_MOVIES = 64;
/** A head takes about 5 ms per minute of video; a disk that hangs takes forever. */
export const MAKE_DEADLINE_MS = 30_000;
/** A copy that has written nothing for this time fails. */
export const COPY_STALL_MS = 60_000;
/** As for the recorder. */
const FIRST_RESTART_MS = 250;
const MAX_RESTART_MS = 10_000;

interface Call {
  readonly deadlineMs: number;
  timer: TimerHandle;
  resolve(notice: MovieNotice): void;
  reject(error: GatewayError): void;
  onProgress(doneBytes: number, totalBytes: number): void;
}

type Request = Exclude<MovieMessage, { op: 'cancel' | 'bytes' }>;
/** A request without its number. */
type Asked = Request extends infer Each ? (Each extends Request ? Omit<Each, 'id'> : never) : never;

export class MovieMaker {
  readonly #options: MovieMakerOptions;
  readonly #calls = new Map<number, Call>();
  #thread: MovieThread | null = null;
  readonly #backoff = new Backoff({ firstMs: FIRST_RESTART_MS, lastMs: MAX_RESTART_MS });
  /** Until then, no thread is started. */
  #restartMonoMs = Number.NEGATIVE_INFINITY;
  /** The thread that runs was ended by us. */
  #isReplacing = false;
  #isUploadFailing = false;
  #nextId = 0;
  #isClosed = false;

  constructor(options: MovieMakerOptions) {
    this.#options = options;
  }

  /**
   * Fails RANGE_EMPTY, RANGE_TOO_LARGE, RECORDING_…, ISOBMFF_… for damaged recordings, PLAYBACK_TOO_MANY_READS,
   * PLAYBACK_STORAGE_SLOW, PLAYBACK_READER_FAILED.
   */
  async make(source: MovieSource): Promise<MadeMovie> {
    const { notice } = this.#call({ op: 'make', source }, MAKE_DEADLINE_MS);
    const made = (await notice) as Extract<MovieNotice, { op: 'made' }>;
    const { buffer, byteOffset, byteLength } = made.movie.head;
    return { ...made.movie, head: Buffer.from(buffer, byteOffset, byteLength) };
  }

  /**
   * The same, or a timelapse, written to a file of its own. `onProgress` has 0 of 0 bytes until its length is known.
   * `signal` ends it: MOVIE_CANCELED.
   */
  async copy(
    source: CopySource,
    name: string,
    onProgress: (doneBytes: number, totalBytes: number) => void,
    signal: AbortSignal,
  ): Promise<CopiedMovie> {
    if (signal.aborted) throw new GatewayError(PLAYBACK_ERRORS.MOVIE_CANCELED);
    const { id, notice } = this.#call({ op: 'copy', source, name }, COPY_STALL_MS, onProgress);
    const cancel = () => this.#thread?.post({ op: 'cancel', of: id });
    signal.addEventListener('abort', cancel);
    try {
      return ((await notice) as Extract<MovieNotice, { op: 'copied' }>).movie;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** A small file, at least 8 bytes. Replaces one of that name. Resolves with whether these are the bytes that are stored. */
  async write(name: string, bytes: Uint8Array): Promise<boolean> {
    const { notice } = this.#call({ op: 'write', name, bytes }, MAKE_DEADLINE_MS);
    return ((await notice) as Extract<MovieNotice, { op: 'written' }>).isPlain;
  }

  /** Whether there was such a file. */
  async delete(name: string): Promise<boolean> {
    const { notice } = this.#call({ op: 'delete', name }, MAKE_DEADLINE_MS);
    return ((await notice) as Extract<MovieNotice, { op: 'deleted' }>).existed;
  }

  /** Names directly under the folder, without it. */
  async list(folder: string): Promise<readonly string[]> {
    const { notice } = this.#call({ op: 'list', folder }, MAKE_DEADLINE_MS);
    return ((await notice) as Extract<MovieNotice, { op: 'listed' }>).names;
  }

  /** Fails what waits, and ends the thread. A file that was being written is left as it is. */
  close(): void {
    this.#isClosed = true;
    const thread = this.#thread;
    this.#thread = null;
    this.#failAll(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED));
    thread?.terminate();
  }

  #call(
    asked: Asked,
    deadlineMs: number,
    onProgress: Call['onProgress'] = () => undefined,
  ): { id: number; notice: Promise<MovieNotice> } {
    const id = this.#nextId++;
    if (this.#isClosed) return { id, notice: failed(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED) };
    if (this.#calls.size >= MAX_WAITING_MOVIES) {
      return { id, notice: failed(PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_READS) };
    }
    if (this.#thread === null && this.#options.clock.monoMs() < this.#restartMonoMs) {
      return { id, notice: failed(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED) };
    }
    this.#thread ??= this.#launch();
    const notice = new Promise<MovieNotice>((resolve, reject) => {
      const timer = this.#deadline(id, deadlineMs);
      this.#calls.set(id, { deadlineMs, timer, resolve, reject, onProgress });
    });
    this.#thread.post({ ...asked, id } as Request);
    return { id, notice };
  }

  /** The thread hangs in the disk: it is replaced, so that what it had is not written later. */
  #deadline(id: number, deadlineMs: number): TimerHandle {
    return this.#options.clock.after(deadlineMs, () => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      call?.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_STORAGE_SLOW));
      this.#isReplacing = true;
      this.#thread?.terminate();
    });
  }

  #launch(): MovieThread {
    const { clock, log } = this.#options;
    this.#isReplacing = false;
    this.#backoff.started(clock.monoMs());
    const thread: MovieThread = this.#options.launch({
      onNotice: (notice) => {
        if (this.#thread !== thread) return;
        if (notice.op === 'read') void this.#readFor(thread, notice);
        else if (notice.op === 'upload' || notice.op === 'refused') this.#uploadChanged(notice);
        else this.#noticed(notice);
      },
      onEnd: (cause) => {
        if (this.#thread !== thread) return;
        this.#thread = null;
        if (this.#isUploadFailing) this.#setUploadFailing(false);
        const error = new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, {}, cause);
        const retryMs = this.#isReplacing ? 0 : this.#pauseMs(clock.monoMs());
        this.#restartMonoMs = clock.monoMs() + retryMs;
        log.error({ err: error, retryMs }, 'movie thread ended');
        this.#failAll(error);
      },
    });
    return thread;
  }

  /**
   * None after the first failure, so that what cleans up after it is not refused. A thread that hangs is paced by the
   * deadlines of calls.
   */
  #pauseMs(nowMonoMs: number): number {
    const pauseMs = this.#backoff.ended(nowMonoMs);
    return pauseMs === FIRST_RESTART_MS ? 0 : pauseMs;
  }

  async #readFor(thread: MovieThread, notice: Extract<MovieNotice, { op: 'read' }>): Promise<void> {
    const { id, read, job } = notice;
    const call = this.#calls.get(id);
    if (call !== undefined) {
      call.timer.cancel();
      call.timer = this.#deadline(id, call.deadlineMs);
    }
    const bytes = (await this.#options.readElsewhere?.(job).catch(() => null)) ?? null;
    if (this.#thread === thread) thread.post({ op: 'bytes', read, bytes });
  }

  #uploadChanged(notice: UploadNotice): void {
    const { log } = this.#options;
    if (notice.op === 'refused') {
      log.warn({ name: notice.name, err: errorOfWire(notice.failure) }, 'clip refused by S3, trying again');
      return;
    }
    this.#setUploadFailing(notice.failure !== null);
    if (notice.failure === null) log.info({}, 'clips uploaded again');
    else log.error({ err: errorOfWire(notice.failure) }, 'clips not uploaded, trying again');
  }

  #setUploadFailing(isFailing: boolean): void {
    this.#isUploadFailing = isFailing;
    this.#options.onUpload?.(isFailing);
  }

  #noticed(notice: Exclude<MovieNotice, UploadNotice | { op: 'read' }>): void {
    const call = this.#calls.get(notice.id);
    if (call === undefined) return;
    call.timer.cancel();
    if (notice.op === 'progress') {
      call.timer = this.#deadline(notice.id, call.deadlineMs);
      call.onProgress(notice.doneBytes, notice.totalBytes);
      return;
    }
    this.#calls.delete(notice.id);
    if (notice.op !== 'failed') call.resolve(notice);
    else call.reject(errorOfWire(notice.failure));
  }

  #failAll(error: GatewayError): void {
    for (const call of this.#calls.values()) {
      call.timer.cancel();
      call.reject(error);
    }
    this.#calls.clear();
  }
}

function failed(definition: (typeof PLAYBACK_ERRORS)[keyof typeof PLAYBACK_ERRORS]): Promise<never> {
  return Promise.reject(new GatewayError(definition));
}
