/**
 * Clips of policy alerts: made without being asked for, with pre-roll and post-roll, and listed with their alert
 * (docs/design/clips.md#alerts). An alert whose camera is not recorded gets an image of the live stream, if there is one.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import { type CreateTokenSource, TokenBuckets, type TokenSource } from '../core/token-buckets.ts';
import type { MetaDataLocation, PolicyAlertBody, PolicyAlerts } from '../events/policy-alerts.ts';
import { alertClipUuid } from '../events/saved-clips.ts';
import type { StoredEvent } from '../store/event.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { ClipJobs } from './clip-jobs.ts';
import {
  type ClipFileBody,
  type ClipJob,
  type ClipJobBody,
  clipImageName,
  clipQueue,
} from './clip-records.ts';
import { CLIP_ERRORS } from './errors.ts';

export interface LiveImage {
  readonly bytes: Uint8Array;
  readonly takenAtEpochMs: number;
}

/** The cameras of alerts. */
export interface AlertCameras {
  /** Those that saw the alert and exist: the one that raised it first. Rejects like the store. */
  of(alert: StoredEvent): Promise<readonly Ruuid[]>;
  /** undefined: the gateway does not run it. */
  recording(cameraUuid: Ruuid): RecordingState | undefined;
  isLive(cameraUuid: Ruuid): boolean;
  /** The newest image. Rejects if there is none. */
  takeLiveImage(cameraUuid: Ruuid): Promise<LiveImage>;
}

export interface AlertClipSettings {
  readonly preRollMs: number;
  readonly postRollMs: number;
  /** Per device that raises alerts, in the long run. */
  readonly perHour: number;
}

export interface AlertClipsOptions {
  readonly cameras: AlertCameras;
  readonly settings: AlertClipSettings;
  /** Absent or null: this process counts alerts. */
  readonly shared?: CreateTokenSource | null;
  readonly alerts: Pick<PolicyAlerts, 'amend'>;
  readonly jobs: ResourceRepository<ClipJobBody>;
  readonly runner: Pick<ClipJobs, 'run' | 'hasRoomFor' | 'hasFiles' | 'addImage'>;
  readonly clock: Clock;
  readonly log: Log;
  /** An alert has more than before. */
  readonly onMade: () => void;
}

/** In progress, per organization. */
export const MAX_ALERT_JOBS = LIMITS.unfinishedAlertClips.perOrganization;
/** Clips of one camera in a burst; then as often as the settings say. */
export const ALERT_BURST = 10;
const BURSTS_PER_HOUR = 6;
/** The longest alert that is shown whole. */
export const MAX_ALERT_MS = 300_000;
/** Alerts from before this time are history that is imported, and those further in the future have a wrong clock. */
const MAX_AGE_MS = 3_600_000;
/** A live image shows an alert that is at most this old when the image is taken, or as far ahead of our clock. */
export const LIVE_IMAGE_MS = 10_000;
const MAX_ALERT_CAMERAS = 16;
const MAX_EXCEEDING = 10_000;
const MS_PER_HOUR = 3_600_000;
/** There is one gateway. */
export const REGION = 'local';
const HERE: MetaDataLocation = { region: REGION };
const FULL = () => new GatewayError(CLIP_ERRORS.CLIP_JOBS_FULL);

export class AlertClips {
  readonly #options: AlertClipsOptions;
  readonly #allowance: TokenSource;
  readonly #images = new FairQueue(queueOptionsOf(LIMITS.alertImages));
  readonly #taking = new Set<Promise<void>>();
  /** Devices with too many alerts, as the log says. */
  readonly #exceeding = new Set<Ruuid>();

  constructor(options: AlertClipsOptions) {
    this.#options = options;
    const { clock, shared } = options;
    const { perHour } = options.settings;
    const size = {
      burst: Math.max(1, Math.min(ALERT_BURST, Math.floor(perHour / BURSTS_PER_HOUR))),
      refill: { tokens: perHour, perMs: MS_PER_HOUR },
    };
    this.#allowance = shared?.('alert-clip', size) ?? new TokenBuckets({ clock, ...size });
  }

  /**
   * An EventEffect: orders clips of the alerts among the events. An alert that was seen before gets no second clip. Rejects
   * only if trying again can help.
   */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      if (event.kind !== 'policyAlert' || !isRuuid(event.id)) continue;
      try {
        await this.#order(event, event.id);
      } catch (thrown) {
        const err = toGatewayError(thrown);
        if (err.kind === 'unavailable') throw err;
        this.#without(event, err.code);
      }
    }
  }

  /** Lists the files with their alert. Rejects like the store. */
  async listed({ orgUuid, body }: ClipJob, files: readonly ClipFileBody[]): Promise<void> {
    const { fromMs, toMs, alertUuid } = body;
    await this.#list(orgUuid, alertUuid!, files, Math.round((toMs - fromMs) / 1_000));
  }

  /** The files of an alert's clip were deleted. Rejects like the store. */
  async unlisted(orgUuid: Ruuid, alertUuid: Ruuid): Promise<void> {
    await this.#options.alerts.amend(orgUuid, alertUuid, (body) => {
      const { clipLocation, clipLocationMap, thumbnailLocation, ...rest } = body;
      return {
        ...rest,
        ...(isHere(clipLocation) ? {} : given({ clipLocation, clipLocationMap })),
        ...(isHere(thumbnailLocation) ? {} : given({ thumbnailLocation })),
      };
    });
  }

  /** Nothing is made of it. */
  failed({ orgUuid, body: { alertUuid } }: ClipJob, code: string): void {
    this.#options.log.info({ alert: alertUuid, org: orgUuid, code }, 'alert without clip');
  }

  /** Resolves when no image is being taken. */
  async settled(): Promise<void> {
    while (this.#taking.size > 0) await Promise.all(this.#taking);
  }

  async #order(event: StoredEvent, alertUuid: Ruuid): Promise<void> {
    const { cameras, settings, runner, clock } = this.#options;
    const { orgUuid, atMs } = event;
    const { durationSec = 0, clipLocation, clipLocationMap } = event.body as PolicyAlertBody;
    const nowMs = clock.epochMs();
    if (atMs < nowMs - MAX_AGE_MS || atMs > nowMs + MAX_AGE_MS) return;
    // The reporter has a clip of its own.
    if (clipLocation !== undefined || clipLocationMap !== undefined) return;
    // Before anything is read: many alerts cost little.
    if (!(await this.#isAllowed(event))) return;
    const seenBy = (await cameras.of(event)).slice(0, MAX_ALERT_CAMERAS);
    if (seenBy.length === 0) return;
    const clipUuid = alertClipUuid(orgUuid, alertUuid);
    if (await runner.hasFiles(orgUuid, clipUuid)) return;
    const recorded = seenBy.filter((camera) => isRecorded(cameras.recording(camera)));
    if (recorded.length === 0) return this.#takeLive(event, alertUuid, seenBy);
    if (!runner.hasRoomFor(orgUuid)) throw FULL();
    const lastsMs = Math.min(MAX_ALERT_MS, Math.max(0, durationSec) * 1_000);
    const body: ClipJobBody = {
      devices: recorded.map((cameraUuid) => ({ device: cameraUuid, cameraUuid })),
      fromMs: atMs - settings.preRollMs,
      toMs: atMs + lastsMs + settings.postRollMs,
      hasAudio: true,
      alertUuid,
      imageAtMs: atMs,
      failureCode: null,
    };
    await this.#addJob(orgUuid, clipUuid, body, nowMs);
  }

  /** The log says once that a camera has too many alerts, and not for each. */
  async #isAllowed({ deviceUuid, orgUuid }: StoredEvent): Promise<boolean> {
    const { isTaken } = await this.#allowance.take(`${orgUuid} ${deviceUuid}`);
    if (isTaken) this.#exceeding.delete(deviceUuid);
    else if (!this.#exceeding.has(deviceUuid)) {
      if (this.#exceeding.size >= MAX_EXCEEDING) this.#exceeding.clear();
      this.#exceeding.add(deviceUuid);
      this.#options.log.warn({ device: deviceUuid, org: orgUuid }, 'too many alerts for clips');
    }
    return isTaken;
  }

  async #addJob(orgUuid: Ruuid, clipUuid: Ruuid, body: ClipJobBody, nowMs: number): Promise<void> {
    const job: ClipJob = {
      uuid: clipUuid,
      orgUuid,
      name: '',
      parentUuid: clipQueue('alert', orgUuid),
      body,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const room = { atMost: MAX_ALERT_JOBS, within: 'parent', full: FULL } as const;
    const { after } = await this.#options.jobs.change(orgUuid, clipUuid, (known) => known ?? job, room);
    if (after !== null) this.#options.runner.run(after);
  }

  /** In the background: other effects of the events do not wait for a picture. */
  #takeLive(event: StoredEvent, alertUuid: Ruuid, seenBy: readonly Ruuid[]): void {
    const { cameras, clock } = this.#options;
    const live = seenBy.find((camera) => cameras.isLive(camera));
    if (live === undefined || Math.abs(clock.epochMs() - event.atMs) > LIVE_IMAGE_MS) {
      this.#without(event, 'not recorded');
      return;
    }
    const taking = this.#images
      .run({ group: event.orgUuid, member: live }, async () => {
        await this.#addLiveImage(event, alertUuid, live);
        return true;
      })
      .then((isTaken) => {
        if (isTaken === null) throw FULL();
      })
      .catch((thrown) => this.#without(event, toGatewayError(thrown).code))
      .finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  async #addLiveImage({ orgUuid, atMs }: StoredEvent, alertUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    const { cameras, runner } = this.#options;
    const { bytes, takenAtEpochMs } = await cameras.takeLiveImage(cameraUuid);
    // An image of another moment would show something else than the alert.
    if (Math.abs(takenAtEpochMs - atMs) > LIVE_IMAGE_MS) {
      throw new GatewayError(CLIP_ERRORS.ALERT_IMAGE_TOO_LATE);
    }
    const clipUuid = alertClipUuid(orgUuid, alertUuid);
    const file: Omit<ClipFileBody, 'image'> = {
      device: cameraUuid,
      cameraUuid,
      name: clipImageName(clipUuid, cameraUuid),
      alertUuid,
      isImageOnly: true,
      byteLength: 0,
      durationMs: 0,
      sha256Hex: '',
      widthPx: 0,
      heightPx: 0,
      startEpochMs: takenAtEpochMs,
      endEpochMs: takenAtEpochMs,
    };
    await this.#list(orgUuid, alertUuid, [await runner.addImage(orgUuid, clipUuid, file, bytes)], null);
  }

  #list(
    orgUuid: Ruuid,
    alertUuid: Ruuid,
    files: readonly ClipFileBody[],
    durationSec: number | null,
  ): Promise<void> {
    this.#options.onMade();
    const clips = files.filter(({ isImageOnly }) => isImageOnly !== true);
    const hasImage = files.some(({ image }) => image !== null);
    return this.#options.alerts.amend(orgUuid, alertUuid, (body) => ({
      ...(durationSec === null ? {} : { durationSec }),
      ...(hasImage ? { thumbnailLocation: HERE } : {}),
      ...body,
      ...(clips.length === 0
        ? {}
        : {
            clipLocation: HERE,
            clipLocationMap: Object.fromEntries(clips.map(({ cameraUuid }) => [cameraUuid, HERE])),
          }),
    }));
  }

  #without({ orgUuid, id, deviceUuid }: StoredEvent, reason: string): void {
    this.#options.log.debug({ alert: id, org: orgUuid, device: deviceUuid, reason }, 'alert without clip');
  }
}

/** Whether a clip of now will have something to show. Recordings for shares alone belong to the shares. */
function isRecorded(state: RecordingState | undefined): boolean {
  if (state === undefined || !state.reasons.some((reason) => reason !== 'shares')) return false;
  // On standby, only an event begins a recording; a schedule waits for its time.
  if (state.state === 'standby') return state.reasons.includes('events');
  return state.state === 'recording' || state.state === 'starting';
}

function isHere(location: MetaDataLocation | undefined): boolean {
  return location?.region === REGION;
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
