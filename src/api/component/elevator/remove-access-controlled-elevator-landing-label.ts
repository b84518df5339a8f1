/** POST /api/component/elevator/removeAccessControlledElevatorLandingLabel: takes a label off a landing. */

import { Type } from 'typebox';
import { ruuid, text } from '../../fields/field-types.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_LANDING_UUID } from './landing-type.ts';

export const removeAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/removeAccessControlledElevatorLandingLabel',
  summary: 'Removes a label from an elevator landing.',
  description: 'A label that the landing does not carry is refused.',
  request: Type.Object({
    accessControlledElevatorLandingUuid: ruuid('The landing.'),
    label: text('The label; spaces around it do not count.'),
  }),
  response: {},
  example: {
    request: { accessControlledElevatorLandingUuid: EXAMPLE_LANDING_UUID, label: 'Executive floors' },
    response: {},
  },
  async handler({ orgUuid, services }, { accessControlledElevatorLandingUuid, label }) {
    await services.accessControl.elevatorLandings.removeLabel(
      orgUuid,
      accessControlledElevatorLandingUuid,
      label,
    );
    return {};
  },
});
