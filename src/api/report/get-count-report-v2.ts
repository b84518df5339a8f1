/** POST /api/report/getCountReportV2: how many people, vehicles, faces or plates were counted, by interval. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf, oneOf } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { REPORT_ERRORS } from '../../reports/errors.ts';
import { objectCounts } from '../../reports/object-counts.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { camerasAt } from './cameras-at.ts';
import {
  COUNTED_TYPES,
  DATA_POINTS,
  DEFAULT_TYPE,
  dataPoint,
  EXAMPLE_DATA_POINT,
  INTERVAL_FIELD,
  OBJECT_COUNT_RULES,
  SIZE_BY_INTERVAL,
} from './object-count-report.ts';
import { RANGE_PROPERTIES, TIME_ZONE_FIELD } from './report-range.ts';

export const getCountReportV2 = defineEndpoint({
  path: '/api/report/getCountReportV2',
  summary: 'Counts people, vehicles, faces or license plates, by interval.',
  description: OBJECT_COUNT_RULES,
  request: Type.Object({
    ...RANGE_PROPERTIES,
    interval: INTERVAL_FIELD,
    scope: Type.Optional(oneOf(['DEVICE', 'LOCATION', 'ORG'], 'Where. Default ORG.')),
    uuid: Type.Optional(deviceFacetUuid('With DEVICE the camera, with LOCATION the location.')),
    types: Type.Optional(
      listOf(
        oneOf(COUNTED_TYPES, 'Type.'),
        `What is counted. Default ${DEFAULT_TYPE}.`,
        COUNTED_TYPES.length,
      ),
    ),
    timeZone: TIME_ZONE_FIELD,
  }),
  response: { timeSeriesDataPoints: DATA_POINTS },
  example: {
    request: { scope: 'DEVICE', uuid: EXAMPLE_CAMERA_UUID, startTimeMs: EXAMPLE_TIME_MS, types: ['PEOPLE'] },
    response: { timeSeriesDataPoints: [EXAMPLE_DATA_POINT] },
  },
  async handler(context, { scope = 'ORG', uuid, interval = 'HOURLY', types = [DEFAULT_TYPE], ...wanted }) {
    const { orgUuid, services } = context;
    if (scope !== 'ORG' && uuid === undefined) throw invalidField(`uuid is required with scope ${scope}.`);
    const devices =
      scope === 'ORG'
        ? null
        : scope === 'DEVICE'
          ? [reportingDevice(uuid!)]
          : (await camerasAt(context, uuid!, 'uuid')).map((camera) => reportingDevice(camera));
    const bucketSize = SIZE_BY_INTERVAL[interval];
    const query = { ...wanted, bucketSize, types };
    const counts = await objectCounts(services.crossingReports, orgUuid, devices, query).catch(
      (thrown: unknown) => {
        const isUnknown =
          thrown instanceof GatewayError && thrown.code === REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND.code;
        throw isUnknown ? invalidField('uuid: there is no device with this UUID.') : thrown;
      },
    );
    return { timeSeriesDataPoints: counts.map(dataPoint) };
  },
});
