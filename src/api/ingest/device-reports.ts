/** Device reports: what cameras and NVRs report about their firmware, network and storage. */

import { Type } from 'typebox';
import { deviceReportRules } from '../../devices/report-rules.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { deviceUuid } from '../../http/fields/field-types.ts';
import { REPORTED_FIELDS } from '../types/device-report-fields.ts';
import { EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { timeMs } from './row-fields.ts';

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
