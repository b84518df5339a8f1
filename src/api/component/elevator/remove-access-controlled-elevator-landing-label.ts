/** POST /api/component/elevator/removeAccessControlledElevatorLandingLabel: removes a label from a landing. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ruuid, text } from '../../../http/fields/field-types.ts';
import { EXAMPLE_LANDING_UUID } from './landing-type.ts';

export const removeAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/removeAccessControlledElevatorLandingLabel',
  summary: 'Removes a label from an elevator landing.',
  description: 'If the landing does not have the label, the call is refused.',
  repetition: 'same-outcome',
  request: Type.Object({
    accessControlledElevatorLandingUuid: ruuid('The landing.'),
    label: text('The label; spaces around it are ignored.'),
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
