/** POST /api/org/getCameraNetworks: in which networks cameras may be, and which are outside. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import type { CameraOutside } from '../../devices/camera-networks.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, namedType, oneOf, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

const RULE_WORDS = { organization: 'ORGANIZATION', operator: 'OPERATOR' } as const;

const CAMERA_OUTSIDE_SCHEMA = namedType('CameraOutsideNetworks', {
  cameraUuid: ruuid('The camera.'),
  name: plainText('Its name.'),
  host: plainText('The first of its hosts that is outside.'),
  rule: oneOf(
    ['ORGANIZATION', 'OPERATOR'],
    'ORGANIZATION: outside `networks`. OPERATOR: outside `operatorNetworks`.',
  ),
});

export const getCameraNetworks = defineEndpoint({
  path: '/api/org/getCameraNetworks',
  isExtension: true,
  summary: 'Reads in which networks the organization’s cameras may be, and which cameras are outside.',
  description:
    'The gateway opens a camera that was added through the API only at addresses that are in one of `networks` and in one ' +
    'of `operatorNetworks`; an empty list allows any. Cameras of the configuration file can be anywhere. A camera with a ' +
    'host name counts as outside if it was refused when the gateway last opened it.',
  request: Type.Object({}),
  response: {
    networks: listOf(plainText('Network.'), 'What `/api/org/updateCameraNetworks` stored.'),
    operatorNetworks: listOf(plainText('Network.'), '`sources.networks` of the gateway.'),
    camerasOutside: listOf(CAMERA_OUTSIDE_SCHEMA, 'Cameras that the gateway does not open, by name.'),
  },
  example: {
    request: {},
    response: {
      networks: ['192.168.0.0/16'],
      operatorNetworks: [],
      camerasOutside: [
        { cameraUuid: EXAMPLE_CAMERA_UUID, name: 'Lobby', host: '10.9.0.5', rule: 'ORGANIZATION' },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const { operator, organization } = services.cameraNetworks.of(orgUuid);
    const outside = await services.cameraNetworks.outside(orgUuid);
    return {
      networks: [...organization],
      operatorNetworks: [...operator],
      camerasOutside: outside.map(outsideAnswer),
    };
  },
});

function outsideAnswer({ rule, ...camera }: CameraOutside): Static<typeof CAMERA_OUTSIDE_SCHEMA> {
  return { ...camera, rule: RULE_WORDS[rule] };
}
