/** POST /api/relay/findDiscoveriesWithUnassignedRtspEndpoints: discovered cameras that can still be assigned. */

import { Type } from 'typebox';
import { hostOf } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID } from '../types/examples.ts';
import {
  EXAMPLE_RTSP_ENDPOINT,
  EXTERNAL_RTSP_ENDPOINT_SCHEMA,
  externalEndpointAnswer,
  TOLD_OVER_ONVIF,
} from './third-party-camera-types.ts';

const DISCOVERY_SCHEMA = namedType('DiscoveryWithUnassignedRtspEndpoints', {
  macAddress: plainText('The camera.'),
  ipAddress: plainText('Its host.'),
  orgUuid: ruuid('The organization.'),
  codec: nullable(plainText('The codec of its first endpoint’s video; absent if not known.')),
  manufacturer: nullable(plainText(TOLD_OVER_ONVIF)),
  model: nullable(plainText(TOLD_OVER_ONVIF)),
  unassignedRtspEndpoints: listOf(EXTERNAL_RTSP_ENDPOINT_SCHEMA, 'Its endpoints that are not assigned.'),
});

export const findDiscoveriesWithUnassignedRtspEndpoints = defineEndpoint({
  path: '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints',
  summary: 'Lists discovered cameras with RTSP endpoints that are not assigned.',
  description: 'In discovery order.',
  request: Type.Object({}),
  response: { discoveries: listOf(DISCOVERY_SCHEMA, 'The cameras.') },
  example: {
    request: {},
    response: {
      discoveries: [
        {
          macAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
          ipAddress: hostOf(EXAMPLE_RTSP_ENDPOINT),
          orgUuid: EXAMPLE_ORG_UUID,
          codec: 'h264',
          manufacturer: null,
          model: null,
          unassignedRtspEndpoints: [externalEndpointAnswer(EXAMPLE_RTSP_ENDPOINT)],
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const cameras = await services.deviceStates.unassignedCameras(orgUuid);
    return {
      discoveries: cameras.map(({ macAddress, endpoints }) => ({
        macAddress,
        ipAddress: hostOf(endpoints[0]),
        orgUuid,
        codec: endpoints[0].body.codec,
        manufacturer: endpoints[0].body.onvif?.manufacturer ?? null,
        model: endpoints[0].body.onvif?.model ?? null,
        unassignedRtspEndpoints: endpoints.map(externalEndpointAnswer),
      })),
    };
  },
});
