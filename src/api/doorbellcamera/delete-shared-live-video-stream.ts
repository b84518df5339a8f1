/** POST /api/doorbellcamera/deleteSharedLiveVideoStream: deletes a doorbell camera's share. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_DOORBELL_UUID, EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { deleteShare } from '../types/share-endpoints.ts';

export const deleteDoorbellSharedLiveVideoStream = defineEndpoint({
  path: '/api/doorbellcamera/deleteSharedLiveVideoStream',
  summary: 'Deletes a shared live stream of a doorbell camera.',
  description: 'Its links stop working right away, and current viewers are cut off.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    doorbellCameraUuid: deviceFacetUuid('Its doorbell camera; a share of another camera is not deleted.'),
  }),
  response: {},
  example: { request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID, uuid: EXAMPLE_SHARE_UUID }, response: {} },
  async handler(context, { uuid, doorbellCameraUuid }) {
    await deleteShare(
      context,
      uuid,
      await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid),
    );
    return {};
  },
});
