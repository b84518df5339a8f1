/** POST /api/relay/authenticateThirdPartyCamera: tries a known RTSP endpoint with a login. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { nullable, ruuid } from '../../http/fields/field-types.ts';
import {
  DISCOVERED_CAMERA_SCHEMA,
  discoveredCameraAnswer,
  EXAMPLE_RTSP_ENDPOINT,
  LOGIN_INPUT_PROPERTIES,
  MAC_ADDRESS_INPUT,
  RTSP_URL_INPUT,
  RTSP_URL_STATUS_SCHEMA,
} from './third-party-camera-types.ts';

export const authenticateThirdPartyCamera = defineEndpoint({
  path: '/api/relay/authenticateThirdPartyCamera',
  summary: 'Tries a known RTSP endpoint with a login.',
  description:
    'Like `/api/relay/manualDiscoverCamera`, for a discovered endpoint. `rtspUrl` is optional if the camera has only ' +
    'one endpoint. A login that the camera accepts is stored, and a camera that was created from the endpoint uses ' +
    'it from then on. A login that it refuses changes only the status.',
  repetition: 'same-outcome',
  request: Type.Object({
    thirdPartyCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
    ...LOGIN_INPUT_PROPERTIES,
    locationUuid: Type.Optional(ruuid('Where the camera is.')),
  }),
  response: {
    rtspUrlStatus: RTSP_URL_STATUS_SCHEMA,
    result: nullable(DISCOVERED_CAMERA_SCHEMA),
  },
  example: {
    request: {
      thirdPartyCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      username: 'viewer',
      password: 'correct horse',
    },
    response: { rtspUrlStatus: 'GOOD', result: discoveredCameraAnswer(EXAMPLE_RTSP_ENDPOINT) },
  },
  async handler({ orgUuid, services }, body) {
    const { thirdPartyCameraMacAddress: macAddress, rtspUrl, trySavedCredentials = false, ...login } = body;
    const request = { ...login, trySavedCredentials };
    const found = await services.rtspEndpoints.authenticate(orgUuid, { macAddress, rtspUrl }, request);
    const result = found.endpoint === null ? null : discoveredCameraAnswer(found.endpoint);
    return { rtspUrlStatus: found.status, result };
  },
});
