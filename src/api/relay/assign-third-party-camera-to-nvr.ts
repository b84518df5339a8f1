/** POST /api/relay/assignThirdPartyCameraToNVR: creates a camera from an RTSP endpoint. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_RTSP_ENDPOINT, MAC_ADDRESS_INPUT, RTSP_URL_INPUT } from './third-party-camera-types.ts';

export const assignThirdPartyCameraToNvr = defineEndpoint({
  path: '/api/relay/assignThirdPartyCameraToNVR',
  summary: 'Creates a camera from an RTSP endpoint.',
  description:
    'From then on, the gateway streams the new camera. The endpoint must have been GOOD or NOT_SUPPORTED when last ' +
    'tried; the latter streams if ffmpeg can read it. `rtspUrl` is optional if the camera has only one endpoint.',
  repetition: 'once',
  request: Type.Object({
    nvruuid: ruuid('The NVR to assign it to.'),
    discoveredCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
    name: Type.Optional(text('Its name; default: its host.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(
      ruuid('Where it is; default: the location of its discovery, otherwise the NVR’s.'),
    ),
  }),
  response: { deviceUuid: deviceFacetUuid('The new camera.') },
  example: {
    request: {
      nvruuid: EXAMPLE_NVR_UUID,
      discoveredCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      name: 'Loading dock',
    },
    response: { deviceUuid: EXAMPLE_CAMERA_UUID },
  },
  async handler(context, { nvruuid, discoveredCameraMacAddress, ...assignment }) {
    const { cameraUuid, status } = await context.services.rtspEndpoints.assign(context.orgUuid, {
      ...assignment,
      nvrUuid: nvruuid,
      macAddress: discoveredCameraMacAddress,
    });
    if (status === 'NOT_SUPPORTED') {
      context.warn(
        'The direct engine supports none of the camera’s streams: the gateway tries ffmpeg instead.',
      );
    }
    return { deviceUuid: cameraUuid };
  },
});
