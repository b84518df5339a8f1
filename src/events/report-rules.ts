/** Reports of clips and device health: how they are checked, and where they are stored. */

import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import type { IngestContext, RowProblem } from '../ingest/ingest-kind.ts';
import {
  cameraUuidsOf,
  knownEvents,
  locationUuidsOf,
  placeProblem,
  type ReportRules,
  unknownReference,
} from '../ingest/report-rules.ts';
import type { StoredEvent } from '../store/event.ts';
import { PolicyAlerts } from './policy-alerts.ts';
import { type ReportedClip, reportedClipUuid, SavedClips } from './saved-clips.ts';
import type { DeviceHealthBody, UnhealthySymptom } from './unhealthy-device.ts';

export const savedClipReportRules: ReportRules<ReportedClip> = {
  storage: {
    records: 'savedClips',
    kind: 'savedClip',
    uuidOf: ({ id }, orgUuid) => reportedClipUuid(orgUuid, id),
  },
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    const locations = await locationUuidsOf(context);
    return rows.map((row): RowProblem | null => {
      const unknown = row.deviceUuids.findIndex((device) => !cameras.has(parseDeviceFacetUuid(device)!.uuid));
      if (unknown >= 0) return unknownReference(`deviceUuids[${unknown}]`, 'a camera');
      return placeProblem(row, locations);
    });
  },
  async known(context, rows) {
    const found = await clipsIn(context).reported(
      context.orgUuid,
      rows.map(({ id }) => id),
    );
    return rows.map(({ id }) => {
      const body = found.get(id);
      return body === undefined ? null : { ...body, id };
    });
  },
  store: (context, rows) => clipsIn(context).report(context.orgUuid, rows),
};

function clipsIn({ store, nowMs }: IngestContext): SavedClips {
  return new SavedClips({ store, alerts: new PolicyAlerts(store), clock: { epochMs: () => nowMs } });
}

/** A report about a device's health. */
export interface ReportedHealth {
  /** Unique among the organization's health reports. */
  readonly id: string;
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
  /** Absent: the device is healthy. */
  readonly symptom?: UnhealthySymptom;
}

export const deviceHealthReportRules: ReportRules<ReportedHealth> = {
  storage: { history: 'events' },
  known(context, rows) {
    return knownEvents(
      context,
      'deviceHealth',
      rows,
      ({ id }) => id,
      ({ id, deviceUuid, atMs, body }) => ({
        id,
        deviceUuid,
        timestampMs: atMs,
        symptom: (body as DeviceHealthBody).symptom,
      }),
    );
  },
  store({ orgUuid, store, reporterUuid }, rows) {
    const reporter = reporterUuid === undefined ? {} : { reporterUuid };
    const events = rows.map(({ id, deviceUuid, timestampMs, symptom }): StoredEvent => {
      const body: DeviceHealthBody = { symptom: symptom ?? null };
      return { orgUuid, kind: 'deviceHealth', id, deviceUuid, atMs: timestampMs, body, ...reporter };
    });
    return store.events.add(events);
  },
};
