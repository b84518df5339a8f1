/** Reports of devices about themselves: how they are checked, and where they are stored. */

import type { Ruuid } from '../core/ruuid.ts';
import { cameraUuidsOf, type ReportRules, unknownReference } from '../ingest/report-rules.ts';
import { type DeviceReport, deviceReportUuid, keepDeviceReports } from './device-report.ts';

export interface ReportedDeviceRow extends DeviceReport {
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
}

/** `names`: the fields that devices report. Other fields of a row are left out. */
export function deviceReportRules(names: readonly string[]): ReportRules<ReportedDeviceRow> {
  const reportIn = (row: object): DeviceReport => {
    const given = row as Readonly<Record<string, unknown>>;
    const reported = names.filter((name) => given[name] !== undefined);
    return Object.fromEntries(reported.map((name) => [name, given[name]]));
  };
  return {
    storage: {
      records: 'deviceReports',
      kind: 'deviceReport',
      uuidOf: ({ deviceUuid }) => deviceReportUuid(deviceUuid),
    },
    conflictReasons: {
      timestampMs:
        'timestampMs is before the stored report of this device, so nothing of this row was applied.',
    },
    async problemsOf(context, rows) {
      const nvrs = await context.store.nvrs.list(context.orgUuid);
      const known = new Set<Ruuid>([...(await cameraUuidsOf(context)), ...nvrs.map(({ uuid }) => uuid)]);
      return rows.map(({ deviceUuid }) =>
        known.has(deviceUuid) ? null : unknownReference('deviceUuid', 'a camera or NVR'),
      );
    },
    store({ orgUuid, store, nowMs }, rows) {
      const reported = rows.map((row) => {
        const { deviceUuid, timestampMs } = row;
        return { deviceUuid, timestampMs, report: reportIn(row) };
      });
      return keepDeviceReports(store, orgUuid, nowMs, reported);
    },
  };
}
