/** POST /api/relay/deleteThirdPartyCameraDiscovery: removes a discovered camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_RTSP_ENDPOINT, MAC_ADDRESS_INPUT } from './third-party-camera-types.ts';

export const deleteThirdPartyCameraDiscovery = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraDiscovery',
  summary: 'Removes a discovered camera with its RTSP endpoints.',
  description: 'Refused while one of the endpoints is assigned to an NVR.',
  repetition: 'same-outcome',
  request: Type.Object({ thirdPartyCameraMacAddress: MAC_ADDRESS_INPUT }),
  response: {},
  example: {
    request: { thirdPartyCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
    response: {},
  },
  async handler({ orgUuid, services }, { thirdPartyCameraMacAddress }) {
    await services.rtspEndpoints.forget(orgUuid, thirdPartyCameraMacAddress);
    return {};
  },
});
