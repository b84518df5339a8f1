/** POST /api/relay/addThirdPartyCameraViaOnvif: finds a camera's stream over ONVIF, and adds the camera if requested. */

import { Type } from 'typebox';
import { hostOf } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  MAX_NAME_LENGTH,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { countingWith } from '../../http/fields/no-effect.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_RTSP_ENDPOINT, LOGIN_INPUT_PROPERTIES } from './third-party-camera-types.ts';

/** `sha256:` and 32 bytes with colons in between. */
const MAX_TLS_LENGTH = 102;

export const addThirdPartyCameraViaOnvif = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaOnvif',
  summary: 'Finds a camera’s stream over ONVIF, and adds the camera if requested.',
  description:
    'Asks the camera at `ipAddress` for its streams, stores them as RTSP endpoints, and opens the first. `found` is ' +
    'false if nothing at the address speaks ONVIF or accepts the login. `assignmentMsg` says why, and why the camera ' +
    'was not assigned. In neither case does the call fail. It takes up to 20 seconds.',
  repetition: 'once',
  request: Type.Object({
    ipAddress: text(
      'Its address, followed by a colon and the port unless that is 80, or 443 with `tls`.',
      64,
    ),
    tls: Type.Optional(
      text(
        'Asks over HTTPS, and says what the certificate must prove: `any` accepts every certificate, `verify` requires ' +
          'one that is valid for the address, `sha256:` with a fingerprint requires exactly that one. It counts for the ' +
          'assigned camera from then on, for an rtsps stream too. A field of Sluice. Default: HTTP.',
        MAX_TLS_LENGTH,
      ),
    ),
    ...LOGIN_INPUT_PROPERTIES,
    autoAssign: Type.Optional(flag('Whether to assign it to `nvrUuid`. Default false.')),
    nvrUuid: Type.Optional(countingWith(ruuid('The NVR to assign it to.'), 'autoAssign')),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    name: Type.Optional(countingWith(text('Its name; default: its host.', MAX_NAME_LENGTH), 'autoAssign')),
  }),
  response: {
    found: flag('Whether a camera was found and its streams are now known.'),
    assignedDeviceUuid: nullable(deviceFacetUuid('The new camera; absent if it was not assigned.')),
    assignmentMsg: nullable(plainText('Why it was not found or not assigned.')),
    ipAddress: plainText('Its address.'),
    macAddress: nullable(plainText('What other calls use as its MAC address.')),
    manufacturer: nullable(plainText('Its manufacturer.')),
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
    const { nvrUuid, locationUuid, name, tls } = body;
    const { device, endpoint, cameraUuid, failure } = await services.onvifCameras.add(orgUuid, {
      ...{ address: ipAddress, tls, username, password, trySavedCredentials },
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
