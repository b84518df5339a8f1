/** POST /api/relay/getRtspEndpoints: the RTSP endpoints of a discovered camera. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_RTSP_ENDPOINT,
  EXTERNAL_RTSP_ENDPOINT_SCHEMA,
  externalEndpointAnswer,
  MAC_ADDRESS_INPUT,
} from './third-party-camera-types.ts';

export const getRtspEndpoints = defineEndpoint({
  path: '/api/relay/getRtspEndpoints',
  summary: 'Lists the RTSP endpoints of a discovered camera.',
  description:
    'Including assigned ones, in discovery order; none for an unknown camera. Passwords are never shown.',
  request: Type.Object({ discoveredCameraMacAddress: MAC_ADDRESS_INPUT }),
  response: { rtspEndpoints: listOf(EXTERNAL_RTSP_ENDPOINT_SCHEMA, 'The endpoints.') },
  example: {
    request: { discoveredCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
    response: { rtspEndpoints: [externalEndpointAnswer(EXAMPLE_RTSP_ENDPOINT)] },
  },
  async handler({ orgUuid, services }, { discoveredCameraMacAddress }) {
    const endpoints = await services.rtspEndpoints.listOfCamera(orgUuid, discoveredCameraMacAddress);
    return { rtspEndpoints: LongList.of(endpoints).map(externalEndpointAnswer) };
  },
});
