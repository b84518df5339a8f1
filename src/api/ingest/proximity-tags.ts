/** Proximity tags: wearables that are detected nearby. */

import { Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { tagReportRules } from '../../devices/report-rules.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { longText } from '../types/device-update.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const proximityTags = defineIngestKind({
  name: 'proximityTags',
  summary: 'Reports proximity tags.',
  description:
    'Change tags with `/api/proximity/updateDetails`: a tag whose `uuid` is already known counts as a duplicate and ' +
    'stays as it is. `uuid` is unique among the organization’s tags.',
  row: Type.Object({
    uuid: ruuid('The tag.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    description: Type.Optional(longText('Who carries it or what it is for.')),
    policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
  }),
  example: { uuid: deriveRuuid('example', 'proximity tag'), name: 'Porter 3' },
  rules: tagReportRules,
});
