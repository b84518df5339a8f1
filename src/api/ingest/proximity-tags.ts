/** Proximity tags: wearables whose closeness is noticed. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { longText } from '../base/device-update.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../base/field-types.ts';
import { PROXIMITY_TAGS, type ProximityTag, proximityTagUuid } from '../proximity/proximity-tag-resource.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const proximityTags = defineIngestKind({
  name: 'proximityTags',
  summary: 'Reports proximity tags.',
  description:
    'Changed by `/api/proximity/updateDetails` from then on: a tag whose `uuid` is known already is counted as a ' +
    'duplicate and stays as it is. `uuid` is unique among the organisation’s tags.',
  row: Type.Object({
    uuid: ruuid('The tag.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    description: Type.Optional(longText('Whose it is or what it is for.')),
    policyUuid: Type.Optional(ruuid('The alert policy assigned to it.')),
  }),
  example: { uuid: deriveRuuid('example', 'proximity tag'), name: 'Porter 3' },
  async store({ orgUuid, store, nowMs }, rows) {
    const tags = store.resources.of(PROXIMITY_TAGS);
    const known = new Set((await tags.list(orgUuid)).map(({ uuid }) => uuid));
    const added = new Map<string, ProximityTag>();
    for (const { uuid: tagUuid, name, description = null, policyUuid = null } of rows) {
      const uuid = proximityTagUuid(orgUuid, tagUuid);
      if (known.has(uuid) || added.has(uuid)) continue;
      const body = { tagUuid, description, imageUrl: null, policyUuid };
      const tag = { uuid, orgUuid, name, parentUuid: null, body, secret: null };
      added.set(uuid, { ...tag, createdAtMs: nowMs, updatedAtMs: nowMs });
    }
    await tags.saveAll([...added.values()]);
    return added.size;
  },
});
