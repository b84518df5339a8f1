/** POST /api/component/elevator/findAccessControlledElevatorLandingsByLocation: the landings of a location. */

import { Type } from 'typebox';
import { LongList } from '../../../core/long-list.ts';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { listOf, ruuid } from '../../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY } from '../../../http/page-key.ts';
import { PAGE_REQUEST_PROPERTIES } from '../../types/creation-page.ts';
import { EXAMPLE_LOCATION_UUID } from '../../types/examples.ts';
import { landingPage } from './landing-page.ts';
import { EXAMPLE_LANDING, LANDING_SCHEMA, landingAnswer } from './landing-type.ts';

export const findAccessControlledElevatorLandingsByLocation = defineEndpoint({
  path: '/api/component/elevator/findAccessControlledElevatorLandingsByLocation',
  summary: 'Lists the elevator landings of a location.',
  description: 'Landings are created when their devices report them.',
  request: Type.Object({ locationUuid: ruuid('The location.'), ...PAGE_REQUEST_PROPERTIES }),
  response: {
    accessControlledElevatorLandings: listOf(LANDING_SCHEMA, 'The landings, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: { accessControlledElevatorLandings: [EXAMPLE_LANDING], lastEvaluatedKey: null },
  },
  async handler(context, body) {
    const { landings, lastEvaluatedKey } = await landingPage(context, 'locationLandings', body);
    return { accessControlledElevatorLandings: LongList.of(landings).map(landingAnswer), lastEvaluatedKey };
  },
});
