/**
 * POST /api/proximity/getTags: the proximity tags. Specific to Sluice: the specification can only change them
 * (docs/spec/rules.md#proximity-tags).
 */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';

const TAG_SCHEMA = namedType('ProximityTag', {
  uuid: ruuid('The tag.'),
  name: plainText('Its name.'),
  description: nullable(plainText('Who carries it or what it is for.')),
  imageUrl: nullable(plainText('A picture of it.')),
  policyUuid: nullable(ruuid('The alert policy assigned to it.')),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
});

export const getProximityTags = defineEndpoint({
  path: '/api/proximity/getTags',
  isExtension: true,
  summary: 'Lists the proximity tags.',
  description: 'In the order in which they were first reported.',
  request: Type.Object({}),
  response: { tags: listOf(TAG_SCHEMA, 'The tags.') },
  example: {
    request: {},
    response: {
      tags: [
        {
          uuid: deriveRuuid('example', 'proximity tag'),
          name: 'Porter 3',
          description: null,
          imageUrl: null,
          policyUuid: null,
          createdAtMillis: EXAMPLE_TIME_MS,
          updatedAtMillis: EXAMPLE_TIME_MS,
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const tags = await services.proximityTags.list(orgUuid);
    return {
      tags: LongList.of(tags).map(({ name, body, createdAtMs, updatedAtMs }) => ({
        uuid: body.tagUuid,
        name,
        description: body.description,
        imageUrl: body.imageUrl,
        policyUuid: body.policyUuid,
        createdAtMillis: createdAtMs,
        updatedAtMillis: updatedAtMs,
      })),
    };
  },
});
