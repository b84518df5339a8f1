/**
 * The OAuthApplication type of the API (docs/spec/rules.md#oauth-applications), and what its endpoints have in
 * common.
 */

import { type Static, Type } from 'typebox';
import { MAX_APPLICATION_NAME_LENGTH, MAX_CONTACT_EMAIL_LENGTH } from '../../accounts/oauth-applications.ts';
import { MAX_REDIRECT_URI_LENGTH } from '../../accounts/redirect-uri.ts';
import type { OAuthApplication } from '../../store/oauth.ts';
import { namedType, nullable, plainText, ruuid, text } from '../fields/field-types.ts';
import { EXAMPLE_CLIENT_ID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_DESCRIPTION_LENGTH = 2_000;

export const OAUTH_APPLICATION_SCHEMA = namedType('OAuthApplication', {
  clientId: ruuid('Its client_id.'),
  clientSecretHash: nullable(
    plainText(
      'SHA-256 of its secret, as hex. The secret itself is not kept. Absent: a public client, without one.',
    ),
  ),
  contactEmail: nullable(plainText('Whom to contact about it.')),
  description: nullable(plainText('What it does.')),
  name: plainText('Its name, as shown to people who consent.'),
  orgUuid: ruuid('The organization that registered it.'),
  redirectUri: plainText(
    'Where authorization codes are sent; compared character by character, but for the port of a loopback address.',
  ),
});

/** What callers can set. */
export const APPLICATION_DETAIL_PROPERTIES = {
  name: Type.Optional(text('Its name, as shown to people who consent.', MAX_APPLICATION_NAME_LENGTH)),
  description: Type.Optional(text('What it does.', MAX_DESCRIPTION_LENGTH)),
  contactEmail: Type.Optional(text('Whom to contact about it.', MAX_CONTACT_EMAIL_LENGTH)),
  redirectUri: Type.Optional(
    text(
      'Where authorization codes are sent: https, http on a loopback address, or a private scheme such as ' +
        'com.example.app; no fragment.',
      MAX_REDIRECT_URI_LENGTH,
    ),
  ),
};

export const EXAMPLE_APPLICATION_DETAILS = {
  name: 'Visitor desk',
  description: 'Shows the entrance camera to the front desk.',
  contactEmail: 'desk@example.com',
  redirectUri: 'https://desk.example.com/callback',
};

export const EXAMPLE_APPLICATION: Static<typeof OAUTH_APPLICATION_SCHEMA> = applicationAnswer({
  uuid: EXAMPLE_CLIENT_ID,
  orgUuid: EXAMPLE_ORG_UUID,
  ...EXAMPLE_APPLICATION_DETAILS,
  secretHash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
});

export function applicationAnswer(application: OAuthApplication): Static<typeof OAUTH_APPLICATION_SCHEMA> {
  return {
    clientId: application.uuid,
    clientSecretHash: application.secretHash,
    contactEmail: application.contactEmail,
    description: application.description,
    name: application.name,
    orgUuid: application.orgUuid,
    redirectUri: application.redirectUri,
  };
}
