/** Proximity tags: wearables whose closeness is noticed. */

import { Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
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
    const reported = new Map<Ruuid, ProximityTag>();
    for (const { uuid: tagUuid, name, description = null, policyUuid = null } of rows) {
      const uuid = proximityTagUuid(orgUuid, tagUuid);
      if (reported.has(uuid)) continue;
      const body = { tagUuid, description, imageUrl: null, policyUuid };
      const tag = { uuid, orgUuid, name, parentUuid: null, body, secret: null };
      reported.set(uuid, { ...tag, createdAtMs: nowMs, updatedAtMs: nowMs });
    }
    const changes = await tags.changeAll(orgUuid, [...reported.keys()], (known, uuid) =>
      known === null ? reported.get(uuid)! : 'unchanged',
    );
    return changes.filter(({ before }) => before === null).length;
  },
});
