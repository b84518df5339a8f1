/** Kinds of report about alerts, clips, and devices. */

import { Type } from 'typebox';
import { deviceReportRules } from '../../devices/report-rules.ts';
import { deviceHealthReportRules, savedClipReportRules } from '../../events/report-rules.ts';
import { MAX_SAVED_CLIPS } from '../../events/saved-clips.ts';
import { UNHEALTHY_SYMPTOMS } from '../../events/unhealthy-device.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { deviceFacetUuid, deviceUuid, listOf, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { policyAlertReportRules } from '../../policies/report-rules.ts';
import {
  ALERT_FOOTAGE_FIELDS,
  EXAMPLE_ALERT_UUID,
  GIVEN_RECORD_PROPERTIES,
  REPORTED_ALERT_PROPERTIES,
} from '../alerts/policy-alert-types.ts';
import { CLIP_DETAIL_FIELDS, CLIP_FLAG_FIELDS } from '../clips/saved-clips.ts';
import { BOUNDING_BOX_FIELDS, givenRecords, SEEK_POINT_FIELDS } from '../types/detection-type.ts';
import { REPORTED_FIELDS } from '../types/device-report-fields.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind, rowId, timeMs } from './define-ingest-kind.ts';

/** Policy alerts: findings of a device or an integration. */
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
  rules: policyAlertReportRules,
});

const MAX_CLIP_DEVICES = 100;

const CLIP_ROW = Type.Object({
  id: rowId('The clip.'),
  deviceUuids: listOf(
    deviceFacetUuid('Camera.'),
    `The cameras that it shows, at most ${MAX_CLIP_DEVICES}.`,
    MAX_CLIP_DEVICES,
  ),
  timestampMs: timeMs('When its footage began.'),
  locationUuid: Type.Optional(ruuid('The location; default: the location of the first camera.')),
  ...optionalFields(CLIP_FLAG_FIELDS),
  ...optionalFields(CLIP_DETAIL_FIELDS),
  boundingBoxes: Type.Optional(givenRecords('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.')),
  seekPoints: Type.Optional(givenRecords('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.')),
});

/** Saved clips: what recorders and integrations know about footage that they store. */
export const savedClips = defineIngestKind({
  name: 'savedClips',
  summary: 'Reports saved clips.',
  description:
    'Read by `/api/event/getSavedClipsV2`, `/api/event/getSavedClipDetails` and `/api/event/getSavedClipCount`. Rows ' +
    'describe footage that is stored elsewhere; the gateway does not serve it. `id` is unique among the ' +
    `organization’s clips. An organization can have at most ${MAX_SAVED_CLIPS.toLocaleString('en')}.`,
  row: CLIP_ROW,
  example: {
    id: 'clip-1',
    deviceUuids: [EXAMPLE_CAMERA_UUID],
    timestampMs: EXAMPLE_TIME_MS,
    durationSec: 30,
    title: 'Delivery at the dock',
    status: 'COMPLETE',
  },
  rules: savedClipReportRules,
});

/** Device health: faults of a device, or its recovery. */
export const deviceHealth = defineIngestKind({
  name: 'deviceHealth',
  summary: 'Reports whether devices are healthy.',
  description:
    'Read by `/api/event/getUnhealthyDeviceAlerts`, where the latest report of a device counts. The gateway does not ' +
    'have to know the device. `id` is unique among the organization’s health reports.',
  row: Type.Object({
    id: rowId('The report.'),
    deviceUuid: deviceUuid('The device.'),
    timestampMs: timeMs('When this was observed.'),
    symptom: Type.Optional(oneOf(UNHEALTHY_SYMPTOMS, 'What is wrong; absent if the device is healthy.')),
  }),
  example: { id: 'health-1', deviceUuid: EXAMPLE_CAMERA_UUID, timestampMs: EXAMPLE_TIME_MS, symptom: 'DOWN' },
  rules: deviceHealthReportRules,
});

/** Device reports: what cameras and NVRs report about their firmware, network and storage. */
export const deviceReports = defineIngestKind({
  name: 'deviceReports',
  summary: 'Reports what cameras and NVRs say about themselves.',
  description:
    'The states and records of `/api/camera/` and `/api/relay/` show it, for example `getMinimalNVRStateList`. ' +
    "Fields that you leave out keep their earlier values. A row that is not newer than the device's last report " +
    'counts as a duplicate and changes nothing.',
  row: Type.Object({
    deviceUuid: deviceUuid('The camera or NVR.'),
    timestampMs: timeMs('When this was observed.'),
    ...optionalFields(REPORTED_FIELDS),
  }),
  example: {
    deviceUuid: EXAMPLE_NVR_UUID,
    timestampMs: EXAMPLE_TIME_MS,
    firmwareVersion: '4.2.1',
    lanAddresses: ['192.0.2.7'],
    numThirdPartyCamerasSupported: 32,
  },
  rules: deviceReportRules(Object.keys(REPORTED_FIELDS)),
});
