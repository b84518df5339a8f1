/** POST /api/relay/unassignThirdPartyCamera: removes a camera that was created from an RTSP endpoint. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { MAC_ADDRESS_INPUT, RTSP_URL_INPUT } from './third-party-camera-types.ts';

export const unassignThirdPartyCamera = defineEndpoint({
  path: '/api/relay/unassignThirdPartyCamera',
  summary: 'Removes a camera that was created from an RTSP endpoint.',
  description:
    'The gateway stops streaming the camera; its shares and its configuration are removed too. The endpoint stays ' +
    'and can be assigned again. Name the camera by its UUID, or by MAC address and URL; if you send both, they must ' +
    'match.',
  repetition: 'same-outcome',
  request: Type.Object({
    thirdPartyCameraUuid: Type.Optional(deviceUuid('The camera.')),
    thirdPartyCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
  }),
  response: {},
  example: { request: { thirdPartyCameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, body) {
    const { thirdPartyCameraUuid, thirdPartyCameraMacAddress: macAddress, rtspUrl } = body;
    if (thirdPartyCameraUuid === undefined && macAddress === undefined && rtspUrl === undefined) {
      throw invalidField('thirdPartyCameraUuid is required if you give neither MAC address nor URL.');
    }
    await services.rtspEndpoints.unassign(orgUuid, thirdPartyCameraUuid, { macAddress, rtspUrl });
    return {};
  },
});
