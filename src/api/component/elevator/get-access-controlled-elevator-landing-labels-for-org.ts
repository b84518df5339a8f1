/** POST /api/component/elevator/getAccessControlledElevatorLandingLabelsForOrg: the labels of all landings. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { listOf, mapOf, plainText } from '../../../http/fields/field-types.ts';
import { EXAMPLE_LANDING_UUID } from './landing-type.ts';

export const getAccessControlledElevatorLandingLabelsForOrg = defineEndpoint({
  path: '/api/component/elevator/getAccessControlledElevatorLandingLabelsForOrg',
  summary: 'Lists the labels of the organization’s elevator landings.',
  description: 'Landings without labels are left out.',
  request: Type.Object({}),
  response: {
    accessControlledElevatorLandingLabels: mapOf(
      listOf(plainText('A label.'), 'Its labels, the first added first.'),
      'Labels by landing.',
    ),
  },
  example: {
    request: {},
    response: { accessControlledElevatorLandingLabels: { [EXAMPLE_LANDING_UUID]: ['Executive floors'] } },
  },
  async handler({ orgUuid, services }) {
    const labels = await services.accessControl.elevatorLandings.labels(orgUuid);
    return {
      accessControlledElevatorLandingLabels: Object.fromEntries(
        [...labels].map(([uuid, ofLanding]) => [uuid, [...ofLanding]]),
      ),
    };
  },
});
