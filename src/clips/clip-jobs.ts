/**
 * Makes clips: copies of a time of recordings, which survive them. A job is in the store from before its caller gets a response
 * until its clip is complete, so it continues after a restart, however the gateway ended. Jobs run in a thread of their own
 * (playback/movie-maker.ts). docs/design/clips.md#jobs.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { type Clock, pause, type TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { PLAYBACK_ERRORS } from '../playback/errors.ts';
import type { MovieMaker } from '../playback/movie-maker.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { CLIPS_FOLDER } from '../recording/open-storage.ts';
import { HeldLease, TAKEOVER_INTERVAL_MS } from '../store/held-lease.ts';
import type { LeaseRepository } from '../store/lease.ts';
import type { ResourceRepository, ResourceStore } from '../store/resource.ts';
import { ClipFileDeletion } from './clip-file-deletion.ts';
import {
  CLIP_FILES,
  CLIP_JOBS,
  type ClipDevice,
  type ClipFileBody,
  type ClipImage,
  type ClipJob,
  type ClipJobBody,
  clipFileName,
  clipFileUuid,
  clipImageName,
} from './clip-records.ts';
import { signatureOfClip } from './clip-signature.ts';
import { areRecorded, type ClipMedia, sourceOf } from './clip-sources.ts';
import { CLIP_ERRORS } from './errors.ts';

export type ClipMaker = Pick<MovieMaker, 'copy' | 'write' | 'delete' | 'list'>;

/** A JPEG of what the camera recorded at the instant. Rejects if there is none. */
export type TakeClipImage = (cameraUuid: Ruuid, atEpochMs: number) => Promise<Uint8Array>;

export interface ClipJobsOptions {
  readonly resources: ResourceStore;
  /** If several gateways share a database, one of them runs a job. */
  readonly leases: LeaseRepository;
  readonly media: ClipMedia;
  readonly maker: ClipMaker;
  readonly takeImage: TakeClipImage;
  /** Whether the organization has the camera now. Rejects like the store. */
  readonly hasCamera: (orgUuid: Ruuid, cameraUuid: Ruuid) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** The files of a clip are there. Called before its job is forgotten, maybe again after a restart. */
  readonly onComplete: (job: ClipJob, files: readonly ClipFileBody[]) => Promise<void>;
  /** The failed clip of an alert is forgotten: no caller ordered it. */
  readonly onFailed: (job: ClipJob, error: GatewayError) => Promise<void>;
}

/** Progress of one camera. */
export interface DeviceProgress {
  readonly device: string;
  readonly doneBytes: number;
  /** 0: not known yet. */
  readonly totalBytes: number;
}

/** When the last segment of a time must be in the catalog, after its end: the longest segment, and what waits for the disk. */
export const COMPLETE_AFTER_MS = 30_000;
const LOOK_AGAIN_MS = 1_000;
/** Jobs are stored before what callers see of them. */
const LISTED_AFTER_MS = 60_000;
const MAX_ATTEMPTS = 3;
const RETRY_MS = 2_000;
/** Retention looks every minute whether recordings must make room. */
const DISK_FULL_RETRY_MS = 65_000;
/** Trying again cannot help. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  PLAYBACK_ERRORS.RANGE_EMPTY.code,
  PLAYBACK_ERRORS.RANGE_SOUND_ONLY.code,
  PLAYBACK_ERRORS.RANGE_TOO_LARGE.code,
  PLAYBACK_ERRORS.MOVIE_CANCELED.code,
  CLIP_ERRORS.CLIP_CAMERA_NOT_FOUND.code,
]);

interface ActiveJob {
  readonly job: ClipJob;
  /** Nobody wants it anymore, or the gateway stops. */
  readonly abort: AbortController;
  /** It fails with this. */
  readonly ended: AbortController;
  /** Aborts with either of them. */
  readonly signal: AbortSignal;
  /** By camera. */
  readonly progress: Map<Ruuid, DeviceProgress>;
  done: Promise<void>;
}

export class ClipJobs {
  readonly #options: ClipJobsOptions;
  readonly #jobs: ResourceRepository<ClipJobBody>;
  readonly #files: ResourceRepository<ClipFileBody>;
  readonly #active = new Map<Ruuid, ActiveJob>();
  /** Organizations take turns, and the cameras of each. */
  readonly #places = new FairQueue(queueOptionsOf(LIMITS.clipJobs));
  /** Those of alerts, so that many alerts do not hold up what someone waits for. */
  readonly #alertPlaces = new FairQueue(queueOptionsOf(LIMITS.alertClipJobs));
  readonly #deletion: ClipFileDeletion;
  /** Room for active jobs. */
  readonly #room = new Pool(LIMITS.activeClipJobs);
  readonly #closing = new AbortController();
  readonly #owner = newRuuid();
  #takeover: TimerHandle | null = null;
  /** Jobs run outside of any request: the request that ordered one is over when the job changes the store. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(options: ClipJobsOptions) {
    this.#options = options;
    this.#deletion = new ClipFileDeletion({ ...options, closing: this.#closing.signal });
    this.#jobs = options.resources.of(CLIP_JOBS);
    this.#files = options.resources.of(CLIP_FILES);
  }

  /**
   * Continues the jobs that an earlier run left, and deletes files that no record names. `notYet`: jobs that are left alone.
   * Rejects like the store.
   */
  async begin(notYet: ReadonlySet<Ruuid>): Promise<void> {
    const jobs = await this.#jobs.listEverywhere();
    for (const job of jobs) if (job.body.failureCode === null && !notYet.has(job.uuid)) this.run(job);
    await this.#sweep(new Set(jobs.map(({ uuid }) => uuid)));
    if (this.#options.leases.isShared) this.#armTakeover(notYet);
  }

  /** Jobs of gateways that were killed: those that run elsewhere have a lease. */
  #armTakeover(notYet: ReadonlySet<Ruuid>): void {
    if (this.#closing.signal.aborted) return;
    this.#takeover = this.#options.clock.after(TAKEOVER_INTERVAL_MS, () => {
      this.#takeOver(notYet)
        .catch((thrown) => {
          this.#options.log.error({ err: toGatewayError(thrown) }, 'clip jobs of other gateways not read');
        })
        .finally(() => this.#armTakeover(notYet));
    });
  }

  /** A clip that was ordered just now may not be listed yet. */
  async #takeOver(notYet: ReadonlySet<Ruuid>): Promise<void> {
    const newestMs = this.#options.clock.epochMs() - LISTED_AFTER_MS;
    for (const job of await this.#jobs.listEverywhere()) {
      const isWaiting = job.body.failureCode === null && !notYet.has(job.uuid);
      if (isWaiting && job.createdAtMs <= newestMs && this.hasRoomFor(job.orgUuid)) this.run(job);
    }
  }

  /** Whether the organization can have one more clip for which no caller waits. */
  hasRoomFor(orgUuid: Ruuid): boolean {
    return this.#room.left({ organization: orgUuid }) >= 1;
  }

  /** Per camera; null: the clip is not being made. */
  progress(clipUuid: Ruuid): readonly DeviceProgress[] | null {
    const active = this.#active.get(clipUuid);
    return active === undefined ? null : [...active.progress.values()];
  }

  /** A job that is in the store. */
  run(job: ClipJob): void {
    if (this.#closing.signal.aborted || this.#active.has(job.uuid)) return;
    const progress = new Map(
      job.body.devices.map(({ device, cameraUuid }) => [cameraUuid, { device, doneBytes: 0, totalBytes: 0 }]),
    );
    const [abort, ended] = [new AbortController(), new AbortController()];
    const signal = AbortSignal.any([abort.signal, ended.signal]);
    const active: ActiveJob = { job, abort, ended, signal, progress, done: Promise.resolve() };
    this.#active.set(job.uuid, active);
    // An ordered clip is made no matter what else is active: the store bounds how many an organization has.
    const taken = this.#room.take({ organization: job.orgUuid });
    active.done = this.#outside(() => this.#runAlone(active))
      .catch((thrown) => {
        // The store takes nothing: the job is there at the next start.
        this.#options.log.error({ clip: job.uuid, err: toGatewayError(thrown) }, 'clip job interrupted');
      })
      .finally(() => {
        if (taken.isTaken) taken.giveBack();
        if (this.#active.get(job.uuid) === active) this.#active.delete(job.uuid);
      });
  }

  /** Ends the job, if there is one, and deletes the clip's files and records. Rejects like the store. */
  async discard(orgUuid: Ruuid, clipUuid: Ruuid): Promise<void> {
    const active = this.#active.get(clipUuid);
    active?.abort.abort();
    await active?.done;
    const job = await this.#jobs.find(orgUuid, clipUuid);
    await this.#deleteFiles(orgUuid, clipUuid, job, async () => {
      if (job !== null) await this.#jobs.remove(orgUuid, clipUuid);
    });
  }

  /** A camera was removed: its ordered clips end, and nothing of them is left. */
  cameraRemoved(orgUuid: Ruuid, cameraUuid: Ruuid): void {
    for (const { job, ended } of this.#active.values()) {
      const device = job.body.devices.find((each) => each.cameraUuid === cameraUuid);
      if (device === undefined || job.orgUuid !== orgUuid || !isOrdered(job)) continue;
      ended.abort(new GatewayError(CLIP_ERRORS.CLIP_CAMERA_NOT_FOUND, { device: device.device }));
    }
  }

  /** Jobs in progress continue at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#takeover?.cancel();
    const active = [...this.#active.values()];
    for (const { abort } of active) abort.abort();
    await Promise.all(active.map(({ done }) => done));
  }

  /** Resolves when no job is running. */
  async settled(): Promise<void> {
    while (this.#active.size > 0) await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  /** If the lease is lost, another gateway may already have begun: this one leaves everything as it is. */
  async #runAlone(active: ActiveJob): Promise<void> {
    const { leases, clock } = this.#options;
    const lease = await HeldLease.take(leases, `clip/${active.job.uuid}`, this.#owner, clock);
    if (lease === null) return;
    const leave = () => active.abort.abort();
    lease.lost.addEventListener('abort', leave);
    try {
      await this.#run(active);
    } finally {
      lease.lost.removeEventListener('abort', leave);
      await lease.release();
    }
  }

  async #run(active: ActiveJob): Promise<void> {
    const { job, abort, ended, signal } = active;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#untilRecorded(job, signal);
        const files = await this.#inTurn(active);
        if (abort.signal.aborted) return;
        await this.#expectCameras(job);
        await this.#options.onComplete(job, files);
        await this.#jobs.remove(job.orgUuid, job.uuid);
        return;
      } catch (thrown) {
        if (abort.signal.aborted) return;
        const error = toGatewayError(ended.signal.aborted ? ended.signal.reason : thrown);
        if (FINAL_CODES.has(error.code) || attempt === MAX_ATTEMPTS) return this.#fail(job, error);
        this.#options.log.warn({ clip: job.uuid, attempt, err: error }, 'clip not made, trying again');
        const isFull = error.code === RECORDING_ERRORS.RECORDING_DISK_FULL.code;
        await pause(this.#options.clock, isFull ? DISK_FULL_RETRY_MS : RETRY_MS, signal);
      }
    }
  }

  /** Makes the job's files when it is its turn; it fails as soon as the clip is not wanted anymore. */
  async #inTurn(active: ActiveJob): Promise<ClipFileBody[]> {
    const { job, abort } = active;
    const places = job.body.alertUuid === undefined ? this.#places : this.#alertPlaces;
    const turn = { group: job.orgUuid, member: job.body.devices[0]!.cameraUuid };
    for (;;) {
      const files = await places.run(turn, () => this.#copyAll(active), abort.signal);
      if (files !== null) return files;
      // It made room for one of another organization.
      await pause(this.#options.clock, RETRY_MS, abort.signal);
    }
  }

  async #fail(job: ClipJob, error: GatewayError): Promise<void> {
    const { alertUuid } = job.body;
    if (alertUuid !== undefined) {
      // If only some of several cameras have footage, it is shown.
      const files = await this.#files.listByParent(job.orgUuid, job.uuid);
      if (files.length > 0) {
        await this.#options.onComplete(
          job,
          files.map(({ body }) => body),
        );
      } else await this.#options.onFailed(job, error);
      await this.#jobs.remove(job.orgUuid, job.uuid);
      return;
    }
    this.#options.log.warn({ clip: job.uuid, err: error }, 'clip failed');
    // Trying again would find the files of the others. But it is not to show the camera, and may never be tried again.
    if (error.code === CLIP_ERRORS.CLIP_CAMERA_NOT_FOUND.code) {
      await this.#deleteFiles(job.orgUuid, job.uuid, job);
    }
    await this.#jobs.change(job.orgUuid, job.uuid, (known) =>
      known === null ? 'unchanged' : { ...known, body: { ...known.body, failureCode: error.code } },
    );
    await this.#options.onFailed(job, error);
  }

  /** The newest seconds of a time are in the catalog a while after they passed. */
  async #untilRecorded({ body, createdAtMs }: ClipJob, signal: AbortSignal): Promise<void> {
    const { clock, media } = this.#options;
    const { devices, toMs, recordingNumber } = body;
    if (recordingNumber !== undefined) return;
    const beganMonoMs = clock.monoMs();
    while (!signal.aborted) {
      // A clock that was set back since the order makes no clip wait for it.
      const nowMs = Math.max(clock.epochMs(), createdAtMs + clock.monoMs() - beganMonoMs);
      if (nowMs >= toMs + COMPLETE_AFTER_MS) return;
      if (nowMs >= toMs && (await areRecorded(media, devices, toMs))) return;
      await pause(
        this.#options.clock,
        Math.max(LOOK_AGAIN_MS, Math.min(toMs - nowMs, COMPLETE_AFTER_MS)),
        signal,
      );
    }
  }

  /** Clips of alerts, and those that were handed over, stay what they are. Fails CLIP_CAMERA_NOT_FOUND. */
  async #expectCameras(job: ClipJob): Promise<void> {
    if (!isOrdered(job)) return;
    for (const { device, cameraUuid } of job.body.devices) {
      if (await this.#options.hasCamera(job.orgUuid, cameraUuid)) continue;
      throw new GatewayError(CLIP_ERRORS.CLIP_CAMERA_NOT_FOUND, { device });
    }
  }

  async #copyAll(active: ActiveJob): Promise<ClipFileBody[]> {
    const { job, signal } = active;
    await this.#expectCameras(job);
    const files: ClipFileBody[] = [];
    for (const device of job.body.devices) {
      if (signal.aborted) break;
      const uuid = clipFileUuid(job.uuid, device.cameraUuid);
      const known = await this.#files.find(job.orgUuid, uuid);
      const file = known?.body ?? (await this.#copyIfRecorded(active, device));
      if (file === null) continue;
      this.#note(active, device, file.byteLength, file.byteLength);
      files.push(file);
    }
    if (files.length === 0) throw new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY);
    return files;
  }

  /** null: this camera of an alert has no recording. */
  async #copyIfRecorded(active: ActiveJob, device: ClipDevice): Promise<ClipFileBody | null> {
    try {
      return await this.#copy(active, device);
    } catch (thrown) {
      const { code } = toGatewayError(thrown);
      if (active.job.body.alertUuid === undefined || code !== PLAYBACK_ERRORS.RANGE_EMPTY.code) throw thrown;
      return null;
    }
  }

  async #copy(active: ActiveJob, device: ClipDevice): Promise<ClipFileBody> {
    const { media, maker, log } = this.#options;
    const { job, signal } = active;
    const source = await sourceOf(media, job.body, device, signal);
    const name = clipFileName(job.uuid, device.cameraUuid);
    const note = (doneBytes: number, totalBytes: number) => this.#note(active, device, doneBytes, totalBytes);
    const movie = await maker.copy(source, name, note, signal);
    const signed = await signatureOfClip(source, { clipUuid: job.uuid, media, log, signal });
    const { alertUuid, imageAtMs = movie.startEpochMs } = job.body;
    const image =
      (await this.#takeImage(job.uuid, device.cameraUuid, imageAtMs)) ??
      // Nothing was recorded at that instant.
      (job.body.imageAtMs === undefined
        ? null
        : await this.#takeImage(job.uuid, device.cameraUuid, movie.startEpochMs));
    const body = {
      ...device,
      name,
      ...movie,
      image,
      ...signed,
      ...(alertUuid === undefined ? {} : { alertUuid }),
    };
    await this.#saveFile(job.orgUuid, job.uuid, body);
    return body;
  }

  /** An image alone, of an alert whose camera is not recorded. Rejects like the store and the thread. */
  async addImage(
    orgUuid: Ruuid,
    clipUuid: Ruuid,
    file: Omit<ClipFileBody, 'image'>,
    bytes: Uint8Array,
  ): Promise<ClipFileBody> {
    const body = { ...file, image: await this.#writeImage(clipUuid, file.cameraUuid, bytes) };
    await this.#saveFile(orgUuid, clipUuid, body);
    return body;
  }

  /** Whether any file of the clip is complete. Rejects like the store. */
  async hasFiles(orgUuid: Ruuid, clipUuid: Ruuid): Promise<boolean> {
    return (await this.#files.listByParent(orgUuid, clipUuid)).length > 0;
  }

  #saveFile(orgUuid: Ruuid, clipUuid: Ruuid, body: ClipFileBody): Promise<void> {
    const uuid = clipFileUuid(clipUuid, body.cameraUuid);
    const nowMs = this.#options.clock.epochMs();
    return this.#files.save({
      uuid,
      orgUuid,
      name: '',
      parentUuid: clipUuid,
      body,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
  }

  /** Whether or not there is an image, there is a clip. */
  async #takeImage(clipUuid: Ruuid, cameraUuid: Ruuid, atEpochMs: number): Promise<ClipImage | null> {
    const { takeImage, log } = this.#options;
    try {
      return await this.#writeImage(clipUuid, cameraUuid, await takeImage(cameraUuid, Math.ceil(atEpochMs)));
    } catch (thrown) {
      log.warn({ clip: clipUuid, err: toGatewayError(thrown) }, 'clip image not made');
      return null;
    }
  }

  async #writeImage(clipUuid: Ruuid, cameraUuid: Ruuid, bytes: Uint8Array): Promise<ClipImage> {
    const name = clipImageName(clipUuid, cameraUuid);
    const sha256Hex = createHash('sha256').update(bytes).digest('hex');
    const isPlain = await this.#options.maker.write(name, bytes);
    return { name, byteLength: bytes.length, sha256Hex, isPlain };
  }

  /** `afterRecords`: when nothing names the files anymore. */
  async #deleteFiles(
    orgUuid: Ruuid,
    clipUuid: Ruuid,
    job: ClipJob | null,
    afterRecords: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const files = await this.#files.listByParent(orgUuid, clipUuid);
    // The records go first: a file without one is deleted at the next start.
    for (const { uuid } of files) await this.#files.remove(orgUuid, uuid);
    await afterRecords();
    const names = new Set(files.flatMap(({ body }) => namesOf(body)));
    for (const { cameraUuid } of job?.body.devices ?? []) {
      names.add(clipFileName(clipUuid, cameraUuid));
      names.add(clipImageName(clipUuid, cameraUuid));
    }
    await this.#deletion.delete({ group: orgUuid, member: clipUuid }, names);
  }

  /** Tries again what could not be deleted. Never rejects. */
  deleteAgain(): Promise<void> {
    return this.#deletion.again();
  }

  #note(active: ActiveJob, { device, cameraUuid }: ClipDevice, doneBytes: number, totalBytes: number): void {
    active.progress.set(cameraUuid, { device, doneBytes, totalBytes });
  }

  /** `jobs`: clips that may have files without records. */
  async #sweep(jobs: ReadonlySet<Ruuid>): Promise<void> {
    const { maker, log } = this.#options;
    const listed = new Set((await this.#files.listEverywhere()).flatMap(({ body }) => namesOf(body)));
    // Where there never was a clip, no thread is started to look for its files.
    if (listed.size === 0 && jobs.size === 0) return;
    try {
      for (const clip of await maker.list(CLIPS_FOLDER)) {
        if (jobs.has(clip as Ruuid)) continue;
        for (const file of await maker.list(`${CLIPS_FOLDER}/${clip}`)) {
          const name = `${CLIPS_FOLDER}/${clip}/${file}`;
          if (!listed.has(name)) await this.#deletion.deleteNow([name]);
        }
      }
    } catch (thrown) {
      log.warn({ err: toGatewayError(thrown) }, 'clip files not looked through');
    }
  }
}

/** Whether a caller ordered it, from recordings: the cameras of an alert or an upload were not requested. */
function isOrdered({ body: { alertUuid, recordingNumber } }: ClipJob): boolean {
  return alertUuid === undefined && recordingNumber === undefined;
}

function namesOf({ name, image, isImageOnly }: ClipFileBody): string[] {
  return [...(isImageOnly ? [] : [name]), ...(image === null ? [] : [image.name])];
}

/** Percentage of all cameras, which count equally: the size of one is known only when its turn comes. */
export function percentOf(devices: readonly DeviceProgress[]): number {
  if (devices.length === 0) return 0;
  const parts = devices.map(({ doneBytes, totalBytes }) => (totalBytes === 0 ? 0 : doneBytes / totalBytes));
  const done = parts.reduce((sum, part) => sum + part, 0) / devices.length;
  // 100 is complete.
  return Math.min(99, Math.floor(100 * done));
}
