/** POST /api/relay/executeThirdPartyCameraDiscovery: looks for ONVIF cameras on the gateway's network. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, listOf, ruuid } from '../../http/fields/field-types.ts';

const MAX_FILTER_LENGTH = 1_000;

export const executeThirdPartyCameraDiscovery = defineEndpoint({
  path: '/api/relay/executeThirdPartyCameraDiscovery',
  summary: 'Looks for ONVIF cameras on the gateway’s network.',
  description:
    'Sends a WS-Discovery probe, then asks every camera that responds for its streams, with the saved credentials if ' +
    'it requires a login; at most 64 cameras in 20 seconds. `/api/relay/findDiscoveriesWithUnassignedRtspEndpoints` ' +
    'then lists the streams, with `lastRtspUrlStatus` UNKNOWN until `/api/relay/authenticateThirdPartyCamera` opens ' +
    'them. `warningMsg` names the cameras that require another login. The gateway searches on behalf of the NVRs ' +
    'that match the filters; at least one must match. Cameras of other organizations of this gateway are left out.',
  repetition: 'same-outcome',
  request: Type.Object({
    deviceFilter: Type.Optional(
      listOf(deviceUuid('NVR.'), 'Only on behalf of these NVRs; all if absent or empty.', MAX_FILTER_LENGTH),
    ),
    locationFilter: Type.Optional(
      listOf(
        ruuid('Location.'),
        'Only on behalf of NVRs at these locations; all if absent or empty.',
        MAX_FILTER_LENGTH,
      ),
    ),
  }),
  response: {},
  example: { request: {}, response: {} },
  async handler(context, { deviceFilter = [], locationFilter = [] }) {
    const { orgUuid, services } = context;
    const filter = { deviceUuids: deviceFilter, locationUuids: locationFilter };
    const found = await services.onvifDiscovery.discover(orgUuid, filter);
    if (found.openCount + found.lockedHosts.length === 0) context.warn('No camera responded.');
    if (found.lockedHosts.length > 0) {
      context.warn(`These cameras require another login: ${found.lockedHosts.join(', ')}.`);
    }
    return {};
  },
});
