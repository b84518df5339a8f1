/** POST /api/camera/deleteSharedLiveVideoStream: deletes a share. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { deleteShare } from '../types/share-endpoints.ts';

export const deleteSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/deleteSharedLiveVideoStream',
  summary: 'Deletes a shared live stream.',
  description: 'Its links stop working right away, and current viewers are cut off.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    cameraUuid: Type.Optional(deviceFacetUuid('Its camera; a share of another camera is not deleted.')),
  }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID, uuid: EXAMPLE_SHARE_UUID }, response: {} },
  async handler(context, { uuid, cameraUuid }) {
    const device =
      cameraUuid === undefined
        ? null
        : await context.services.devices.namedCamera(context.orgUuid, cameraUuid);
    await deleteShare(context, uuid, device);
    return {};
  },
});
