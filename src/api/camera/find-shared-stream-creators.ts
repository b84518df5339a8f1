/** POST /api/camera/findSharedStreamCreators: who created links. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { MAX_SHARE_CREATORS } from '../../store/audit.ts';
import { EXAMPLE_TOKEN_UUID } from '../types/examples.ts';

const CREATOR_SCHEMA = namedType('SharedStreamCreator', {
  creatorUuid: ruuid('The person or API key.'),
  creatorName: plainText('Their name.'),
});

export const findSharedStreamCreators = defineEndpoint({
  path: '/api/camera/findSharedStreamCreators',
  summary: 'Lists who created links.',
  description:
    `By name, at most ${MAX_SHARE_CREATORS}: people and API keys that created links, as far as the audit trail says, also of ` +
    'links that were deleted. `findSharedStreams` lists the links of one of them.',
  isExtension: true,
  request: Type.Object({}),
  response: { creators: listOf(CREATOR_SCHEMA, 'The creators.') },
  example: {
    request: {},
    response: { creators: [{ creatorUuid: EXAMPLE_TOKEN_UUID, creatorName: 'Front office' }] },
  },
  async handler({ orgUuid, services }) {
    const creators = await services.shareOverview.creators(orgUuid);
    return { creators: creators.map(({ uuid, name }) => ({ creatorUuid: uuid, creatorName: name })) };
  },
});
