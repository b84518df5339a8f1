/** Reports of door events, clips and device health: how they are checked, and where they are stored. */

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
import { ComponentEvents, type ReportedComponentEvent } from './component-events.ts';
import { PolicyAlerts } from './policy-alerts.ts';
import { MAX_SAVED_CLIPS, type ReportedClip, SavedClips } from './saved-clips.ts';
import type { DeviceHealthBody, UnhealthySymptom } from './unhealthy-device.ts';

export const componentEventReportRules: ReportRules<ReportedComponentEvent> = {
  async problemsOf(context, rows) {
    const doors = await new ComponentEvents(context.store).knownDoors(
      context.orgUuid,
      rows.map(({ accessControlledDoorUuid }) => accessControlledDoorUuid),
    );
    const locations = await locationUuidsOf(context);
    return rows.map((row) =>
      doors.has(row.accessControlledDoorUuid)
        ? placeProblem(row, locations)
        : unknownReference('accessControlledDoorUuid', 'a door'),
    );
  },
  known(context, rows) {
    return knownEvents(
      context,
      'componentEvent',
      rows,
      ({ uuid }) => uuid,
      ({ id, deviceUuid, atMs, body }) => ({
        ...body,
        ...{ uuid: id, accessControlledDoorUuid: deviceUuid, createdAtMs: atMs },
      }),
    );
  },
  store: ({ orgUuid, store }, rows) => new ComponentEvents(store).report(orgUuid, rows),
};

const CLIPS_FULL: RowProblem = {
  field: 'id',
  reason: `id: the organization has ${MAX_SAVED_CLIPS.toLocaleString('en')} saved clips; delete some first.`,
};

export const savedClipReportRules: ReportRules<ReportedClip> = {
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    const locations = await locationUuidsOf(context);
    const problems = rows.map((row): RowProblem | null => {
      const unknown = row.deviceUuids.findIndex((device) => !cameras.has(parseDeviceFacetUuid(device)!.uuid));
      if (unknown >= 0) return unknownReference(`deviceUuids[${unknown}]`, 'a camera');
      return placeProblem(row, locations);
    });
    const soundIds = rows.filter((_, index) => problems[index] === null).map(({ id }) => id);
    const haveRoom = (await clipsIn(context).haveRoom(context.orgUuid, soundIds)).values();
    return problems.map((problem) => problem ?? (haveRoom.next().value === true ? null : CLIPS_FULL));
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
  known(context, rows) {
    return knownEvents(
      context,
      'deviceHealth',
      rows,
      ({ id }) => id,
      ({ id, deviceUuid, atMs, body }) => ({
        ...{ id, deviceUuid, timestampMs: atMs, symptom: (body as DeviceHealthBody).symptom },
      }),
    );
  },
  store({ orgUuid, store }, rows) {
    const events = rows.map(({ id, deviceUuid, timestampMs, symptom }): StoredEvent => {
      const body: DeviceHealthBody = { symptom: symptom ?? null };
      return { orgUuid, kind: 'deviceHealth', id, deviceUuid, atMs: timestampMs, body };
    });
    return store.events.add(events);
  },
};
