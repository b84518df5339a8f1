/** Reports of crossings, occupancy and sales: how they are checked, and where they are stored. */

import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import {
  cameraUuidsOf,
  type FacetRow,
  knownEvents,
  knownReports,
  type ReportRules,
  reportName,
  unknownReference,
} from '../../ingest/report-rules.ts';
import type { Crossing, CrossingObject } from '../../store/crossing.ts';
import { businessDayMs } from './business-date.ts';
import { type ReportedPosRow, reportSales } from './sales-reports.ts';

export interface ReportedCrossing extends FacetRow {
  readonly crossingObject: CrossingObject;
  /** The ID that the camera tracks the object by. */
  readonly objectId: number;
  readonly direction: Crossing['direction'];
}

export const crossingReportRules: ReportRules<ReportedCrossing> = {
  storage: { history: 'crossings' },
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    return rows.map(({ deviceUuid }) =>
      cameras.has(parseDeviceFacetUuid(deviceUuid)!.uuid) ? null : unknownReference('deviceUuid', 'a camera'),
    );
  },
  async known({ orgUuid, store }, rows) {
    const found = await store.crossings.findAll(orgUuid, rows.map(reportName));
    return knownReports(found, rows, ({ atMs, object, objectId, direction }, row) => ({
      ...row,
      timestampMs: atMs,
      crossingObject: object,
      objectId,
      direction,
    }));
  },
  store({ orgUuid, store }, rows) {
    const crossings = rows.map((row) => ({
      ...reportName(row),
      atMs: row.timestampMs,
      object: row.crossingObject,
      objectId: row.objectId,
      direction: row.direction,
    }));
    return store.crossings.add(orgUuid, crossings);
  },
};

export interface ReportedOccupancy extends FacetRow {
  readonly occupancy: number;
}

/** The device can be a sensor that the gateway does not know. */
export const occupancyReportRules: ReportRules<ReportedOccupancy> = {
  storage: { history: 'occupancyCounts' },
  async known({ orgUuid, store }, rows) {
    const found = await store.occupancy.findAll(orgUuid, rows.map(reportName));
    return knownReports(found, rows, ({ atMs, count }, row) => ({
      ...row,
      timestampMs: atMs,
      occupancy: count,
    }));
  },
  store({ orgUuid, store }, rows) {
    const counts = rows.map((row) => ({ ...reportName(row), atMs: row.timestampMs, count: row.occupancy }));
    return store.occupancy.add(orgUuid, counts);
  },
};

export const saleReportRules: ReportRules<ReportedPosRow> = {
  storage: { history: 'events' },
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    return rows.map(({ businessDate, assignedCameraList = [] }) => {
      if (businessDayMs(businessDate) === null) {
        return {
          field: 'businessDate',
          reason: 'businessDate must be a date such as 2026-01-31 or 20260131.',
        };
      }
      const unknown = assignedCameraList.findIndex((camera) => !cameras.has(camera));
      return unknown < 0 ? null : unknownReference(`assignedCameraList[${unknown}]`, 'a camera');
    });
  },
  known(context, rows) {
    return knownEvents(
      context,
      'posEvent',
      rows,
      ({ id }) => id,
      ({ id, atMs, body }, { businessDate }) => ({
        ...body,
        id,
        businessDate: businessDayMs(businessDate) === atMs ? businessDate : null,
      }),
    );
  },
  store: ({ orgUuid, store, nowMs, reporterUuid }, rows) =>
    reportSales(store, { orgUuid, nowMs, reporterUuid }, rows),
};
