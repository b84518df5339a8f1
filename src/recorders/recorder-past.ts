/**
 * What video recorders have on their disks, as part of the past of their cameras (docs/design/recorders.md): lists of it, and copies
 * of the times that someone looks at. Copies are recording files of the stream `pulled`.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordedFile } from '../recording/segment-index.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import type { RecordingSpan } from '../store/recording.ts';
import { RECORDER_ERRORS } from './errors.ts';
import { type MissingSpan, PullJob, type PullJobOptions, type PullState } from './pull-job.ts';
import type { KeyMark } from './pulled-media.ts';
import type { ArchiveSpan, RecorderArchive } from './recorder-archive.ts';
import type { RecorderFootage } from './recorder-footage.ts';
import { RecorderLists } from './recorder-lists.ts';
import { isSameChannel, type RecordedChannel } from './recorder-settings.ts';
import { withoutSpans } from './time-spans.ts';

export interface RecorderPastOptions {
  readonly openArchive: (channel: RecordedChannel) => RecorderArchive & { close(): void };
  readonly imports: PullJobOptions['imports'];
  /** Deletes copies. Rejects like the store. */
  readonly remove: (
    files: readonly { cameraUuid: Ruuid; rendition: 'pulled'; number: number }[],
  ) => Promise<void>;
  /** When the gateway itself has recordings. Fails like the store. */
  readonly ownSpans: (cameraUuid: Ruuid, fromMs: number, toMs: number) => Promise<readonly RecordingSpan[]>;
  /** Copies of a camera were deleted: nobody must be told of them anymore. */
  readonly onForgotten: (cameraUuid: Ruuid) => void;
  readonly sound: SoundPaths;
  readonly clock: Clock;
  readonly log: Log;
  /** Replaced in tests. */
  readonly open?: PullJobOptions['open'];
}

/** Stands for a viewer for whom copies are made. */
export type Looker = object | string;

/** A list of the recorder's recordings. */
export interface RecorderList {
  readonly spans: readonly ArchiveSpan[];
}

/** What is known about a recorder's part of a camera's past. */
export interface RecorderStatus {
  /** `waiting`: for one of the recorder's sessions. */
  readonly state: 'idle' | 'waiting' | 'pulling' | 'failed';
  /** Pulls of this recorder that wait for a session. */
  readonly waiting: number;
  readonly error: GatewayError | null;
}

/** Up to when the past of a range is complete. */
export interface Settled {
  readonly untilMs: number;
  /** More will come. */
  readonly isGrowing: boolean;
  /** Why nothing more comes now. */
  readonly error: GatewayError | null;
}

/** Someone who looks at a time wants what follows it. */
const LOOK_AHEAD_MS = 120_000;
/** Players request a list that grows every few seconds. */
const LOOKING_MS = 15_000;
/** Pulled beyond a range, so that the segment at its end is whole. */
const BEYOND_MS = 10_000;
/** Gaps in lists that are shorter are none: they are written in whole seconds. */
const NO_GAP_MS = 2_500;
/** A recorder that failed is tried again after this time. */
const FAILED_MS = 5_000;
/** How long the first request of a range waits for its first segment. */
const FIRST_SEGMENT_MS = 12_000;
const POLL_MS = 50;
/** A copy must not outlive what its recorder deletes by much. */
const KEEP_COPIES_MS = 86_400_000;
const SWEEP_MS = 600_000;
const WATCH_MS = 1_000;
/** First key frames that are remembered of a camera. */
const MAX_FIRST_KEYS = 64;
/** Two requests whose times are this far apart do not begin with the same key frame. */
const SAME_KEY_MS = 60_000;

interface Copy {
  readonly cameraUuid: Ruuid;
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly madeMonoMs: number;
}

interface Covered extends ArchiveSpan {
  /** The key frame that follows it; null: not known. */
  readonly mark: KeyMark | null;
}

interface RunningPull {
  readonly job: PullJob;
  readonly fromMs: number;
  readonly toMs: number;
  readonly end: AbortController;
  readonly lookers: Map<Looker, { atMs: number; lastMonoMs: number }>;
  readonly done: Promise<void>;
}

interface Camera {
  readonly channel: RecordedChannel;
  readonly archive: RecorderArchive & { close(): void };
  readonly queue: FairQueue;
  covered: Covered[];
  /** No order. */
  readonly pulls: Set<RunningPull>;
  /** By digest: the times that were requested. */
  readonly firstKeys: Map<string, number>;
  failed: { readonly error: GatewayError; readonly monoMs: number } | null;
}

export class RecorderPast {
  readonly #options: RecorderPastOptions;
  readonly #cameras = new Map<Ruuid, Camera>();
  readonly #all = new FairQueue(queueOptionsOf(LIMITS.recorderPulls));
  readonly #queues = new Map<Ruuid, FairQueue>();
  readonly #copies: FairMap<Copy, typeof LIMITS.pulledFiles>;
  readonly #lists: RecorderLists;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: RecorderPastOptions) {
    this.#options = options;
    this.#lists = new RecorderLists(options.clock);
    this.#copies = new FairMap(LIMITS.pulledFiles, { onDropped: (_key, copy) => this.#drop([copy]) });
    this.#arm();
  }

  /** Replaces what is configured. Copies of cameras that are not anymore, or elsewhere, are deleted. */
  async configure(channels: readonly RecordedChannel[]): Promise<void> {
    const wanted = new Map(channels.map((channel) => [channel.cameraUuid, channel]));
    const gone = [...this.#cameras].filter(([uuid, { channel }]) => {
      const now = wanted.get(uuid);
      return now === undefined || !isSameChannel(now, channel);
    });
    await Promise.all(gone.map(([uuid]) => this.#forget(uuid)));
    for (const channel of channels) {
      if (!this.#cameras.has(channel.cameraUuid))
        this.#cameras.set(channel.cameraUuid, this.#newCamera(channel));
    }
  }

  has(cameraUuid: Ruuid): boolean {
    return this.#cameras.has(cameraUuid);
  }

  /** What the recorder has, in order and cut to the range. Fails RECORDER_UNKNOWN, and like RecorderArchive.list. */
  async list(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<RecorderList> {
    const camera = this.#cameras.get(cameraUuid);
    if (camera === undefined) throw new GatewayError(RECORDER_ERRORS.RECORDER_UNKNOWN, {});
    const { channel, archive } = camera;
    return { spans: await this.#lists.get(channel, archive, fromMs, toMs) };
  }

  /** The same; nothing if the recorder does not say. Never rejects. */
  async listed(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<readonly ArchiveSpan[]> {
    return (await this.footage(cameraUuid, fromMs, toMs)).spans;
  }

  /** How much time of the camera there are copies of. */
  coveredMs(cameraUuid: Ruuid): number {
    return (this.#cameras.get(cameraUuid)?.covered ?? []).reduce(
      (sum, { fromMs, toMs }) => sum + toMs - fromMs,
      0,
    );
  }

  status(cameraUuid: Ruuid): RecorderStatus {
    const camera = this.#cameras.get(cameraUuid);
    const waiting = camera?.queue.size ?? 0;
    const states = [...(camera?.pulls ?? [])].map(({ job }) => job.state);
    if (states.includes('pulling')) return { state: 'pulling', waiting, error: null };
    if (states.includes('waiting')) return { state: 'waiting', waiting, error: null };
    const error = camera === undefined ? null : this.#failure(camera);
    return { state: error === null ? 'idle' : 'failed', waiting, error };
  }

  /** Of one camera, as in ReadRecorderFootage. Never rejects for reasons of the recorder. */
  async footage(cameraUuid: Ruuid, fromMs: number, toMs: number): Promise<RecorderFootage> {
    if (!this.has(cameraUuid)) return { state: 'none', waiting: 0, spans: [], problem: null };
    try {
      const { spans } = await this.list(cameraUuid, fromMs, toMs);
      const { state, waiting, error } = this.status(cameraUuid);
      const problem = error === null ? null : { code: error.code, message: error.message };
      return { state, waiting, spans, problem };
    } catch (thrown) {
      const { code, message } = toGatewayError(thrown);
      return { state: 'failed', waiting: 0, spans: [], problem: { code, message } };
    }
  }

  /**
   * Someone looks at a range: pulls what is missing, from its beginning. Resolves when at least the first segment is there, or
   * nothing comes. Never rejects for reasons of the recorder.
   */
  async look(cameraUuid: Ruuid, fromMs: number, toMs: number, looker: Looker): Promise<Settled> {
    const camera = this.#cameras.get(cameraUuid);
    const { clock } = this.#options;
    if (camera === undefined || this.#isClosed) return { untilMs: toMs, isGrowing: false, error: null };
    const untilMonoMs = clock.monoMs() + FIRST_SEGMENT_MS;
    let listed: readonly ArchiveSpan[];
    try {
      ({ spans: listed } = await this.list(cameraUuid, fromMs, toMs + BEYOND_MS));
    } catch (thrown) {
      return { untilMs: toMs, isGrowing: false, error: toGatewayError(thrown) };
    }
    const own = await this.#options.ownSpans(cameraUuid, fromMs, toMs + BEYOND_MS);
    const ownSpans = own.map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: endMs }));
    const missing = (): MissingSpan[] =>
      withoutSpans(listed, [...ownSpans, ...camera.covered], NO_GAP_MS)
        .filter((span) => span.fromMs < toMs)
        .map((span) => ({ ...span, isCut: span.toMs >= toMs + BEYOND_MS }));
    const first = missing()[0];
    if (first === undefined) return this.#rest(camera, fromMs, toMs, looker);
    const pull = this.#pullFor(camera, first.fromMs, missing(), looker);
    if (pull === null) return { untilMs: toMs, isGrowing: false, error: this.#failure(camera) };
    const hasSome = [...ownSpans, ...camera.covered].some(
      (span) => span.toMs > fromMs && span.fromMs < first.fromMs,
    );
    while (!hasSome && pull.job.frontierMs <= first.fromMs && camera.pulls.has(pull)) {
      if (clock.monoMs() >= untilMonoMs) break;
      await this.#pause(POLL_MS);
    }
    const next = missing()[0];
    const isLate = !hasSome && clock.monoMs() >= untilMonoMs;
    const error = this.#failure(camera) ?? (isLate ? lateness(pull.job.state, camera.queue.size) : null);
    if (next === undefined) return this.#rest(camera, fromMs, toMs, looker);
    const isGrowing = camera.pulls.has(pull);
    return { untilMs: isGrowing ? Math.min(next.fromMs, toMs) : toMs, isGrowing, error };
  }

  /** All but a moment is there: the end of a recording may still come. */
  #rest({ pulls }: Camera, fromMs: number, toMs: number, looker: Looker): Settled {
    let untilMs = toMs;
    for (const { job, lookers } of pulls) {
      if (job.frontierMs < fromMs || job.frontierMs >= untilMs) continue;
      untilMs = job.frontierMs;
      const look = lookers.get(looker);
      if (look !== undefined) look.lastMonoMs = this.#options.clock.monoMs();
    }
    return { untilMs, isGrowing: untilMs < toMs, error: null };
  }

  /** A viewer has fetched the media of this time. */
  watched(cameraUuid: Ruuid, atMs: number, looker: Looker): void {
    for (const pull of this.#cameras.get(cameraUuid)?.pulls ?? []) {
      const look = pull.lookers.get(looker);
      if (look === undefined) continue;
      look.atMs = Math.max(look.atMs, atMs);
      look.lastMonoMs = this.#options.clock.monoMs();
      pull.job.nudge();
    }
  }

  /** One step of copying a whole range for a caller: called again as long as more comes. */
  async copy(cameraUuid: Ruuid, fromMs: number, toMs: number, looker: Looker): Promise<Settled> {
    const settled = await this.look(cameraUuid, fromMs, toMs, looker);
    this.watched(cameraUuid, settled.untilMs, looker);
    return settled;
  }

  /** Ends all pulls. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const cameras = [...this.#cameras.values()];
    await Promise.all(cameras.map((camera) => this.#end(camera)));
  }

  #newCamera(channel: RecordedChannel): Camera {
    const { uuid, maxSessions } = channel.recorder;
    const queue =
      this.#queues.get(uuid) ??
      new FairQueue({
        ...queueOptionsOf(LIMITS.recorderPulls),
        places: maxSessions,
        placesOfGroup: maxSessions,
        placesOfMember: maxSessions,
      });
    this.#queues.set(uuid, queue);
    return {
      channel,
      queue,
      archive: this.#options.openArchive(channel),
      covered: [],
      pulls: new Set(),
      firstKeys: new Map(),
      failed: null,
    };
  }

  #pullFor(camera: Camera, fromMs: number, spans: MissingSpan[], looker: Looker): RunningPull | null {
    const { clock } = this.#options;
    const look = { atMs: fromMs, lastMonoMs: clock.monoMs() };
    for (const pull of camera.pulls) {
      const isThere = fromMs >= pull.fromMs - NO_GAP_MS && fromMs <= pull.job.frontierMs + LOOK_AHEAD_MS;
      if (!isThere || fromMs > pull.toMs) {
        // The viewer has gone elsewhere.
        pull.lookers.delete(looker);
        if (pull.lookers.size === 0) pull.end.abort();
        continue;
      }
      const known = pull.lookers.get(looker);
      if (known === undefined) pull.lookers.set(looker, look);
      else known.lastMonoMs = look.lastMonoMs;
      pull.job.nudge();
      return pull;
    }
    if (this.#failure(camera) !== null) return null;
    // Lists that were made meanwhile have a gap where this will be.
    if (camera.failed !== null) this.#options.onForgotten(camera.channel.cameraUuid);
    camera.failed = null;
    return this.#begin(camera, spans, new Map([[looker, look]]));
  }

  #begin(camera: Camera, spans: MissingSpan[], lookers: RunningPull['lookers']): RunningPull {
    const { imports, sound, clock, log, open } = this.#options;
    const { channel, archive, queue } = camera;
    const { fromMs } = spans[0]!;
    const end = new AbortController();
    const turn = { group: channel.orgUuid, member: channel.cameraUuid };
    const job = new PullJob({
      channel,
      archive,
      spans,
      mark: camera.covered.find(({ toMs }) => Math.abs(toMs - fromMs) < 1)?.mark ?? null,
      imports,
      inTurn: (work, signal) => queue.run(turn, () => this.#all.run(turn, work, signal), signal),
      sound,
      clock,
      log,
      watchedMs: () => Math.max(...lookers.values().map(({ atMs }) => atMs)),
      aheadMs: LOOK_AHEAD_MS,
      onListed: (file, coveredMs, endMs) =>
        this.#listed(camera, file, { fromMs: coveredMs, toMs: endMs, mark: null }),
      onSettled: (span, mark) => this.#cover(camera, { ...span, mark }),
      isPlausible: (mark, requestedMs) => this.#isPlausible(camera, mark, requestedMs),
      ...(open === undefined ? {} : { open }),
    });
    const done = job.run(end.signal).then(() => {
      camera.pulls.delete(pull);
      if (job.error !== null) camera.failed = { error: job.error, monoMs: clock.monoMs() };
    });
    const pull: RunningPull = { job, fromMs, toMs: spans.at(-1)!.toMs, end, lookers, done };
    camera.pulls.add(pull);
    void this.#endUnwatched(camera, pull);
    return pull;
  }

  /** Ends a pull that nobody looks at. */
  async #endUnwatched(camera: Camera, pull: RunningPull): Promise<void> {
    const { clock } = this.#options;
    while (camera.pulls.has(pull) && !pull.end.signal.aborted) {
      for (const [looker, { lastMonoMs }] of pull.lookers) {
        if (clock.monoMs() - lastMonoMs > LOOKING_MS) pull.lookers.delete(looker);
      }
      if (pull.lookers.size === 0) pull.end.abort();
      await this.#pause(WATCH_MS);
    }
  }

  #listed(camera: Camera, file: RecordedFile, span: Covered): void {
    const { cameraUuid, orgUuid } = camera.channel;
    const copy = {
      cameraUuid,
      number: file.number,
      fromMs: span.fromMs,
      toMs: span.toMs,
      madeMonoMs: this.#options.clock.monoMs(),
    };
    if (this.#cameras.get(cameraUuid) !== camera) {
      this.#drop([copy]);
      return;
    }
    this.#cover(camera, span);
    const holders = { organization: orgUuid, camera: cameraUuid };
    this.#copies.set(`${cameraUuid}/${file.number}`, holders, copy, file.byteLength);
  }

  #cover(camera: Camera, { fromMs, toMs, mark }: Covered): void {
    const joined: Covered[] = [];
    for (const span of [...camera.covered, { fromMs, toMs, mark }].toSorted((a, b) => a.fromMs - b.fromMs)) {
      const last = joined.at(-1);
      if (last === undefined || span.fromMs > last.toMs + 1) joined.push(span);
      else if (span.toMs > last.toMs || (span.toMs === last.toMs && span.mark !== null)) {
        joined[joined.length - 1] = { fromMs: last.fromMs, toMs: span.toMs, mark: span.mark };
      }
    }
    camera.covered = joined;
  }

  #isPlausible({ firstKeys }: Camera, { digest }: KeyMark, requestedMs: number): boolean {
    const before = firstKeys.get(digest);
    firstKeys.delete(digest);
    firstKeys.set(digest, before ?? requestedMs);
    if (firstKeys.size > MAX_FIRST_KEYS) firstKeys.delete(firstKeys.keys().next().value!);
    return before === undefined || Math.abs(before - requestedMs) < SAME_KEY_MS;
  }

  #failure({ failed }: Camera): GatewayError | null {
    if (failed === null || this.#options.clock.monoMs() - failed.monoMs > FAILED_MS) return null;
    return failed.error;
  }

  /** The copies are gone from the lists before they are deleted. */
  #drop(copies: readonly Copy[]): void {
    const { remove, onForgotten, log } = this.#options;
    for (const { cameraUuid, fromMs, toMs } of copies) {
      const camera = this.#cameras.get(cameraUuid);
      if (camera !== undefined) {
        const left = withoutSpans(camera.covered, [{ fromMs, toMs }], 0);
        camera.covered = left.map((span) => ({ ...span, mark: null }));
      }
      onForgotten(cameraUuid);
    }
    const files = copies.map(({ cameraUuid, number }) => ({
      cameraUuid,
      rendition: 'pulled' as const,
      number,
    }));
    remove(files).catch((thrown) =>
      log.error({ err: toGatewayError(thrown) }, 'pulled recordings not deleted'),
    );
  }

  async #forget(cameraUuid: Ruuid): Promise<void> {
    const camera = this.#cameras.get(cameraUuid)!;
    this.#cameras.delete(cameraUuid);
    await this.#end(camera);
    const own = [...this.#copies].filter(([, copy]) => copy.cameraUuid === cameraUuid);
    for (const [key] of own) this.#copies.delete(key);
    this.#lists.forget(cameraUuid);
    this.#drop(own.map(([, copy]) => copy));
  }

  async #end(camera: Camera): Promise<void> {
    for (const { end } of camera.pulls) end.abort();
    await Promise.all([...camera.pulls].map(({ done }) => done));
    camera.archive.close();
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(SWEEP_MS, () => {
      const oldestMonoMs = this.#options.clock.monoMs() - KEEP_COPIES_MS;
      const old = [...this.#copies].filter(([, { madeMonoMs }]) => madeMonoMs < oldestMonoMs);
      for (const [key] of old) this.#copies.delete(key);
      if (old.length > 0) this.#drop(old.map(([, copy]) => copy));
      if (!this.#isClosed) this.#arm();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }
}

/** Why nothing has come for a while, although the recorder did not refuse. */
function lateness(state: PullState, waiting: number): GatewayError {
  return state === 'waiting'
    ? new GatewayError(RECORDER_ERRORS.RECORDER_BUSY, { waiting })
    : new GatewayError(RECORDER_ERRORS.RECORDER_UNREACHABLE, {});
}
