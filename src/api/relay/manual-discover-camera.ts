/** POST /api/relay/manualDiscoverCamera: tries an RTSP camera and stores it if it responds. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { nullable, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import {
  DISCOVERED_CAMERA_SCHEMA,
  discoveredCameraAnswer,
  EXAMPLE_RTSP_ENDPOINT,
  LOGIN_INPUT_PROPERTIES,
  RTSP_URL_INPUT,
  RTSP_URL_STATUS_SCHEMA,
} from './third-party-camera-types.ts';

export const manualDiscoverCamera = defineEndpoint({
  path: '/api/relay/manualDiscoverCamera',
  summary: 'Tries an RTSP camera and stores it if it responds.',
  description:
    'Opens the camera for a few seconds and reports the result in `rtspUrlStatus`; the call itself does not fail. If ' +
    'the camera responds, it is stored as an RTSP endpoint, which can be authenticated and assigned to an NVR. The ' +
    'call takes up to 20 seconds.',
  repetition: 'once',
  request: Type.Object({
    rtspUrl: RTSP_URL_INPUT,
    ...LOGIN_INPUT_PROPERTIES,
    locationUuid: Type.Optional(ruuid('Where the camera is.')),
  }),
  response: {
    rtspUrlStatus: RTSP_URL_STATUS_SCHEMA,
    result: nullable(DISCOVERED_CAMERA_SCHEMA),
  },
  example: {
    request: {
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      username: 'viewer',
      password: 'correct horse',
      locationUuid: EXAMPLE_LOCATION_UUID,
    },
    response: { rtspUrlStatus: 'GOOD', result: discoveredCameraAnswer(EXAMPLE_RTSP_ENDPOINT) },
  },
  async handler({ orgUuid, services }, { trySavedCredentials = false, ...request }) {
    const found = await services.rtspEndpoints.discover(orgUuid, { ...request, trySavedCredentials });
    const result = found.endpoint === null ? null : discoveredCameraAnswer(found.endpoint);
    return { rtspUrlStatus: found.status, result };
  },
});
