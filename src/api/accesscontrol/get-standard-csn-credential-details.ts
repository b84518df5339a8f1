/** POST /api/accesscontrol/getStandardCsnCredentialDetails: one card. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import {
  CREDENTIAL_SCHEMA,
  credentialAnswer,
  EXAMPLE_CREDENTIAL,
  EXAMPLE_CREDENTIAL_UUID,
} from './credential-type.ts';

export const getStandardCsnCredentialDetails = defineEndpoint({
  path: '/api/accesscontrol/getStandardCsnCredentialDetails',
  summary: 'Reads a credential that is a card serial number.',
  description: 'Credentials are created by reports. A credential of another type is not found here.',
  request: Type.Object({ credentialUuid: ruuid('The credential.') }),
  response: { credential: CREDENTIAL_SCHEMA },
  example: {
    request: { credentialUuid: EXAMPLE_CREDENTIAL_UUID },
    response: { credential: EXAMPLE_CREDENTIAL },
  },
  async handler({ orgUuid, services }, { credentialUuid }) {
    const found = await services.accessControl.credentials.findStandardCsn(orgUuid, credentialUuid);
    return { credential: credentialAnswer(found) };
  },
});
