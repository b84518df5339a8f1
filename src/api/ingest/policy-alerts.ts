/** Policy alerts: what a device or an integration found worth an alert. */

import { Type } from 'typebox';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { deviceUuid, ruuid } from '../../http/fields/field-types.ts';
import { policyAlertReportRules } from '../../policies/report-rules.ts';
import { EXAMPLE_ALERT_UUID } from '../event/policy-alert-example.ts';
import { ALERT_FOOTAGE_FIELDS } from '../event/policy-alert-footage.ts';
import { GIVEN_RECORD_PROPERTIES } from '../event/policy-alert-records.ts';
import { REPORTED_ALERT_PROPERTIES } from '../event/policy-alert-type.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { timeMs } from './row-fields.ts';

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
