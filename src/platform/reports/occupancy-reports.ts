/** Occupancy reports: the highest count that a device saw, by interval. */

import { Temporal } from 'temporal-polyfill';
import type { Clock } from '../../core/clock.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import type { OccupancyCount, OccupancyPeak, ReportingDevice } from '../../store/crossing.ts';
import type { Store } from '../../store/store.ts';
import { type BucketSize, bucketRuns } from './report-buckets.ts';
import { reportRange, type WantedRange } from './report-range.ts';
import { deviceNotFound } from './reported-devices.ts';

export interface OccupancyInterval {
  /** The facet that reported the highest count; the first one if several did. */
  readonly fullest: OccupancyPeak;
  readonly reportedBy: readonly ReportingDevice[];
  /** When it begins, in the time zone of the device's location, or UTC if it has none. */
  readonly start: Temporal.ZonedDateTime;
}

/** A count as a device reported it. */
export interface PeopleCount extends OccupancyCount {
  readonly uuid: Ruuid;
  /** Where the camera is today. */
  readonly locationUuid: Ruuid | null;
}

export interface OccupancyReportsOptions {
  readonly store: Pick<Store, 'occupancy' | 'cameras' | 'locations'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class OccupancyReports {
  readonly #store: OccupancyReportsOptions['store'];
  readonly #clock: OccupancyReportsOptions['clock'];

  constructor({ store, clock }: OccupancyReportsOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The intervals with reports, oldest first; they begin according to the time zone of the device's location. Fails
   * REPORT_DEVICE_NOT_FOUND for a device that is not a camera and never reported, REPORT_RANGE_REVERSED, REPORT_TOO_LONG.
   */
  async peaks(
    orgUuid: Ruuid,
    device: ReportingDevice,
    size: BucketSize,
    wanted: WantedRange,
  ): Promise<LongList<OccupancyInterval>> {
    const timeZone = await this.#zoneOf(orgUuid, device.deviceUuid);
    const range = reportRange(wanted, this.#clock.epochMs());
    const peaks = await this.#store.occupancy.peaks(orgUuid, {
      devices: [device],
      ...range,
      runs: bucketRuns({ ...range, size, timeZone }),
    });
    const intervals = [...Map.groupBy(peaks, ({ bucketStartMs }) => bucketStartMs)];
    return LongList.of(intervals).map(([startMs, ofInterval]) => ({
      fullest: fullestOf(ofInterval),
      reportedBy: ofInterval.map((peak) => peak.device),
      start: Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone),
    }));
  }

  /**
   * The newest counts of all the devices together, newest first. `isList`: selects the name of the device in failures.
   * Fails REPORT_DEVICE_NOT_FOUND for a device that is not a camera and never reported.
   */
  async latest(
    orgUuid: Ruuid,
    devices: readonly ReportingDevice[],
    { limit, isList }: { readonly limit: number; readonly isList: boolean },
  ): Promise<PeopleCount[]> {
    for (const [index, { deviceUuid }] of devices.entries()) {
      const isKnown =
        (await this.#store.cameras.find(orgUuid, deviceUuid)) !== null ||
        (await this.#store.occupancy.hasReported(orgUuid, deviceUuid));
      if (!isKnown) throw deviceNotFound(deviceUuid, isList ? { list: 'deviceUuids', index } : {});
    }
    const counts = await this.#store.occupancy.latest(orgUuid, devices, limit);
    const uuids = new Set(counts.map(({ deviceUuid }) => deviceUuid));
    const cameras = await Promise.all([...uuids].map((uuid) => this.#store.cameras.find(orgUuid, uuid)));
    const locations = new Map(cameras.map((camera) => [camera?.uuid, camera?.locationUuid ?? null]));
    return counts.map((count) => ({
      ...count,
      uuid: deriveRuuid('people count', `${orgUuid}\0${count.deviceUuid}\0${count.facet}\0${count.id}`),
      locationUuid: locations.get(count.deviceUuid) ?? null,
    }));
  }

  async #zoneOf(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<string> {
    const { cameras, locations, occupancy } = this.#store;
    const camera = await cameras.find(orgUuid, deviceUuid);
    if (camera === null && !(await occupancy.hasReported(orgUuid, deviceUuid))) {
      throw deviceNotFound(deviceUuid, { hasReported: false });
    }
    const locationUuid = camera?.locationUuid ?? null;
    const location = locationUuid === null ? null : await locations.find(orgUuid, locationUuid);
    return location !== null && isTimeZone(location.tz) ? location.tz : 'UTC';
  }
}

function fullestOf(peaks: readonly OccupancyPeak[]): OccupancyPeak {
  return peaks.reduce((best, peak) =>
    peak.count > best.count || (peak.count === best.count && peak.atMs < best.atMs) ? peak : best,
  );
}
