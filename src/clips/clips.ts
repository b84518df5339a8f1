/** Clips that callers order: spliced from recordings, listed as saved clips, with their progress; and timelapses. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../core/clock.ts';
import { eachAlone } from '../core/each-alone.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CreateTokenSource } from '../core/token-buckets.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import {
  type ClipSearch,
  clipName,
  mayReadClip,
  type SavedClip,
  type SavedClipBody,
  SavedClips,
} from '../events/saved-clips.ts';
import type { StoredEvent } from '../store/event.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { ChangeEvent, Store } from '../store/store.ts';
import {
  ABANDONED_AFTER_MS,
  abandonedFiles,
  abandonedJobs,
  type ClipPlace,
  type IsListed,
} from './abandoned-clips.ts';
import { type AlertCameras, type AlertClipSettings, AlertClips, REGION } from './alert-clips.ts';
import { ClipJobs, type ClipMaker, type DeviceProgress, percentOf, type TakeClipImage } from './clip-jobs.ts';
import { orderedCameras, placeOrder } from './clip-orders.ts';
import {
  CLIP_FILES,
  CLIP_JOBS,
  type ClipFileBody,
  type ClipJob,
  type ClipJobBody,
  clipQueue,
} from './clip-records.ts';
import { type ClipLimits, ClipRetention, type KeptClip } from './clip-retention.ts';
import type { ClipMedia } from './clip-sources.ts';
import { CLIP_ERRORS } from './errors.ts';
import { Timelapses } from './timelapses.ts';

/** Duration of the longest clip. */
export const MAX_SPLICE_SEC = 3_600;
export const MAX_SPLICE_DEVICES = 16;

/** A caller's settings for a clip, and its user (`userUuid`); stored with it. */
export type ClipRequest = Pick<SavedClipBody, 'title' | 'description' | 'accessSettings' | 'userUuid'> & {
  /** With their facets. */
  readonly devices: readonly string[];
  readonly startMs: number;
  readonly durationSec: number;
  readonly hasAudio: boolean;
  /** As in ClipJobBody. Default null. */
  readonly maxHeightPx?: number | null;
};

/** A clip that is being made. */
export interface ClipInProgress {
  readonly clip: SavedClip;
  readonly job: ClipJob;
  readonly devices: readonly DeviceProgress[];
}

/** How far a clip has come; null fields: as its record says. */
export interface ClipProgress {
  readonly status: 'INITIATING' | 'UPLOADING' | 'FAILED' | null;
  readonly percent: number | null;
  /** The code of an error. */
  readonly failureCode: string | null;
}

export interface ClipsOptions {
  readonly store: Pick<
    Store,
    'resources' | 'leases' | 'cameras' | 'nvrs' | 'locations' | 'events' | 'onChange'
  >;
  readonly media: ClipMedia;
  readonly maker: ClipMaker;
  readonly takeImage: TakeClipImage;
  readonly limits: ClipLimits;
  /** null: alerts get no clips. Default null. */
  readonly alerts?: AlertRequests | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** How clips of alerts are made. */
export interface AlertRequests {
  readonly cameras: AlertCameras;
  readonly settings: AlertClipSettings;
  /** As in AlertClipsOptions. */
  readonly shared?: CreateTokenSource | null;
  readonly limits: ClipLimits;
}

/** How long before clips are deleted by their age they are listed as those that will be. */
const EXPIRING_MS = 30 * 86_400_000;

export class Clips {
  readonly timelapses: Timelapses;
  readonly #options: ClipsOptions;
  readonly #jobs: ResourceRepository<ClipJobBody>;
  readonly #files: ResourceRepository<ClipFileBody>;
  readonly #runner: ClipJobs;
  readonly #savedClips: SavedClips;
  readonly #retention: ClipRetention;
  readonly #alertClips: AlertClips;
  readonly #hasAlertClips: boolean;
  /** Clips that were handed over whose job is stored; they may not be listed yet. */
  readonly #unlisted = new Set<Ruuid>();
  /** Clips that are being deleted on behalf of a caller: their files are deleted with them. */
  readonly #removing = new Set<Ruuid>();
  readonly #unsubscribe: () => void;
  #tidying: Promise<void> = Promise.resolve();

  constructor(options: ClipsOptions) {
    this.#options = options;
    const { store, media, maker, takeImage, limits, clock, log } = options;
    const alerts = new PolicyAlerts(store);
    this.#savedClips = new SavedClips({ store, alerts, clock });
    this.#jobs = store.resources.of(CLIP_JOBS);
    this.#files = store.resources.of(CLIP_FILES);
    this.#runner = new ClipJobs({
      resources: store.resources,
      leases: store.leases,
      media,
      maker,
      takeImage,
      clock,
      log,
      hasCamera: async (orgUuid, cameraUuid) => (await store.cameras.find(orgUuid, cameraUuid)) !== null,
      onComplete: (job, files) =>
        isTimelapse(job) ? this.timelapses.completed(job, files) : this.#complete(job, files),
      onFailed: (job, error) => this.#failed(job, error),
    });
    this.timelapses = new Timelapses({
      store,
      clock,
      run: (job) => this.#runner.run(job),
      progress: (uuid) => this.#runner.progress(uuid),
    });
    const { alerts: requests = null } = options;
    this.#hasAlertClips = requests !== null;
    const { cameras, settings, shared = null, limits: alertLimits } = requests ?? NO_ALERTS;
    this.#alertClips = new AlertClips({
      cameras,
      settings,
      shared,
      alerts,
      jobs: this.#jobs,
      runner: this.#runner,
      clock,
      log,
      onMade: () => this.#retention.beginSoon(),
    });
    this.#retention = new ClipRetention({
      resources: store.resources,
      leases: store.leases,
      limits,
      alertLimits,
      clock,
      log,
      remove: (clip) => this.#expire(clip),
      deleteAgain: () => this.#runner.deleteAgain(),
    });
    // Work that follows from a change is the gateway's, not that of the request which made the change.
    const outside = AsyncLocalStorage.snapshot();
    this.#unsubscribe = store.onChange((event) => outside(() => this.#follow(event)));
  }

  /** Continues the jobs of an earlier run, and deletes what no clip lists. Rejects like the store. */
  async begin(): Promise<void> {
    const { store, clock } = this.#options;
    const jobs = await this.#jobs.listEverywhere();
    const storedBeforeMs = store.leases.isShared
      ? clock.epochMs() - ABANDONED_AFTER_MS
      : Number.POSITIVE_INFINITY;
    await this.#discard(await abandonedJobs(jobs, this.#isListed, storedBeforeMs));
    for (const { orgUuid, uuid: clipUuid, body } of jobs) {
      if (body.recordingNumber === undefined || (await this.#isListed({ orgUuid, clipUuid }))) continue;
      this.#unlisted.add(clipUuid);
    }
    await this.#runner.begin(this.#unlisted);
    // There can be many: the start does not wait for it.
    this.#tidying = this.#files
      .listEverywhere()
      .then((files) => abandonedFiles(files, this.#isListed))
      .then((clips) => this.#discard(clips))
      .catch((thrown) => {
        this.#options.log.error({ err: toGatewayError(thrown) }, 'abandoned clips not deleted');
      });
    this.#retention.begin();
  }

  /** An EventEffect: alerts among the events get clips. Rejects only if trying again can help. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    if (this.#hasAlertClips) await this.#alertClips.onEvents(events);
  }

  /** The disk is nearly full, and this organization uses most of it. Resolves when its oldest clips are deleted. */
  async makeRoom(orgUuid: Ruuid, byteLength: number): Promise<void> {
    await this.#retention.makeRoom(orgUuid, byteLength).catch((thrown) => {
      this.#options.log.error({ err: toGatewayError(thrown) }, 'clips not deleted');
    });
  }

  /** Which clips are deleted by their age within EXPIRING_MS. */
  expiring(): NonNullable<ClipSearch['kept']> {
    const { clock, limits } = this.#options;
    return { region: REGION, savedBeforeMs: clock.epochMs() + EXPIRING_MS - limits.keepMs };
  }

  /** Clips of alerts from before this time, epoch milliseconds, are deleted by their age within EXPIRING_MS. */
  alertsExpiringBeforeMs(): number {
    const { clock, alerts } = this.#options;
    const { keepMs } = (alerts ?? NO_ALERTS).limits;
    return Math.max(0, clock.epochMs() + EXPIRING_MS - keepMs);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#alertClips.settled();
    await this.#tidying;
    await this.#retention.close();
    await this.#runner.close();
  }

  /** Resolves when no clip is being made, and what no clip lists is deleted. */
  async settled(): Promise<void> {
    await this.#tidying;
    await this.#alertClips.settled();
    await this.#runner.settled();
  }

  /**
   * Orders a clip. It is listed immediately, and made in the background. Fails CLIP_CAMERA_NOT_FOUND, CLIP_WITHOUT_CAMERA,
   * CLIP_TOO_LONG, CLIP_AHEAD, CLIP_JOBS_FULL, SAVED_CLIPS_FULL.
   */
  async splice(orgUuid: Ruuid, wanted: ClipRequest): Promise<Ruuid> {
    const { store, clock } = this.#options;
    const { startMs, durationSec, hasAudio, title, description, accessSettings, userUuid } = wanted;
    const { maxHeightPx = null } = wanted;
    const nowMs = clock.epochMs();
    if (durationSec > MAX_SPLICE_SEC) throw new GatewayError(CLIP_ERRORS.CLIP_TOO_LONG);
    if (startMs > nowMs) throw new GatewayError(CLIP_ERRORS.CLIP_AHEAD);
    const cameras = await orderedCameras(store, orgUuid, wanted.devices);
    const locationUuid = cameras.find(({ camera }) => camera.locationUuid !== null)?.camera.locationUuid;
    const uuid = newRuuid();
    const common = { uuid, orgUuid, secret: null, createdAtMs: nowMs, updatedAtMs: nowMs };
    const body: ClipJobBody = {
      devices: cameras.map(({ device, cameraUuid }) => ({ device, cameraUuid })),
      fromMs: startMs,
      toMs: startMs + durationSec * 1_000,
      hasAudio,
      ...(maxHeightPx === null ? {} : { maxHeightPx }),
      failureCode: null,
    };
    const job: ClipJob = { ...common, name: '', parentUuid: clipQueue('ordered', orgUuid), body };
    const clip: SavedClip = {
      ...common,
      name: clipName(wanted),
      parentUuid: body.devices[0]!.cameraUuid,
      body: {
        reportedId: null,
        deviceUuids: body.devices.map(({ device }) => device),
        locationUuid: locationUuid ?? null,
        timestampMs: startMs,
        durationSec,
        status: 'INITIATING',
        ...(userUuid === undefined ? {} : { userUuid }),
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(accessSettings === undefined ? {} : { accessSettings }),
      },
    };
    await placeOrder(store.resources, job, () => this.#savedClips.add(clip));
    this.#runner.run(job);
    return uuid;
  }

  /** Ends a clip that is being made or has failed, and deletes it. Fails CLIP_NOT_IN_PROGRESS. */
  async cancel(orgUuid: Ruuid, uuid: Ruuid, reader: Ruuid): Promise<void> {
    await this.#orderedBy(orgUuid, uuid, reader);
    await this.#remove(orgUuid, uuid);
  }

  /** Fails CLIP_NOT_IN_PROGRESS, CLIP_NOT_FAILED. */
  async retry(orgUuid: Ruuid, uuid: Ruuid, reader: Ruuid): Promise<void> {
    await this.#orderedBy(orgUuid, uuid, reader);
    const { after, before } = await this.#jobs.change(orgUuid, uuid, (known) => {
      if (known === null || known.body.failureCode === null) return 'unchanged';
      return { ...known, body: { ...known.body, failureCode: null } };
    });
    if (after === null) throw new GatewayError(CLIP_ERRORS.CLIP_NOT_IN_PROGRESS, { clip: uuid });
    if (after === before) throw new GatewayError(CLIP_ERRORS.CLIP_NOT_FAILED, { clip: uuid });
    if (isTimelapse(after)) await this.timelapses.restarted(after);
    else await this.#patch(after, () => ({ status: 'INITIATING' }));
    this.#runner.run(after);
  }

  /** Those that are being made and that the reader may read, oldest first. */
  async inProgress(orgUuid: Ruuid, reader: Ruuid): Promise<ClipInProgress[]> {
    const found: ClipInProgress[] = [];
    for (const job of await this.#jobs.list(orgUuid)) {
      if (job.body.failureCode !== null) continue;
      const clip = await this.#savedClips.known(orgUuid, job.uuid);
      if (clip === null || !mayReadClip(clip.body, reader)) continue;
      found.push({ clip, job, devices: this.#runner.progress(job.uuid) ?? [] });
    }
    return found;
  }

  /** Progress of a clip that was found. */
  async progress({ orgUuid, uuid, body }: SavedClip): Promise<ClipProgress> {
    const { status } = body;
    if (status !== 'INITIATING' && status !== 'FAILED')
      return { status: null, percent: null, failureCode: null };
    const job = await this.#jobs.find(orgUuid, uuid);
    if (job === null) return { status: null, percent: null, failureCode: null };
    const { failureCode } = job.body;
    if (failureCode !== null) return { status: 'FAILED', percent: null, failureCode };
    const percent = percentOf(this.#runner.progress(uuid) ?? []);
    return { status: percent > 0 ? 'UPLOADING' : 'INITIATING', percent, failureCode: null };
  }

  /** How far a clip has come that is being made now; null: it is not, or its size is not known yet. */
  percent(uuid: Ruuid): number | null {
    const devices = this.#runner.progress(uuid);
    return devices === null ? null : percentOf(devices);
  }

  /** Files of a complete clip; empty: it has none, such as one that was only reported. */
  async files(orgUuid: Ruuid, uuid: Ruuid): Promise<readonly ClipFileBody[]> {
    return (await this.#files.listByParent(orgUuid, uuid)).map(({ body }) => body);
  }

  /** Finds a job that a caller may change. Clips of alerts belong to no caller. */
  async #orderedBy(orgUuid: Ruuid, uuid: Ruuid, reader: Ruuid): Promise<void> {
    const job = await this.#jobs.find(orgUuid, uuid);
    const clip = await this.#savedClips.known(orgUuid, uuid);
    const isHidden = clip !== null && !mayReadClip(clip.body, reader);
    if (job === null || job.body.alertUuid !== undefined || isHidden) {
      throw new GatewayError(CLIP_ERRORS.CLIP_NOT_IN_PROGRESS, { clip: uuid });
    }
  }

  /** A job that someone else stored (uploaded-clips.ts), once its clip is listed: a clip that is complete says so there. */
  async #runOrdered(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const job = await this.#jobs.find(orgUuid, uuid);
    if (job?.body.recordingNumber === undefined) {
      this.#unlisted.delete(uuid);
      return;
    }
    const isListed = await this.#isListed({ orgUuid, clipUuid: uuid });
    if (isListed && this.#unlisted.delete(uuid)) this.#runner.run(job);
  }

  #follow({ entity, type, orgUuid, uuid, isForeign }: ChangeEvent): void {
    if (orgUuid === null) return;
    if (entity === 'camera' && type === 'DELETE') this.#runner.cameraRemoved(orgUuid, uuid);
    // The process that made a change does what the change entails for clips.
    if (isForeign) return;
    const follow = (work: Promise<void>, failure: string) =>
      work.catch((thrown) => this.#options.log.error({ clip: uuid, err: toGatewayError(thrown) }, failure));
    const isJob = entity === 'clipJob';
    if (isJob && type === 'CREATE') this.#unlisted.add(uuid);
    if ((isJob || entity === 'savedClip') && type === 'CREATE' && this.#unlisted.has(uuid)) {
      void follow(this.#runOrdered(orgUuid, uuid), 'uploaded clip not copied before the next start');
    }
    if (entity === 'savedClip' && type === 'CREATE') {
      void follow(this.#adopt(orgUuid, uuid), 'saved alert not told of its clip');
    }
    // However a clip was deleted, its files follow.
    const isDeleted = (entity === 'savedClip' || entity === 'timelapse') && type === 'DELETE';
    if (isDeleted && !this.#removing.has(uuid)) {
      void follow(this.#discardDeleted(orgUuid, uuid), 'clip files not deleted');
    }
  }

  readonly #isListed: IsListed = async ({ orgUuid, clipUuid }) =>
    (await this.#savedClips.known(orgUuid, clipUuid)) !== null ||
    (await this.timelapses.isListed(orgUuid, clipUuid));

  async #discard(clips: readonly ClipPlace[]): Promise<void> {
    const { log } = this.#options;
    const discard = async ({ orgUuid, clipUuid }: ClipPlace): Promise<void> => {
      await this.#runner.discard(orgUuid, clipUuid);
      log.info({ clip: clipUuid }, 'abandoned clip deleted');
    };
    await eachAlone(clips, discard, ({ clipUuid }, thrown) => {
      log.error({ clip: clipUuid, err: toGatewayError(thrown) }, 'abandoned clip not deleted');
    });
  }

  /** The alert of a clip that was saved keeps it. */
  async #discardDeleted(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const isOfAlert = ({ body }: { readonly body: { readonly alertUuid?: Ruuid } }): boolean =>
      body.alertUuid !== undefined;
    const job = await this.#jobs.find(orgUuid, uuid);
    const files = await this.#files.listByParent(orgUuid, uuid);
    if ((job !== null && isOfAlert(job)) || files.some(isOfAlert)) return;
    await this.#runner.discard(orgUuid, uuid);
  }

  /** Retention deletes it. */
  async #expire({ orgUuid, clipUuid, alertUuid }: KeptClip): Promise<void> {
    // First the alert: it never lists a deleted clip.
    if (alertUuid !== null) await this.#alertClips.unlisted(orgUuid, alertUuid);
    await this.#remove(orgUuid, clipUuid);
  }

  async #remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const isSaved = (await this.#savedClips.known(orgUuid, uuid)) !== null;
    this.#removing.add(uuid);
    try {
      if (isSaved) await this.#savedClips.remove(orgUuid, uuid, null);
      else await this.timelapses.forget(orgUuid, uuid);
      await this.#runner.discard(orgUuid, uuid);
    } finally {
      this.#removing.delete(uuid);
    }
  }

  async #complete(job: ClipJob, files: readonly ClipFileBody[]): Promise<void> {
    if (job.body.alertUuid !== undefined) await this.#alertClips.listed(job, files);
    await this.#patch(job, () => completeFields(files));
  }

  /** An alert was saved that has a clip. */
  async #adopt(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const files = (await this.files(orgUuid, uuid)).filter(({ alertUuid }) => alertUuid !== undefined);
    const clips = files.filter(({ isImageOnly }) => isImageOnly !== true);
    if (clips.length > 0) await this.#savedClips.patch(orgUuid, uuid, () => completeFields(clips));
  }

  async #failed(job: ClipJob, { code }: GatewayError): Promise<void> {
    if (isTimelapse(job)) await this.timelapses.failed(job);
    else if (job.body.alertUuid !== undefined) this.#alertClips.failed(job, code);
    else await this.#patch(job, () => ({ status: 'FAILED' }));
  }

  #patch({ orgUuid, uuid }: ClipJob, change: (body: SavedClipBody) => Partial<SavedClipBody>): Promise<void> {
    return this.#savedClips.patch(orgUuid, uuid, change);
  }
}

function isTimelapse({ body }: ClipJob): boolean {
  return body.timelapse !== undefined;
}

const NO_ALERTS: AlertRequests = {
  cameras: {
    of: async () => [],
    recording: () => undefined,
    isLive: () => false,
    takeLiveImage: () => Promise.reject(new GatewayError(CLIP_ERRORS.ALERT_IMAGE_TOO_LATE)),
  },
  settings: { preRollMs: 0, postRollMs: 0, perHour: 1 },
  limits: { keepMs: Number.POSITIVE_INFINITY, maxBytes: null },
};

/** The fields of a clip with these files. */
function completeFields(files: readonly ClipFileBody[]): Partial<SavedClipBody> {
  const [first] = files;
  const byteCount = files.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const location = { region: REGION };
  return {
    status: 'COMPLETE',
    byteCount,
    clipLocation: location,
    deviceUuidMap: Object.fromEntries(files.map(({ device }) => [device, location])),
    ...(first!.image === null ? {} : { thumbnailLocation: location }),
    // In a clip with several files, each has its own.
    ...(files.length === 1 ? { sha256Hex: first!.sha256Hex } : {}),
    durationSec: Math.round(Math.max(...files.map(({ durationMs }) => durationMs)) / 1_000),
    timestampMs: Math.round(Math.min(...files.map(({ startEpochMs }) => startEpochMs))),
    videoResolution: { width: first!.widthPx, height: first!.heightPx },
    ...signaturesOf(files),
  };
}

function signaturesOf(files: readonly ClipFileBody[]): Pick<SavedClipBody, 'cameraSignatures'> {
  const cameraSignatures = files.flatMap(({ cameraUuid, cameraSignature }) =>
    cameraSignature === undefined ? [] : [{ cameraUuid, ...cameraSignature }],
  );
  return cameraSignatures.length === 0 ? {} : { cameraSignatures };
}
