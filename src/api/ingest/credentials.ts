/** Credentials that open doors. */

import { Type } from 'typebox';
import { CREDENTIAL_TYPES } from '../../access-control/credential.ts';
import { credentialReportRules } from '../../access-control/report-rules.ts';
import { CREDENTIAL_FIELDS, EXAMPLE_CREDENTIAL_UUID } from '../accesscontrol/credential-type.ts';
import { optionalFields } from '../fields/field-groups.ts';
import { oneOf, ruuid, text } from '../fields/field-types.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const credentials = defineIngestKind({
  name: 'credentials',
  summary: 'Reports credentials.',
  description:
    'Read by `/api/accesscontrol/getStandardCsnCredentialDetails`. Values are encrypted at rest. A credential whose ' +
    '`uuid` is known already counts as a duplicate: it takes the fields that the row has and keeps the others.',
  row: Type.Object({
    uuid: ruuid('The credential.'),
    type: oneOf(CREDENTIAL_TYPES, 'What it is.'),
    value: text(
      'Its value: for a card serial number, hexadecimal digits, in pairs with `:`, `-` or a space between.',
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
