/** POST /api/component/elevator/findAccessControlledElevatorLandingShadowsByLocation: the states of a location's landings. */

import { Type } from 'typebox';
import { LongList } from '../../../core/long-list.ts';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { listOf, ruuid } from '../../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY } from '../../../http/page-key.ts';
import { PAGE_REQUEST_PROPERTIES } from '../../types/creation-page.ts';
import { EXAMPLE_LOCATION_UUID } from '../../types/examples.ts';
import { landingPage } from './landing-page.ts';
import { EXAMPLE_LANDING_SHADOW, LANDING_SHADOW_SCHEMA, landingShadowAnswer } from './landing-type.ts';

export const findAccessControlledElevatorLandingShadowsByLocation = defineEndpoint({
  path: '/api/component/elevator/findAccessControlledElevatorLandingShadowsByLocation',
  summary: 'Lists the states of the elevator landings of a location.',
  description:
    'As last reported by their devices. If no state of a landing has been reported yet, its fields are absent.',
  request: Type.Object({ locationUuid: ruuid('The location.'), ...PAGE_REQUEST_PROPERTIES }),
  response: {
    shadows: listOf(LANDING_SHADOW_SCHEMA, 'One per landing, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: { shadows: [EXAMPLE_LANDING_SHADOW], lastEvaluatedKey: null },
  },
  async handler(context, body) {
    const { landings, lastEvaluatedKey } = await landingPage(context, 'locationLandingShadows', body);
    return { shadows: LongList.of(landings).map(landingShadowAnswer), lastEvaluatedKey };
  },
});
