/** POST /api/relay/executeThirdPartyCameraDiscovery: looks for ONVIF cameras in the gateway's network. */

import { Type } from 'typebox';
import { deviceUuid, listOf, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';

const MAX_FILTER_LENGTH = 1_000;

export const executeThirdPartyCameraDiscovery = defineEndpoint({
  path: '/api/relay/executeThirdPartyCameraDiscovery',
  summary: 'Looks for ONVIF cameras in the gateway’s network.',
  description:
    'Asks the network by WS-Discovery, then every camera that answers for its streams, with the saved credentials where ' +
    'it wants a login; at most 64 cameras in 20 seconds. The streams are listed by ' +
    '`/api/relay/findDiscoveriesWithUnassignedRtspEndpoints` afterwards, with `lastRtspUrlStatus` UNKNOWN until ' +
    '`/api/relay/authenticateThirdPartyCamera` opens them. `warningMsg` names the cameras that want another login. The ' +
    'gateway looks on behalf of the NVRs that the filters leave; there must be one. Cameras of other organisations of ' +
    'this gateway are left out.',
  request: Type.Object({
    deviceFilter: Type.Optional(
      listOf(
        deviceUuid('NVR.'),
        'Only on behalf of these NVRs; all when absent or empty.',
        MAX_FILTER_LENGTH,
      ),
    ),
    locationFilter: Type.Optional(
      listOf(ruuid('Location.'), 'Only of NVRs at these; all when absent or empty.', MAX_FILTER_LENGTH),
    ),
  }),
  response: {},
  example: { request: {}, response: {} },
  async handler(context, { deviceFilter = [], locationFilter = [] }) {
    const { orgUuid, services } = context;
    const filter = { deviceUuids: deviceFilter, locationUuids: locationFilter };
    const found = await services.onvifDiscovery.discover(orgUuid, filter);
    if (found.openCount + found.lockedHosts.length === 0) context.warn('No camera answered.');
    if (found.lockedHosts.length > 0) {
      context.warn(`These cameras want another login: ${found.lockedHosts.join(', ')}.`);
    }
    return {};
  },
});
