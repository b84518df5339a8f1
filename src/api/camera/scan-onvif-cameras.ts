/** POST /api/camera/scanOnvifCameras: which ONVIF cameras answer on the gateway's network. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, namedType, nullable, plainText } from '../../http/fields/field-types.ts';

const FOUND_SCHEMA = namedType('FoundOnvifCameraType', {
  address: plainText('Its address, with its port unless that is the usual one.'),
  https: flag('Whether its service is asked over HTTPS.'),
  name: nullable(plainText('What it calls itself.')),
  hardware: nullable(plainText('What it says it is.')),
  known: flag('Whether a camera of the organization is at this address.'),
});

export const scanOnvifCameras = defineEndpoint({
  path: '/api/camera/scanOnvifCameras',
  summary: 'Looks for ONVIF cameras on the gateway’s network, and asks them nothing else.',
  description:
    'Sends a WS-Discovery probe and waits two seconds. Needs no NVR and stores nothing: ' +
    '`/api/camera/inspectOnvifCamera` asks one of them for its streams, and `/api/camera/createCamera` adds it. ' +
    'Cameras of other organizations of this gateway are left out. One discovery runs at a time. What cameras call ' +
    'themselves is not checked.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: { cameras: listOf(FOUND_SCHEMA, 'By address.') },
  example: {
    request: {},
    response: {
      cameras: [{ address: '192.0.2.10', https: false, name: 'Dome 4', hardware: 'D4-2MP', known: false }],
    },
  },
  async handler({ orgUuid, services }) {
    const found = await services.onvifDiscovery.scan(orgUuid);
    return {
      cameras: found.map(({ service, name, hardware, isKnown }) => ({
        ...{ address: service.host, https: service.protocol === 'https:' },
        ...{ name, hardware, known: isKnown },
      })),
    };
  },
});
