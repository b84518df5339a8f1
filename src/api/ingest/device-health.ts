/** Device health: what is wrong with a device, or that it has recovered. */

import { Type } from 'typebox';
import { deviceHealthReportRules } from '../../events/report-rules.ts';
import { UNHEALTHY_SYMPTOMS } from '../../events/unhealthy-device.ts';
import { deviceUuid, oneOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { rowId, timeMs } from './row-fields.ts';

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
