/** POST /api/proximity/updateDetails: changes a proximity tag (docs/spec/rules.md#proximity-tags). */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { appliedFields, appliedFlag, appliedName, longText } from '../types/device-update.ts';

const MAX_URL_LENGTH = 2_048;

export const updateProximityDetails = defineEndpoint({
  path: '/api/proximity/updateDetails',
  summary: 'Changes a proximity tag.',
  description:
    'A value counts only if its `…Updated` flag is true; if the value is then absent, it is cleared. ' +
    '`deletedUpdated` removes the tag and makes the other fields irrelevant. Tags are created by ' +
    '`/api/ingest/proximityTags`.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The tag.'),
    name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
    nameUpdated: appliedFlag('name'),
    description: Type.Optional(longText('Who carries it or what it is for.')),
    descriptionUpdated: appliedFlag('description'),
    imageUrl: Type.Optional(text('A picture of it, `http` or `https`.', MAX_URL_LENGTH)),
    imageUrlUpdated: appliedFlag('imageUrl'),
    policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
    policyUuidUpdated: appliedFlag('policyUuid'),
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
    await proximityTags.update(orgUuid, body.uuid, {
      ...appliedName(body.name, body.nameUpdated),
      ...appliedFields(body, ['description', 'imageUrl', 'policyUuid']),
    });
    return {};
  },
});
