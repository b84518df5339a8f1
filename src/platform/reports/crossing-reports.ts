/** Reports of threshold crossings: every one of them at a device, or how many by bucket. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type {
  Crossing,
  CrossingCount,
  CrossingMark,
  CrossingObject,
  ReportingDevice,
} from '../../store/crossing.ts';
import type { Store } from '../../store/store.ts';
import { REPORT_ERRORS } from './errors.ts';
import { type BucketSize, bucketRuns, bucketStarts } from './report-buckets.ts';
import { reportRange, reportTimeZone, type WantedRange } from './report-range.ts';
import { requireCamera, requireCameras } from './reported-devices.ts';

export interface WantedCounts extends WantedRange {
  /** Absent: hours. */
  readonly bucketSize?: BucketSize;
  /** Absent: every kind of object. */
  readonly crossingObject?: CrossingObject;
  /** An object of a device counts once per bucket and direction. Absent: no. */
  readonly dedupe?: boolean;
  /** IANA name; absent: UTC. */
  readonly timeZone?: string;
}

/** Which crossings are listed. */
export interface WantedEvents extends WantedRange {
  /** Absent: every kind of object. */
  readonly crossingObject?: CrossingObject | undefined;
}

export interface WantedCrossings extends WantedEvents {
  readonly device: ReportingDevice;
  readonly after: CrossingMark | null;
  readonly limit: number;
}

export interface CrossingPage {
  /** Oldest first. */
  readonly crossings: readonly Crossing[];
  /** The next page begins after this; null: there is none. */
  readonly next: CrossingMark | null;
}

/** How many crossings a list without pages can have, for all devices together. */
export const MAX_LISTED_CROSSINGS = 10_000;

export interface CrossingReportsOptions {
  readonly store: Pick<Store, 'crossings' | 'cameras'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class CrossingReports {
  readonly #store: CrossingReportsOptions['store'];
  readonly #clock: CrossingReportsOptions['clock'];

  constructor({ store, clock }: CrossingReportsOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Every bucket that the range touches, in order, including empty ones. `devices`: null for all of the organization.
   * Fails REPORT_DEVICE_NOT_FOUND, REPORT_RANGE_REVERSED, REPORT_TIME_ZONE_UNKNOWN, REPORT_TOO_LONG.
   */
  async counts(
    orgUuid: Ruuid,
    devices: readonly ReportingDevice[] | null,
    wanted: WantedCounts,
  ): Promise<CrossingCount[]> {
    if (devices !== null) await requireCameras(this.#store, orgUuid, devices);
    return this.#counts(orgUuid, devices, wanted);
  }

  /** The same at one device. */
  async countsAt(orgUuid: Ruuid, device: ReportingDevice, wanted: WantedCounts): Promise<CrossingCount[]> {
    await requireCamera(this.#store, orgUuid, device);
    return this.#counts(orgUuid, [device], wanted);
  }

  async #counts(
    orgUuid: Ruuid,
    devices: readonly ReportingDevice[] | null,
    wanted: WantedCounts,
  ): Promise<CrossingCount[]> {
    const { bucketSize: size = 'HOUR', crossingObject: object, dedupe: isDeduplicated = false } = wanted;
    const range = reportRange(wanted, this.#clock.epochMs());
    const runs = bucketRuns({ ...range, size, timeZone: reportTimeZone(wanted.timeZone) });
    const query = { devices, ...range, runs, isDeduplicated, ...(object === undefined ? {} : { object }) };
    const counts = await this.#store.crossings.counts(orgUuid, query);
    const known = new Map(counts.map((count) => [count.bucketStartMs, count]));
    return bucketStarts(runs).map(
      (bucketStartMs) => known.get(bucketStartMs) ?? { bucketStartMs, ingressCount: 0, egressCount: 0 },
    );
  }

  /**
   * Every crossing at each of the cameras, oldest first; at most MAX_LISTED_CROSSINGS together. Fails
   * REPORT_DEVICE_NOT_FOUND, REPORT_RANGE_REVERSED, REPORT_TOO_MANY_CROSSINGS.
   */
  async listByDevice(
    orgUuid: Ruuid,
    cameraUuids: readonly Ruuid[],
    wanted: WantedEvents,
  ): Promise<ReadonlyMap<Ruuid, readonly Crossing[]>> {
    const { crossingObject: object } = wanted;
    const devices = cameraUuids.map((deviceUuid): ReportingDevice => ({ deviceUuid, facet: '' }));
    await requireCameras(this.#store, orgUuid, devices, 'devices');
    const range = reportRange(wanted, this.#clock.epochMs());
    const found = new Map<Ruuid, readonly Crossing[]>();
    let room = MAX_LISTED_CROSSINGS;
    for (const device of devices) {
      if (found.has(device.deviceUuid)) continue;
      const crossings = await this.#store.crossings.page(orgUuid, {
        device,
        ...range,
        after: null,
        limit: room + 1,
        ...(object === undefined ? {} : { object }),
      });
      if (crossings.length > room) throw new GatewayError(REPORT_ERRORS.REPORT_TOO_MANY_CROSSINGS);
      room -= crossings.length;
      found.set(device.deviceUuid, crossings);
    }
    return found;
  }

  /** Fails REPORT_DEVICE_NOT_FOUND, REPORT_RANGE_REVERSED. */
  async page(orgUuid: Ruuid, wanted: WantedCrossings): Promise<CrossingPage> {
    const { device, crossingObject: object, after, limit } = wanted;
    await requireCamera(this.#store, orgUuid, device);
    const found = await this.#store.crossings.page(orgUuid, {
      device,
      after,
      limit: limit + 1,
      ...reportRange(wanted, this.#clock.epochMs()),
      ...(object === undefined ? {} : { object }),
    });
    const crossings = found.slice(0, limit);
    const last = found.length > limit ? crossings.at(-1) : undefined;
    return {
      crossings,
      next: last === undefined ? null : { atMs: last.atMs, id: last.id, facet: last.facet },
    };
  }
}
