/**
 * Timelapses that callers order: clip jobs of another kind, with records of their own. What is said of a timelapse here is
 * about its record; the jobs make its files. docs/design/clips.md#timelapses.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { DEFAULT_TIME_ZONE, locationOfCamera } from '../store/camera-time-zone.ts';
import type { Camera } from '../store/entities.ts';
import { type Resource, type ResourceRepository, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { type DeviceProgress, percentOf } from './clip-jobs.ts';
import { orderedCameras, placeOrder } from './clip-orders.ts';
import { type ClipFileBody, type ClipJob, clipQueue } from './clip-records.ts';
import { CLIP_ERRORS } from './errors.ts';

/** Duration of the longest movie. */
export const MAX_TIMELAPSE_SEC = 600;
/** The longest time that a timelapse shows. */
export const MAX_TIMELAPSE_RANGE_MS = 366 * 86_400_000;
export const MAX_TIMELAPSE_DEVICES = 16;
/** Per organization: a list has all of them. */
export const MAX_TIMELAPSES = LIMITS.timelapses.perOrganization;

/** A caller's settings for a timelapse; stored with it. */
export interface TimelapseRequest {
  /** With their facets. */
  readonly devices: readonly string[];
  /** Wall time, epoch milliseconds; half-open. */
  readonly startMs: number;
  readonly stopMs: number;
  /** Duration of the movie. */
  readonly durationSec: number;
  readonly skipsNights: boolean;
  readonly skipsWeekends: boolean;
  readonly title: string | null;
  readonly description: string | null;
}

export interface TimelapseBody extends TimelapseRequest {
  readonly status: 'INITIATED' | 'COMPLETE' | 'FAILED';
}

export type Timelapse = Resource<TimelapseBody>;

/** Its uuid is that of its job and the parent of its files. */
export const TIMELAPSES = resourceKind<TimelapseBody>('timelapse');

export interface ListedTimelapse {
  readonly timelapse: Timelapse;
  readonly state: 'INITIATED' | 'INPROGRESS' | 'COMPLETE' | 'FAILED';
  /** 100: it is complete. */
  readonly percent: number;
}

export interface TimelapsesOptions {
  readonly store: Pick<Store, 'resources' | 'cameras' | 'nvrs' | 'locations'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** Runs a job that is stored. */
  readonly run: (job: ClipJob) => void;
  /** As ClipJobs.progress. */
  readonly progress: (uuid: Ruuid) => readonly DeviceProgress[] | null;
}

export class Timelapses {
  readonly #options: TimelapsesOptions;
  readonly #records: ResourceRepository<TimelapseBody>;

  constructor(options: TimelapsesOptions) {
    this.#options = options;
    this.#records = options.store.resources.of(TIMELAPSES);
  }

  /**
   * Orders a timelapse. It is listed immediately, and made in the background. Fails CLIP_CAMERA_NOT_FOUND, CLIP_WITHOUT_CAMERA,
   * TIMELAPSE_TOO_SHORT, TIMELAPSE_RANGE_TOO_LONG, TIMELAPSE_AHEAD, CLIP_JOBS_FULL, TIMELAPSES_FULL.
   */
  async generate(orgUuid: Ruuid, wanted: TimelapseRequest): Promise<Ruuid> {
    const { store, clock, run } = this.#options;
    const { startMs, stopMs, durationSec, skipsNights, skipsWeekends } = wanted;
    const nowMs = clock.epochMs();
    const durationMs = durationSec * 1_000;
    if (startMs > nowMs) throw new GatewayError(CLIP_ERRORS.TIMELAPSE_AHEAD);
    if (stopMs - startMs < durationMs) throw new GatewayError(CLIP_ERRORS.TIMELAPSE_TOO_SHORT);
    if (stopMs - startMs > MAX_TIMELAPSE_RANGE_MS)
      throw new GatewayError(CLIP_ERRORS.TIMELAPSE_RANGE_TOO_LONG);
    const cameras = await orderedCameras(store, orgUuid, wanted.devices);
    const timeZones: Record<Ruuid, string> = {};
    for (const { cameraUuid, camera } of cameras) timeZones[cameraUuid] = await this.#timeZoneOf(camera);
    const uuid = newRuuid();
    const common = { uuid, orgUuid, secret: null, createdAtMs: nowMs, updatedAtMs: nowMs };
    const devices = cameras.map(({ device, cameraUuid }) => ({ device, cameraUuid }));
    const job: ClipJob = {
      ...common,
      name: '',
      parentUuid: clipQueue('ordered', orgUuid),
      body: {
        devices,
        fromMs: startMs,
        toMs: stopMs,
        hasAudio: false,
        failureCode: null,
        timelapse: { durationMs, skipsNights, skipsWeekends, timeZones },
      },
    };
    const timelapse: Timelapse = {
      ...common,
      name: wanted.title ?? '',
      parentUuid: devices[0]!.cameraUuid,
      body: { ...wanted, devices: devices.map(({ device }) => device), status: 'INITIATED' },
    };
    await placeOrder(store.resources, job, async () => {
      const full = () => new GatewayError(CLIP_ERRORS.TIMELAPSES_FULL);
      await this.#records.change(orgUuid, uuid, () => timelapse, {
        atMost: MAX_TIMELAPSES,
        within: 'organization',
        full,
      });
    });
    run(job);
    return uuid;
  }

  /** Oldest first. */
  async list(orgUuid: Ruuid): Promise<ListedTimelapse[]> {
    return (await this.#records.list(orgUuid)).map((timelapse) => this.#listed(timelapse));
  }

  /** All of them or none; their files follow. Fails TIMELAPSE_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuids: readonly Ruuid[]): Promise<void> {
    for (const uuid of uuids) {
      const known = await this.#records.find(orgUuid, uuid);
      if (known === null) throw new GatewayError(CLIP_ERRORS.TIMELAPSE_NOT_FOUND, { timelapse: uuid });
    }
    for (const uuid of uuids) await this.forget(orgUuid, uuid);
  }

  /** Whether there is such a timelapse. Rejects like the store. */
  async isListed(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return (await this.#records.find(orgUuid, uuid)) !== null;
  }

  /** Its record alone. Whether there was one. */
  forget(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return this.#records.remove(orgUuid, uuid);
  }

  /** Its job runs again. */
  restarted({ orgUuid, uuid }: ClipJob): Promise<void> {
    return this.#patch(orgUuid, uuid, { status: 'INITIATED' });
  }

  failed({ orgUuid, uuid }: ClipJob): Promise<void> {
    return this.#patch(orgUuid, uuid, { status: 'FAILED' });
  }

  /** The files are there. */
  completed({ orgUuid, uuid }: ClipJob, files: readonly ClipFileBody[]): Promise<void> {
    const durationMs = Math.max(...files.map((file) => file.durationMs));
    const durationSec = Math.max(1, Math.round(durationMs / 1_000));
    return this.#patch(orgUuid, uuid, { status: 'COMPLETE', durationSec });
  }

  #listed(timelapse: Timelapse): ListedTimelapse {
    const { status } = timelapse.body;
    if (status !== 'INITIATED') return { timelapse, state: status, percent: status === 'COMPLETE' ? 100 : 0 };
    const percent = percentOf(this.#options.progress(timelapse.uuid) ?? []);
    return { timelapse, state: percent > 0 ? 'INPROGRESS' : 'INITIATED', percent };
  }

  async #patch(orgUuid: Ruuid, uuid: Ruuid, fields: Partial<TimelapseBody>): Promise<void> {
    const updatedAtMs = this.#options.clock.epochMs();
    await this.#records.change(orgUuid, uuid, (known) =>
      known === null ? 'unchanged' : { ...known, body: { ...known.body, ...fields }, updatedAtMs },
    );
  }

  async #timeZoneOf(camera: Camera): Promise<string> {
    const { nvrs, locations } = this.#options.store;
    const { orgUuid, locationUuid: own, nvrUuid } = camera;
    const nvr = own !== null || nvrUuid === null ? null : await nvrs.find(orgUuid, nvrUuid);
    const locationUuid = locationOfCamera(camera, () => nvr?.locationUuid);
    const location = locationUuid === null ? null : await locations.find(orgUuid, locationUuid);
    return location?.tz ?? DEFAULT_TIME_ZONE;
  }
}
