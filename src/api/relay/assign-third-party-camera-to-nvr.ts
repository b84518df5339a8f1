/** POST /api/relay/assignThirdPartyCameraToNVR: makes a camera of an RTSP endpoint. */

import { Type } from 'typebox';
import { deviceFacetUuid, MAX_NAME_LENGTH, ruuid, text } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_RTSP_ENDPOINT, MAC_ADDRESS_INPUT, RTSP_URL_INPUT } from './third-party-camera-types.ts';

export const assignThirdPartyCameraToNvr = defineEndpoint({
  path: '/api/relay/assignThirdPartyCameraToNVR',
  summary: 'Makes a camera of an RTSP endpoint.',
  description:
    'The gateway streams the new camera from then on. The endpoint must have been GOOD or NOT_SUPPORTED when it was last ' +
    'tried; the latter is streamed when ffmpeg can read it. `rtspUrl` may be absent when the camera has one endpoint only.',
  request: Type.Object({
    nvruuid: ruuid('The NVR that it stands behind.'),
    discoveredCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
    name: Type.Optional(text('Its name; its host when absent.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(
      ruuid('Where it is; the place of its discovery, else the NVR’s, when absent.'),
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
      context.warn('The direct engine takes nothing of what the camera offers: ffmpeg is tried instead.');
    }
    return { deviceUuid: cameraUuid };
  },
});
