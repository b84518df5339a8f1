/**
 * Movies of recordings, made by a thread of their own: the caller's thread neither waits for a disk nor reads a thousand
 * fragments. The thread starts with the first movie; if it ends, what it had fails and a later call starts another. After
 * a second failure, calls fail for a pause that grows: one that fails with its first disk access must not be started with
 * every request.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { RestartedThread } from '../threads/restarted-thread.ts';
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

export type LaunchMovieThread = (events: ThreadEvents<MovieNotice>) => MessageThread<MovieMessage>;

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

type CopyProgress = (doneBytes: number, totalBytes: number) => void;

type Request = Exclude<MovieMessage, { op: 'cancel' | 'bytes' }>;
/** A request without its number. */
type Requested = Request extends infer Each ? (Each extends Request ? Omit<Each, 'id'> : never) : never;

export class MovieMaker {
  readonly #options: MovieMakerOptions;
  readonly #calls = new PendingCalls<MovieNotice>();
  /** Progress callbacks of copies. */
  readonly #onProgress = new Map<number, CopyProgress>();
  readonly #thread: RestartedThread<MovieMessage, MovieNotice>;
  #isUploadFailing = false;
  #isClosed = false;

  constructor(options: MovieMakerOptions) {
    const { launch, clock, log } = options;
    this.#options = options;
    this.#thread = new RestartedThread<MovieMessage, MovieNotice>({
      launch,
      clock,
      onNotice: (notice) => {
        if (notice.op === 'read') void this.#readFor(notice);
        else if (notice.op === 'upload' || notice.op === 'refused') this.#uploadChanged(notice);
        else this.#noticed(notice);
      },
      onEnd: (cause, retryMs) => {
        if (this.#isUploadFailing) this.#setUploadFailing(false);
        const error = new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, {}, cause);
        log.error({ err: error, retryMs }, 'movie thread ended');
        this.#calls.rejectAll(() => error);
      },
    });
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
    onProgress: CopyProgress,
    signal: AbortSignal,
  ): Promise<CopiedMovie> {
    if (signal.aborted) throw new GatewayError(PLAYBACK_ERRORS.MOVIE_CANCELED);
    const { id, notice } = this.#call({ op: 'copy', source, name }, COPY_STALL_MS);
    this.#onProgress.set(id, onProgress);
    const cancel = () => this.#thread.running?.post({ op: 'cancel', of: id });
    signal.addEventListener('abort', cancel);
    try {
      return ((await notice) as Extract<MovieNotice, { op: 'copied' }>).movie;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#onProgress.delete(id);
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
    this.#calls.rejectAll(() => new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED));
    this.#thread.close();
  }

  /** `id`: -1 if the thread does not get it. */
  #call(requested: Requested, ms: number): { readonly id: number; readonly notice: Promise<MovieNotice> } {
    const { clock } = this.#options;
    if (this.#isClosed) return { id: -1, notice: failed(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED) };
    if (this.#calls.size >= MAX_WAITING_MOVIES) {
      return { id: -1, notice: failed(PLAYBACK_ERRORS.PLAYBACK_TOO_MANY_READS) };
    }
    const thread = this.#thread.get();
    if (thread === null) return { id: -1, notice: failed(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED) };
    const { id, result } = this.#calls.add({ clock, ms, onPassed: () => this.#hangs() });
    thread.post({ ...requested, id } as Request);
    return { id, notice: result };
  }

  /** The thread hangs in the disk: it is replaced, so that what it had is not written later. */
  #hangs(): GatewayError {
    this.#thread.replace();
    return new GatewayError(PLAYBACK_ERRORS.PLAYBACK_STORAGE_SLOW);
  }

  async #readFor(notice: Extract<MovieNotice, { op: 'read' }>): Promise<void> {
    const thread = this.#thread.running;
    const { id, read, job } = notice;
    this.#calls.extend(id);
    const bytes = (await this.#options.readElsewhere?.(job).catch(() => null)) ?? null;
    if (this.#thread.running === thread) thread?.post({ op: 'bytes', read, bytes });
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
    if (notice.op === 'progress') {
      if (this.#calls.extend(notice.id))
        this.#onProgress.get(notice.id)?.(notice.doneBytes, notice.totalBytes);
    } else if (notice.op === 'failed') this.#calls.fail(notice.id, notice.failure);
    else this.#calls.resolve(notice.id, notice);
  }
}

function failed(definition: (typeof PLAYBACK_ERRORS)[keyof typeof PLAYBACK_ERRORS]): Promise<never> {
  return Promise.reject(new GatewayError(definition));
}
