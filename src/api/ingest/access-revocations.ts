/** Location access revocations: who cannot enter which location. */

import { Type } from 'typebox';
import { revocationReportRules } from '../../access-control/report-rules.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { REVOCATION_FIELDS } from '../accesscontrol/access-revocation-type.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const accessRevocations = defineIngestKind({
  name: 'accessRevocations',
  summary: 'Reports location access revocations.',
  description:
    'Read by `/api/accesscontrol/findLocationAccessRevocationsByOrg`. A revocation whose `uuid` is already known ' +
    'counts as a duplicate: the row’s fields replace its own, and its other fields stay.',
  row: Type.Object({
    uuid: ruuid('The revocation.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    locationUuid: Type.Optional(ruuid('The location.')),
    ...optionalFields(REVOCATION_FIELDS),
  }),
  example: {
    uuid: deriveRuuid('example', 'access revocation'),
    name: 'Contractors at night',
    locationUuid: EXAMPLE_LOCATION_UUID,
    groupUuids: [deriveRuuid('example', 'group')],
  },
  rules: revocationReportRules,
});
