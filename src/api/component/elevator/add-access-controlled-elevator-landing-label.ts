/** POST /api/component/elevator/addAccessControlledElevatorLandingLabel: adds a label to a landing. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ruuid, text } from '../../../http/fields/field-types.ts';
import { EXAMPLE_LANDING_UUID } from './landing-type.ts';

export const addAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/addAccessControlledElevatorLandingLabel',
  summary: 'Adds a label to an elevator landing.',
  description: 'If the landing already has the label, nothing changes.',
  repetition: 'once',
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
    await services.accessControl.elevatorLandings.addLabel(
      orgUuid,
      accessControlledElevatorLandingUuid,
      label,
    );
    return {};
  },
});
