/**
 * The types of passkeys (W3C Web Authentication Level 3). Binary values are base64url, as in the standard's JSON forms of
 * its options.
 */

import { type Static, Type } from 'typebox';
import { CHALLENGE_MS } from '../../accounts/passkey-challenges.ts';
import {
  type GivenAssertion,
  type GivenRegistration,
  PASSKEY_ALGORITHMS,
} from '../../accounts/passkey-proof.ts';
import { type PasskeyCreation, type PasskeyRequest, userHandleOf } from '../../accounts/passkeys.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { Passkey } from '../../store/passkey.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_PERSON } from './console-types.ts';

/** Of what authenticators send; theirs are far shorter. */
const MAX_BINARY_CHARS = 8_192;
const MAX_ATTESTATION_CHARS = 32_768;
const MAX_TRANSPORTS = 16;
const RP_NAME = 'Sluice';

const binary = (description: string, maxChars = MAX_BINARY_CHARS) =>
  text(`${description} base64url.`, maxChars);

export const PASSKEY_UUID = ruuid('The passkey.');
export const PASSKEY_NAME = text('What the person calls it.', MAX_NAME_LENGTH);

export const PASSKEY_SCHEMA = namedType('ConsolePasskey', {
  passkeyUuid: PASSKEY_UUID,
  name: plainText('What the person calls it.'),
  createdAtMs: int64('When it was added, epoch milliseconds.'),
  lastUsedAtMs: nullable(int64('When it was last used, epoch milliseconds; absent: never.')),
  isSynced: flag(
    'True: its keeper can have it on several devices; false: it never leaves the one that it is on.',
  ),
  isBackedUp: flag('True: it would survive the loss of its device.'),
  works: flag('False: it was made for another address of the console, and works only there.'),
  hostName: plainText('The host name for which it was made.'),
});

export function passkeyAnswer(passkey: Passkey, works: boolean): Static<typeof PASSKEY_SCHEMA> {
  return {
    passkeyUuid: passkey.uuid,
    name: passkey.name,
    createdAtMs: passkey.createdAtMs,
    lastUsedAtMs: passkey.lastUsedAtMs,
    isSynced: passkey.isSynced,
    isBackedUp: passkey.isBackedUp,
    works,
    hostName: passkey.rpId,
  };
}

const DESCRIPTOR_SCHEMA = namedType('PasskeyDescriptor', {
  type: oneOf(['public-key'], 'Always public-key.'),
  id: plainText('The credential ID, base64url.'),
  transports: listOf(plainText('Such as internal, hybrid or usb.'), 'How browsers reach the authenticator.'),
});

const ORIGIN = plainText('The only origin whose pages can use passkeys of this console.');

/** What `navigator.credentials.create` needs. */
export const CREATION_PROPERTIES = {
  origin: ORIGIN,
  publicKey: namedType('PasskeyCreationOptions', {
    challenge: plainText('base64url. Works once, for five minutes, in the browser that asked.'),
    rp: namedType('PasskeyRelyingParty', {
      id: plainText('The console’s host name.'),
      name: plainText('Sluice.'),
    }),
    user: namedType('PasskeyUser', {
      id: plainText('The person’s UUID as bytes, base64url.'),
      name: plainText('The email address, or the name if there is none.'),
      displayName: plainText('The name.'),
    }),
    pubKeyCredParams: listOf(
      namedType('PasskeyAlgorithm', {
        type: oneOf(['public-key'], 'Always public-key.'),
        alg: int32('As COSE numbers it.'),
      }),
      'Accepted algorithms, the preferred one first.',
    ),
    timeout: int32('Milliseconds.'),
    attestation: oneOf(['none'], 'Always none.'),
    excludeCredentials: listOf(DESCRIPTOR_SCHEMA, 'Passkeys that the person already has.'),
    authenticatorSelection: namedType('PasskeySelection', {
      residentKey: oneOf(['required'], 'Always required: who signs in names no one.'),
      requireResidentKey: flag('Always true.'),
      userVerification: oneOf(['required'], 'Always required.'),
    }),
  }),
};

/** What `navigator.credentials.get` needs. */
export const REQUEST_PROPERTIES = {
  origin: ORIGIN,
  publicKey: namedType('PasskeyRequestOptions', {
    challenge: plainText('base64url. Works once, for five minutes, in the browser that asked.'),
    rpId: plainText('The console’s host name.'),
    timeout: int32('Milliseconds.'),
    userVerification: oneOf(['required'], 'Always required.'),
    allowCredentials: listOf(DESCRIPTOR_SCHEMA, 'The passkeys that count; empty: any.'),
  }),
};

const descriptorOf = ({ credentialId, transports }: Passkey): Static<typeof DESCRIPTOR_SCHEMA> => ({
  ...{ type: 'public-key', id: credentialId, transports: [...transports] },
});

export function creationAnswer({ challenge, party, user, known }: Omit<PasskeyCreation, 'browserToken'>) {
  return {
    origin: party.origin,
    publicKey: {
      challenge,
      rp: { id: party.rpId, name: RP_NAME },
      user: { id: userHandleOf(user), name: user.email ?? user.name, displayName: user.name },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
      ...{ timeout: CHALLENGE_MS, attestation: 'none' as const },
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: {
        ...{
          residentKey: 'required' as const,
          requireResidentKey: true,
          userVerification: 'required' as const,
        },
      },
    },
  };
}

export function requestAnswer({ challenge, party, allowed }: Omit<PasskeyRequest, 'browserToken'>) {
  return {
    origin: party.origin,
    publicKey: {
      ...{ challenge, rpId: party.rpId, timeout: CHALLENGE_MS, userVerification: 'required' as const },
      allowCredentials: allowed.map(descriptorOf),
    },
  };
}

/** A new passkey, by the names of the standard. */
export const REGISTRATION_SCHEMA = namedType('PasskeyRegistration', {
  id: binary('The credential ID.'),
  clientDataJSON: binary('What the browser says about the call.'),
  attestationObject: binary('What the authenticator says about the passkey.', MAX_ATTESTATION_CHARS),
  transports: Type.Optional(
    Type.Array(text('Such as internal, hybrid or usb.'), {
      ...{ maxItems: MAX_TRANSPORTS, description: 'How browsers reach the authenticator.' },
    }),
  ),
});

/** A use of a passkey, by the names of the standard. */
export const ASSERTION_SCHEMA = namedType('PasskeyAssertion', {
  id: binary('The credential ID.'),
  clientDataJSON: binary('What the browser says about the call.'),
  authenticatorData: binary('What the authenticator says about the use.'),
  signature: binary('The authenticator’s signature.'),
  userHandle: Type.Optional(binary('Whose passkey it is.')),
});

export function registrationOf(given: Static<typeof REGISTRATION_SCHEMA>): GivenRegistration {
  return {
    ...{ credentialId: given.id, clientDataJson: given.clientDataJSON },
    ...{ attestationObject: given.attestationObject, transports: given.transports ?? [] },
  };
}

export function assertionOf(given: Static<typeof ASSERTION_SCHEMA>): GivenAssertion {
  return {
    ...{ credentialId: given.id, clientDataJson: given.clientDataJSON },
    ...{ authenticatorData: given.authenticatorData, signature: given.signature },
    userHandle: given.userHandle ?? null,
  };
}

export const EXAMPLE_PASSKEY: Passkey = {
  ...{ uuid: deriveRuuid('example', 'passkey'), orgUuid: EXAMPLE_PERSON.orgUuid },
  ...{ personUuid: EXAMPLE_PERSON.uuid, name: 'Phone', rpId: 'api.example.com' },
  ...{ credentialId: 'qL3uqm5kT0m1E8tG', publicKey: '', counter: 0, transports: ['internal', 'hybrid'] },
  ...{ isSynced: true, isBackedUp: true, createdAtMs: EXAMPLE_TIME_MS, lastUsedAtMs: EXAMPLE_TIME_MS },
};

const EXAMPLE_PARTY = { rpId: 'api.example.com', origin: 'https://api.example.com' };
const EXAMPLE_CHALLENGE = 'c2x1aWNlLWNoYWxsZW5nZS1mb3ItYS1wYXNza2V5LTE';
const EXAMPLE_CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';

export const EXAMPLE_CREATION = creationAnswer({
  ...{ challenge: EXAMPLE_CHALLENGE, party: EXAMPLE_PARTY, user: EXAMPLE_PERSON, known: [EXAMPLE_PASSKEY] },
});
export const EXAMPLE_REQUEST = requestAnswer({
  ...{ challenge: EXAMPLE_CHALLENGE, party: EXAMPLE_PARTY, allowed: [EXAMPLE_PASSKEY] },
});
export const EXAMPLE_REGISTRATION = {
  ...{ id: EXAMPLE_PASSKEY.credentialId, clientDataJSON: EXAMPLE_CLIENT_DATA },
  ...{ attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal', 'hybrid'] },
};
export const EXAMPLE_ASSERTION = {
  ...{ id: EXAMPLE_PASSKEY.credentialId, clientDataJSON: EXAMPLE_CLIENT_DATA },
  ...{
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDx',
    userHandle: userHandleOf(EXAMPLE_PERSON),
  },
};
