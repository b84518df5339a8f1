/** Proximity tags. */

import { Type } from 'typebox';
import { appliedName, changes } from '../../api/types/changes.ts';
import { longText } from '../../api/types/device-update.ts';
import { EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';

const TAG_SCHEMA = namedType('ProximityTag', {
  uuid: ruuid('The tag.'),
  name: plainText('Its name.'),
  description: nullable(plainText('Who carries it or what it is for.')),
  imageUrl: nullable(plainText('A picture of it.')),
  policyUuid: nullable(ruuid('The alert policy assigned to it.')),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
});

/** The proximity tags. Specific to Sluice: the specification can only change them (docs/spec/rules.md#proximity-tags). */
const getProximityTags = defineEndpoint({
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

const MAX_URL_LENGTH = 2_048;

const TAG_CHANGES = changes({
  name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  description: Type.Optional(longText('Who carries it or what it is for.')),
  imageUrl: Type.Optional(text('A picture of it, `http` or `https`.', MAX_URL_LENGTH)),
  policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
});

/** Changes a proximity tag (docs/spec/rules.md#proximity-tags). */
const updateProximityDetails = defineEndpoint({
  path: '/api/proximity/updateDetails',
  summary: 'Changes a proximity tag.',
  description:
    'A value counts only if its `…Updated` flag is true; if the value is then absent, it is cleared. ' +
    '`deletedUpdated` removes the tag and makes the other fields irrelevant. Tags are created by ' +
    '`/api/ingest/proximityTags`.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The tag.'),
    ...TAG_CHANGES.properties,
    deletedUpdated: Type.Optional(flag('Whether to remove the tag.')),
  }),
  response: {},
  example: {
    request: { uuid: deriveRuuid('example', 'proximity tag'), name: 'Porter 3', nameUpdated: true },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    const { proximityTags } = services;
    if (body.deletedUpdated === true) {
      await proximityTags.remove(orgUuid, body.uuid);
      return {};
    }
    const { name, ...details } = TAG_CHANGES.applied(body);
    await proximityTags.update(orgUuid, body.uuid, { ...appliedName({ name }), ...details });
    return {};
  },
});

export const PROXIMITY_TAG_ENDPOINTS: readonly Endpoint[] = [getProximityTags, updateProximityDetails];
