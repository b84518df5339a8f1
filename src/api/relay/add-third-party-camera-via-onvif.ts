/** POST /api/relay/addThirdPartyCameraViaOnvif: finds a camera's stream over ONVIF, and makes a camera of it if asked. */

import { Type } from 'typebox';
import { hostOf } from '../../devices/rtsp-endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  MAX_NAME_LENGTH,
  nullable,
  plainText,
  ruuid,
  text,
} from '../fields/field-types.ts';
import { countingWith } from '../fields/no-effect.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { requestSentence } from '../http/request-sentences.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_RTSP_ENDPOINT, LOGIN_INPUT_PROPERTIES } from './third-party-camera-types.ts';

export const addThirdPartyCameraViaOnvif = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaOnvif',
  summary: 'Finds a camera’s stream over ONVIF, and makes a camera of it if asked.',
  description:
    'Asks the camera at `ipAddress` for its streams, keeps them as RTSP endpoints, and opens the first. `found` is false ' +
    'when nothing there speaks ONVIF or lets the login in; `assignmentMsg` says why, and why the camera was not assigned. ' +
    'Nothing of it is a failure of the call, which takes up to 20 seconds.',
  request: Type.Object({
    ipAddress: text('Its address, with a port behind a colon unless that is 80.', 64),
    ...LOGIN_INPUT_PROPERTIES,
    autoAssign: Type.Optional(flag('Whether it is assigned to `nvrUuid`. Default false.')),
    nvrUuid: Type.Optional(countingWith(ruuid('The NVR that it stands behind.'), 'autoAssign')),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    name: Type.Optional(countingWith(text('Its name; its host when absent.', MAX_NAME_LENGTH), 'autoAssign')),
  }),
  response: {
    found: flag('Whether there is a camera whose streams are known now.'),
    assignedDeviceUuid: nullable(deviceFacetUuid('The new camera; absent: it was not assigned.')),
    assignmentMsg: nullable(plainText('Why it was not found or not assigned.')),
    ipAddress: plainText('Its address.'),
    macAddress: nullable(plainText('What stands for its MAC address in other calls.')),
    manufacturer: nullable(plainText('Who made it.')),
    model: nullable(plainText('Its model.')),
    name: nullable(plainText('Its name.')),
    codec: nullable(plainText('The codec of its video.')),
    rtspUrl: nullable(plainText('The URL of its main stream, without a login.')),
  },
  example: {
    request: {
      ipAddress: '192.0.2.10',
      username: 'viewer',
      password: 'correct horse',
      autoAssign: true,
      nvrUuid: EXAMPLE_NVR_UUID,
    },
    response: {
      ...{ found: true, assignedDeviceUuid: EXAMPLE_CAMERA_UUID, assignmentMsg: null },
      ...{ ipAddress: '192.0.2.10', macAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
      ...{ manufacturer: 'Example', model: 'Dome 4', name: '192.0.2.10', codec: 'h264' },
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
    },
  },
  async handler({ orgUuid, services }, body) {
    const { ipAddress, username, password, trySavedCredentials = false, autoAssign = false } = body;
    const { nvrUuid, locationUuid, name } = body;
    const { device, endpoint, cameraUuid, failure } = await services.onvifCameras.add(orgUuid, {
      ...{ address: ipAddress, username, password, trySavedCredentials },
      ...{ isAssigned: autoAssign, nvrUuid, locationUuid, name },
    });
    return {
      found: endpoint !== null,
      assignedDeviceUuid: cameraUuid,
      assignmentMsg: failure === null ? null : requestSentence(failure),
      ipAddress,
      macAddress: endpoint?.body.macAddress ?? null,
      manufacturer: device?.manufacturer ?? null,
      model: device?.model ?? null,
      name: endpoint === null ? null : (name ?? hostOf(endpoint)),
      codec: endpoint?.body.codec ?? null,
      rtspUrl: endpoint?.body.rtspUrl ?? null,
    };
  },
});
