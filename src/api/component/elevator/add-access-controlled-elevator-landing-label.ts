/** POST /api/component/elevator/addAccessControlledElevatorLandingLabel: puts a label on a landing. */

import { Type } from 'typebox';
import { ruuid, text } from '../../fields/field-types.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_LANDING_UUID } from './landing-type.ts';

export const addAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/addAccessControlledElevatorLandingLabel',
  summary: 'Adds a label to an elevator landing.',
  description: 'A label that the landing carries already is there once.',
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
    await services.accessControl.elevatorLandings.addLabel(
      orgUuid,
      accessControlledElevatorLandingUuid,
      label,
    );
    return {};
  },
});
