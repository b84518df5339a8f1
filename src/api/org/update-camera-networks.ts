/** POST /api/org/updateCameraNetworks: states in which networks cameras may be. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, text } from '../../http/fields/field-types.ts';

const MAX_NETWORKS = 100;
const NAMED_CAMERAS = 10;

export const updateCameraNetworks = defineEndpoint({
  path: '/api/org/updateCameraNetworks',
  isExtension: true,
  summary: 'States in which networks the organization’s cameras may be.',
  description:
    'Replaces the list as a whole; an empty list allows any network. The list holds for cameras of the API, with every ' +
    'connection to them: RTSP, HTTP, RTMP and ONVIF, redirects included, and for the addresses that host names resolve to. ' +
    'It never allows what `sources.networks` or `sources.allowLocal` of the gateway forbid. The gateway closes cameras that ' +
    'are outside, shows why in their state, and names them in a warning.',
  repetition: 'same-outcome',
  request: Type.Object({
    networks: listOf(
      text('An address, or a network such as 192.168.0.0/16.'),
      `The networks, at most ${MAX_NETWORKS}.`,
      MAX_NETWORKS,
    ),
  }),
  response: {},
  example: { request: { networks: ['192.168.0.0/16', '2001:db8::/32'] }, response: {} },
  async handler(context, { networks }) {
    const { orgUuid, services } = context;
    await services.cameraNetworks.state(orgUuid, networks);
    const outside = await services.cameraNetworks.outside(orgUuid);
    if (outside.length > 0) {
      const named = outside.slice(0, NAMED_CAMERAS).map(({ name, host }) => `${name} (${host})`);
      const more = outside.length > NAMED_CAMERAS ? `, and ${outside.length - NAMED_CAMERAS} more` : '';
      context.warn(`Cameras are outside these networks and will not be opened: ${named.join(', ')}${more}.`);
    }
    return {};
  },
});
