/** POST /api/event/getUnhealthyDeviceAlerts: devices that are unhealthy now (docs/spec/rules.md#unhealthy-devices). */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { UNHEALTHY_SYMPTOMS } from '../../events/unhealthy-device.ts';
import type { UnhealthyDevice } from '../../events/unhealthy-devices.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf, namedType, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const ALERT_SCHEMA = namedType('UnHealthyDeviceAlert', {
  uuid: ruuid('The alert; the same while it lasts.'),
  deviceUuid: ruuid('The device.'),
  orgUuid: ruuid('The organization.'),
  timestamp: int64('When it was first known, epoch milliseconds.'),
  symptom: oneOf(UNHEALTHY_SYMPTOMS, 'What is wrong.'),
});

export const getUnhealthyDeviceAlerts = defineEndpoint({
  path: '/api/event/getUnhealthyDeviceAlerts',
  summary: 'Lists the devices that are unhealthy now.',
  description:
    'DOWN: the gateway cannot reach the camera, or any camera of the NVR. Other symptoms come from the newest report ' +
    'of a device (`/api/ingest/deviceHealth`, not older than 30 days). The newest alert comes first. There is one ' +
    'alert per device and symptom.',
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
