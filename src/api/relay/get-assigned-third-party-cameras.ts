/** POST /api/relay/getAssignedThirdPartyCameras: the cameras behind an NVR. */

import { Type } from 'typebox';
import { CredentialUrl } from '../../core/secret.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { CAMERA_SCHEMA, cameraAnswer } from '../types/registered-device-type.ts';

export const getAssignedThirdPartyCameras = defineEndpoint({
  path: '/api/relay/getAssignedThirdPartyCameras',
  summary: 'Lists the cameras behind an NVR.',
  description: 'Including those of the configuration file, in the order in which they were assigned.',
  request: Type.Object({ nvruuid: ruuid('The NVR.') }),
  response: { assignedCameras: listOf(CAMERA_SCHEMA, 'The cameras.') },
  example: {
    request: { nvruuid: EXAMPLE_NVR_UUID },
    response: {
      assignedCameras: [
        cameraAnswer({
          uuid: EXAMPLE_CAMERA_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          locationUuid: EXAMPLE_LOCATION_UUID,
          nvrUuid: EXAMPLE_NVR_UUID,
          kind: 'camera',
          name: 'Lobby',
          rtspUrl: new CredentialUrl('rtsp://192.0.2.10/stream1'),
          substreamUrl: null,
          onvifUrl: null,
          engine: 'auto',
          transport: 'auto',
          audio: 'auto',
          tls: 'any',
          clock: 'arrival',
          createdAtMs: EXAMPLE_TIME_MS,
          mummified: false,
          fromConfig: false,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { nvruuid }) {
    const assigned = await services.deviceStates.assignedCameras(orgUuid, nvruuid);
    return { assignedCameras: assigned.map(({ camera, details }) => cameraAnswer(camera, details)) };
  },
});
