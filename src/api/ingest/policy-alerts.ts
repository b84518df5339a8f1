/** Policy alerts: what a device or an integration found worth an alert. */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { cameraLocations } from '../../events/camera-locations.ts';
import { PolicyAlerts } from '../../events/policy-alerts.ts';
import type { RowProblem } from '../../ingest/ingest-kind.ts';
import { pausesOf } from '../../policies/alert-policy-pause.ts';
import { EXAMPLE_ALERT_UUID } from '../event/policy-alert-example.ts';
import { ALERT_FOOTAGE_FIELDS } from '../event/policy-alert-footage.ts';
import { GIVEN_RECORD_PROPERTIES } from '../event/policy-alert-records.ts';
import { REPORTED_ALERT_PROPERTIES } from '../event/policy-alert-type.ts';
import { optionalFields } from '../fields/field-groups.ts';
import { deviceUuid, ruuid } from '../fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { knownEvents } from './known-events.ts';
import { locationUuidsOf, timeMs, unknownReference } from './row-fields.ts';

const PAUSED: RowProblem = {
  field: 'deviceUuid',
  reason: 'deviceUuid: alerts of this device are paused at that time.',
};

export const policyAlerts = defineIngestKind({
  name: 'policyAlerts',
  summary: 'Reports policy alerts.',
  description:
    'Read by `/api/event/getPolicyAlert`, `/api/event/getPolicyAlertDetails`, `/api/event/getPolicyAlerts` and ' +
    '`/api/event/getPolicyAlertsV2`. `uuid` is unique among the organization’s alerts. Alerts that a pause covers at their `timestampMs` are refused.',
  row: Type.Object({
    uuid: ruuid('The alert. One that is already known counts as a duplicate and changes nothing.'),
    deviceUuid: deviceUuid('The device that raised it.'),
    timestampMs: timeMs('When it was raised.'),
    ...REPORTED_ALERT_PROPERTIES,
    ...GIVEN_RECORD_PROPERTIES,
    ...optionalFields(ALERT_FOOTAGE_FIELDS),
  }),
  example: {
    uuid: EXAMPLE_ALERT_UUID,
    deviceUuid: EXAMPLE_CAMERA_UUID,
    timestampMs: EXAMPLE_TIME_MS,
    policyAlertTriggers: ['MOTION_HUMAN'],
    textDescription: 'Motion at the front desk',
    durationSec: 12,
  },
  async problemsOf(context, rows) {
    const { orgUuid, store } = context;
    const locations = await locationUuidsOf(context);
    const ofCameras = await cameraLocations(store, orgUuid);
    const isPaused = await pausesOf(store, orgUuid);
    return rows.map(({ deviceUuid, timestampMs, componentUuid = null, ...row }) => {
      if (row.locationUuid !== undefined && !locations.has(row.locationUuid)) {
        return unknownReference('locationUuid', 'a location');
      }
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
        ...{ uuid: id as Ruuid, deviceUuid, timestampMs: atMs, saved },
      }),
    );
  },
  store({ orgUuid, store }, rows) {
    return new PolicyAlerts(store).report(orgUuid, rows);
  },
});
