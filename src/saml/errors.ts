/** Error codes of SAML sign-ins and of their setup. Sentences of sign-ins are for the person who tried to sign in. */

import { defineErrors } from '../core/errors.ts';

export const SAML_ERRORS = defineErrors({
  SAML_NOT_SET_UP: { kind: 'not-found', message: 'This sign-in provider is not set up, or is turned off.' },
  SAML_BUSY: {
    kind: 'unavailable',
    message: 'Too many people are signing in right now. Try again in a minute.',
  },
  SAML_TOO_LARGE: {
    kind: 'invalid-input',
    message: 'The message of the sign-in provider is too large.',
  },
  SAML_XML_INVALID: {
    kind: 'peer-protocol',
    message:
      'The message of the sign-in provider is not XML that SAML allows. Ask the administrator to check the setup.',
  },
  SAML_STRUCTURE_INVALID: {
    kind: 'peer-protocol',
    message:
      'The parts of the sign-in provider’s message are not where they belong. Ask the administrator to check the setup.',
  },
  SAML_SIGNATURE_MISSING: {
    kind: 'peer-protocol',
    message:
      'The sign-in provider did not sign what it has to sign. Ask the administrator to check the setup.',
  },
  SAML_SIGNATURE_INVALID: {
    kind: 'peer-protocol',
    message:
      'The signature or the encryption of the sign-in provider could not be verified. Ask the administrator to check its certificate.',
  },
  SAML_ENCRYPTION_MISSING: {
    kind: 'peer-protocol',
    message:
      'The sign-in provider did not encrypt its statement about you. Ask the administrator to check the setup.',
  },
  SAML_ISSUER_WRONG: {
    kind: 'peer-protocol',
    message: 'The message is from another sign-in provider. Ask the administrator to check the setup.',
  },
  SAML_AUDIENCE_WRONG: {
    kind: 'peer-protocol',
    message: 'The sign-in was for another service. Ask the administrator to check the entity ID.',
  },
  SAML_RECIPIENT_WRONG: {
    kind: 'peer-protocol',
    message:
      'The sign-in was sent to another address than it names. Ask the administrator to check the setup.',
  },
  SAML_REQUEST_UNKNOWN: {
    kind: 'invalid-input',
    message: 'This sign-in was started too long ago, in another browser, or was already used. Start again.',
  },
  SAML_UNSOLICITED: {
    kind: 'not-allowed',
    message: 'This provider cannot begin a sign-in. Start from the sign-in page of the console.',
  },
  SAML_CLOCK: {
    kind: 'peer-protocol',
    message:
      'The sign-in has expired or is not valid yet. Ask the administrator to check the clocks of the gateway and the provider.',
  },
  SAML_REPLAYED: { kind: 'not-allowed', message: 'This sign-in was already used. Start again.' },
  SAML_REFUSED: { kind: 'peer-refused', message: 'The sign-in provider refused the sign-in.' },
  SAML_EMAIL_MISSING: {
    kind: 'not-allowed',
    message:
      'The sign-in provider did not name your email address. Ask the administrator to check the setup.',
  },
  SAML_ADMIN_NOT_LINKED: {
    kind: 'not-allowed',
    message:
      'An administrator has your email address. Sign in with the password or the passkey first, then start single sign-on in the same browser.',
  },
  SAML_LOGOUT_INVALID: {
    kind: 'invalid-input',
    message: 'This is not a logout by the sign-in provider of this gateway, or it was already used.',
  },
  SAML_METADATA_INVALID: {
    kind: 'invalid-input',
    message: 'The metadata does not describe a SAML sign-in provider that the gateway can use.',
  },
  SAML_METADATA_UNSIGNED: {
    kind: 'invalid-input',
    message: 'The metadata is not signed with the given certificate.',
  },
  SAML_METADATA_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The metadata could not be read from its address.',
  },
  SAML_METADATA_ADDRESS_REFUSED: {
    kind: 'invalid-input',
    message: 'The metadata must be at an https address that is not in a private network.',
  },
  SAML_METADATA_BUSY: {
    kind: 'unavailable',
    message: 'Metadata of other providers is being read. Try again in a minute.',
  },
  SAML_CERTIFICATE_INVALID: {
    kind: 'invalid-input',
    message: 'The certificate must be X.509 in PEM, with an RSA key of at least 2048 bits.',
  },
  SAML_PROVIDER_NOT_FOUND: { kind: 'not-found', message: 'There is no such sign-in provider.' },
  TOO_MANY_SAML_PROVIDERS: { kind: 'limit', message: 'The organization has too many sign-in providers.' },
  SAML_KEY_NOT_RENEWED: {
    kind: 'conflict',
    message: 'There is no new key. Renew the key first, then give the new certificate to the providers.',
  },
  SAML_KEY_BEING_RENEWED: {
    kind: 'conflict',
    message: 'There is a new key already. Finish the renewal before you start another one.',
  },
});
