/** POST /api/event/getUnhealthyDeviceAlerts: devices that are not well now (docs/spec/rules.md#unhealthy-devices). */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { UNHEALTHY_SYMPTOMS } from '../../events/unhealthy-device.ts';
import type { UnhealthyDevice } from '../../events/unhealthy-devices.ts';
import { int64, listOf, namedType, oneOf, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const ALERT_SCHEMA = namedType('UnHealthyDeviceAlert', {
  uuid: ruuid('The alert; the same as long as it lasts.'),
  deviceUuid: ruuid('The device.'),
  orgUuid: ruuid('The organisation.'),
  timestamp: int64('Since when it is known, epoch milliseconds.'),
  symptom: oneOf(UNHEALTHY_SYMPTOMS, 'What is wrong.'),
});

export const getUnhealthyDeviceAlerts = defineEndpoint({
  path: '/api/event/getUnhealthyDeviceAlerts',
  summary: 'Lists the devices that are not well now.',
  description:
    'DOWN: a camera that the gateway cannot reach, or an NVR none of whose cameras it reaches. Besides, whatever the ' +
    'newest report of a device (`/api/ingest/deviceHealth`, not older than 30 days) complains of. The newest alert ' +
    'comes first; one alert per device and symptom.',
  request: Type.Object({}),
  response: { unhealthyDeviceAlerts: listOf(ALERT_SCHEMA, 'The alerts.') },
  example: {
    request: {},
    response: {
      unhealthyDeviceAlerts: [
        {
          uuid: deriveRuuid('example', 'unhealthy device alert'),
          deviceUuid: EXAMPLE_CAMERA_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          timestamp: EXAMPLE_TIME_MS,
          symptom: 'DOWN',
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const devices = await services.health.unhealthyDevices(orgUuid);
    return { unhealthyDeviceAlerts: devices.map(alertAnswer) };
  },
});

function alertAnswer(device: UnhealthyDevice): Static<typeof ALERT_SCHEMA> {
  const { uuid, deviceUuid, orgUuid, sinceMs, symptom } = device;
  return { uuid, deviceUuid, orgUuid, timestamp: sinceMs, symptom };
}
