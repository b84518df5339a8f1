/** Reports of policy alerts: how they are checked, and where they are stored. */

import type { Ruuid } from '../core/ruuid.ts';
import { cameraLocations } from '../events/camera-locations.ts';
import { PolicyAlerts, type ReportedAlert } from '../events/policy-alerts.ts';
import type { RowProblem } from '../ingest/ingest-kind.ts';
import { knownEvents, locationUuidsOf, placeProblem, type ReportRules } from '../ingest/report-rules.ts';
import { pausesOf } from './alert-policy-pause.ts';

const PAUSED: RowProblem = {
  field: 'deviceUuid',
  reason: 'deviceUuid: alerts of this device are paused at that time.',
};

export const policyAlertReportRules: ReportRules<ReportedAlert> = {
  storage: { history: 'events' },
  async problemsOf(context, rows) {
    const { orgUuid, store } = context;
    const locations = await locationUuidsOf(context);
    const ofCameras = await cameraLocations(store, orgUuid);
    const isPaused = await pausesOf(store, orgUuid);
    return rows.map((row) => {
      const { deviceUuid, timestampMs, componentUuid = null } = row;
      const problem = placeProblem(row, locations);
      if (problem !== null) return problem;
      const locationUuid = row.locationUuid ?? ofCameras.get(deviceUuid) ?? null;
      return isPaused({ componentUuid, deviceUuid, locationUuid, timestampMs }) ? PAUSED : null;
    });
  },
  known(context, rows) {
    // The gateway decides whether it is saved.
    return knownEvents(
      context,
      'policyAlert',
      rows,
      ({ uuid }) => uuid,
      ({ id, deviceUuid, atMs, body }, { saved }) => ({
        ...body,
        uuid: id as Ruuid,
        deviceUuid,
        timestampMs: atMs,
        saved,
      }),
    );
  },
  store: ({ orgUuid, store, reporterUuid }, rows) =>
    new PolicyAlerts(store).report(orgUuid, rows, reporterUuid),
};
