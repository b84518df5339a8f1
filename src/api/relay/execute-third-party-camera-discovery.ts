/** POST /api/relay/executeThirdPartyCameraDiscovery: looks for ONVIF cameras in the gateway's network. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { deviceUuid, listOf, ruuid } from '../fields/field-types.ts';
import { type CallContext, defineEndpoint } from '../http/endpoint.ts';
import { invalidField } from '../http/request-body.ts';

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
    const locations = await locationsOfNvrs(context, deviceFilter, locationFilter);
    // Found by the gateway, not by an NVR: where they are is clear only when there is one place.
    const [locationUuid] = locations.size === 1 ? locations : [];
    const found = await services.onvifDiscovery.discover(orgUuid, locationUuid ?? undefined);
    if (found.openCount + found.lockedHosts.length === 0) context.warn('No camera answered.');
    if (found.lockedHosts.length > 0) {
      context.warn(`These cameras want another login: ${found.lockedHosts.join(', ')}.`);
    }
    return {};
  },
});

/** Where the NVRs are that the filters leave. Fails NVR_NOT_FOUND, LOCATION_NOT_FOUND, INVALID_FIELD. */
async function locationsOfNvrs(
  { orgUuid, services }: CallContext,
  deviceFilter: readonly Ruuid[],
  locationFilter: readonly Ruuid[],
): Promise<Set<Ruuid | null>> {
  const nvrs = (await services.store.nvrs.list(orgUuid)).filter((nvr) => !nvr.mummified);
  const known = new Set(nvrs.map(({ uuid }) => uuid));
  const unknown = deviceFilter.find((uuid) => !known.has(uuid));
  if (unknown !== undefined) {
    const sentence = `deviceFilter: there is no NVR with the UUID ${unknown}.`;
    throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: unknown, sentence });
  }
  for (const uuid of locationFilter) await services.devices.requireLocation(orgUuid, uuid);
  const devices = new Set(deviceFilter);
  const places = new Set<Ruuid | null>(locationFilter);
  const left = nvrs.filter(
    ({ uuid, locationUuid }) =>
      (devices.size === 0 || devices.has(uuid)) && (places.size === 0 || places.has(locationUuid)),
  );
  if (left.length === 0) {
    throw invalidField('deviceFilter and locationFilter leave no NVR of the organisation.');
  }
  return new Set(left.map(({ locationUuid }) => locationUuid));
}
