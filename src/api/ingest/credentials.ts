/** Credentials that open doors. */

import { Type } from 'typebox';
import { CREDENTIAL_TYPES } from '../../access-control/credential.ts';
import { credentialReportRules } from '../../access-control/report-rules.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { oneOf, ruuid, text } from '../../http/fields/field-types.ts';
import { CREDENTIAL_FIELDS, EXAMPLE_CREDENTIAL_UUID } from '../accesscontrol/credential-type.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const credentials = defineIngestKind({
  name: 'credentials',
  summary: 'Reports credentials.',
  description:
    'Read by `/api/accesscontrol/getStandardCsnCredentialDetails`. Values are encrypted at rest. A credential whose ' +
    '`uuid` is already known counts as a duplicate: the row’s fields replace its own, and its other fields stay.',
  row: Type.Object({
    uuid: ruuid('The credential.'),
    type: oneOf(CREDENTIAL_TYPES, 'Its type.'),
    value: text(
      'Its value: for a card serial number, hexadecimal digits; `:`, `-` or a space can separate the pairs.',
    ),
    ...optionalFields(CREDENTIAL_FIELDS),
  }),
  example: {
    uuid: EXAMPLE_CREDENTIAL_UUID,
    type: 'STANDARD_CSN',
    value: '04:A2:3B:C1',
    workflowStatus: 'ACTIVE',
  },
  rules: credentialReportRules,
});
