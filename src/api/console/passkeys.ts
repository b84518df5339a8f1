/** Passkeys (W3C Web Authentication Level 3). Binary values are base64url, as in the JSON forms of the standard. */

import { type Static, Type } from 'typebox';
import { CHALLENGE_MS } from '../../accounts/passkey-challenges.ts';
import {
  type GivenAssertion,
  type GivenRegistration,
  PASSKEY_ALGORITHMS,
} from '../../accounts/passkey-proof.ts';
import { type PasskeyCreation, type PasskeyRequest, userHandleOf } from '../../accounts/passkeys.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
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
import { invalidField } from '../../http/request-body.ts';
import type { Passkey } from '../../store/passkey.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  EXAMPLE_PERSON,
  expectPerson,
  GIVEN_PASSWORD,
  NOTHING,
  PERSON_SCHEMA,
  personResponse,
} from './console-types.ts';
import { signedIn } from './sessions.ts';

/** Limits for data from authenticators; theirs are far shorter. */
const MAX_BINARY_CHARS = 8_192;
const MAX_ATTESTATION_CHARS = 32_768;
const MAX_TRANSPORTS = 16;
const RP_NAME = 'Sluice';

const binary = (description: string, maxChars = MAX_BINARY_CHARS) =>
  text(`${description} base64url.`, maxChars);

const PASSKEY_UUID = ruuid('The passkey.');
export const PASSKEY_NAME = text('What the person calls it.', MAX_NAME_LENGTH);

const PASSKEY_SCHEMA = namedType('ConsolePasskey', {
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

function passkeyResponse(passkey: Passkey, works: boolean): Static<typeof PASSKEY_SCHEMA> {
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

/** Options of `navigator.credentials.create`. */
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

/** Options of `navigator.credentials.get`. */
const REQUEST_PROPERTIES = {
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
  type: 'public-key',
  id: credentialId,
  transports: [...transports],
});

export function creationResponse({ challenge, party, user, known }: Omit<PasskeyCreation, 'browserToken'>) {
  return {
    origin: party.origin,
    publicKey: {
      challenge,
      rp: { id: party.rpId, name: RP_NAME },
      user: { id: userHandleOf(user), name: user.email ?? user.name, displayName: user.name },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
      timeout: CHALLENGE_MS,
      attestation: 'none' as const,
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: {
        residentKey: 'required' as const,
        requireResidentKey: true,
        userVerification: 'required' as const,
      },
    },
  };
}

function requestResponse({ challenge, party, allowed }: Omit<PasskeyRequest, 'browserToken'>) {
  return {
    origin: party.origin,
    publicKey: {
      challenge,
      rpId: party.rpId,
      timeout: CHALLENGE_MS,
      userVerification: 'required' as const,
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
      maxItems: MAX_TRANSPORTS,
      description: 'How browsers reach the authenticator.',
    }),
  ),
});

/** A use of a passkey, by the names of the standard. */
const ASSERTION_SCHEMA = namedType('PasskeyAssertion', {
  id: binary('The credential ID.'),
  clientDataJSON: binary('What the browser says about the call.'),
  authenticatorData: binary('What the authenticator says about the use.'),
  signature: binary('The authenticator’s signature.'),
  userHandle: Type.Optional(binary('Whose passkey it is.')),
});

export function registrationOf(given: Static<typeof REGISTRATION_SCHEMA>): GivenRegistration {
  return {
    credentialId: given.id,
    clientDataJson: given.clientDataJSON,
    attestationObject: given.attestationObject,
    transports: given.transports ?? [],
  };
}

function assertionOf(given: Static<typeof ASSERTION_SCHEMA>): GivenAssertion {
  return {
    credentialId: given.id,
    clientDataJson: given.clientDataJSON,
    authenticatorData: given.authenticatorData,
    signature: given.signature,
    userHandle: given.userHandle ?? null,
  };
}

const EXAMPLE_PASSKEY: Passkey = {
  uuid: deriveRuuid('example', 'passkey'),
  orgUuid: EXAMPLE_PERSON.orgUuid,
  personUuid: EXAMPLE_PERSON.uuid,
  name: 'Phone',
  rpId: 'api.example.com',
  credentialId: 'qL3uqm5kT0m1E8tG',
  publicKey: '',
  counter: 0,
  transports: ['internal', 'hybrid'],
  isSynced: true,
  isBackedUp: true,
  createdAtMs: EXAMPLE_TIME_MS,
  lastUsedAtMs: EXAMPLE_TIME_MS,
};

const EXAMPLE_PARTY = { rpId: 'api.example.com', origin: 'https://api.example.com' };
const EXAMPLE_CHALLENGE = 'c2x1aWNlLWNoYWxsZW5nZS1mb3ItYS1wYXNza2V5LTE';
const EXAMPLE_CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';

export const EXAMPLE_CREATION = creationResponse({
  challenge: EXAMPLE_CHALLENGE,
  party: EXAMPLE_PARTY,
  user: EXAMPLE_PERSON,
  known: [EXAMPLE_PASSKEY],
});
const EXAMPLE_REQUEST = requestResponse({
  challenge: EXAMPLE_CHALLENGE,
  party: EXAMPLE_PARTY,
  allowed: [EXAMPLE_PASSKEY],
});
const EXAMPLE_REGISTRATION = {
  id: EXAMPLE_PASSKEY.credentialId,
  clientDataJSON: EXAMPLE_CLIENT_DATA,
  attestationObject: 'o2NmbXRkbm9uZQ',
  transports: ['internal', 'hybrid'],
};
const EXAMPLE_ASSERTION = {
  id: EXAMPLE_PASSKEY.credentialId,
  clientDataJSON: EXAMPLE_CLIENT_DATA,
  authenticatorData: 'SZYN5YgOjGh0NBcP',
  signature: 'MEUCIQDx',
  userHandle: userHandleOf(EXAMPLE_PERSON),
};

const getPasskeys = defineEndpoint({
  path: '/api/console/getPasskeys',
  summary: 'Lists the caller’s own passkeys.',
  description: 'Only a person who is signed in can call this.',
  isExtension: true,
  request: NOTHING,
  response: {
    passkeys: listOf(PASSKEY_SCHEMA, 'In the order in which they were added.'),
    origin: nullable(plainText('The only origin whose pages can use them; absent: see obstacle.')),
    obstacle: nullable(
      oneOf(
        ['IP_ADDRESS', 'PLAIN_HTTP'],
        'Why browsers offer passkeys to no page of this console: its address is an IP address, or plain HTTP. Absent: ' +
          'they do.',
      ),
    ),
    isConfirmed: flag(
      'Whether passkeys can be added and removed now; if not, `/api/console/confirmIdentity` comes first.',
    ),
  },
  example: {
    request: {},
    response: {
      passkeys: [passkeyResponse(EXAMPLE_PASSKEY, true)],
      origin: 'https://api.example.com',
      obstacle: null,
      isConfirmed: true,
    },
  },
  async handler({ caller, services: { passkeys, confirmation } }) {
    const who = expectPerson(caller);
    const { party } = passkeys;
    const list = await passkeys.list(who.person);
    return {
      passkeys: list.map((passkey) => passkeyResponse(passkey, passkeys.works(passkey))),
      origin: typeof party === 'string' ? null : party.origin,
      obstacle: typeof party === 'string' ? party : null,
      isConfirmed: await confirmation.isFresh(who),
    };
  },
});

const beginPasskeySignIn = defineEndpoint({
  path: '/api/console/beginPasskeySignIn',
  summary: 'Begins to sign a person in with a passkey.',
  description:
    'The response goes to `navigator.credentials.get`, what that returns to `/api/console/signInWithPasskey`. It names no ' +
    'one: the passkey says whose it is. The challenge works once, for five minutes, and only in the browser that asked, ' +
    'which gets a cookie for it. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: REQUEST_PROPERTIES,
  example: {
    request: {},
    response: { ...EXAMPLE_REQUEST, publicKey: { ...EXAMPLE_REQUEST.publicKey, allowCredentials: [] } },
  },
  async handler(context) {
    const { browserToken, ...request } = await context.services.passkeys.beginSignIn(context.client);
    context.tieBrowser(browserToken);
    return requestResponse(request);
  },
});

const signInWithPasskey = defineEndpoint({
  path: '/api/console/signInWithPasskey',
  summary: 'Signs a person in to the console with a passkey.',
  description:
    'Takes what the browser returned for the challenge of `/api/console/beginPasskeySignIn`. The authenticator must have ' +
    'verified its user. Every refusal is the same; too many of them from an address are refused for a while with 429. The ' +
    'session is that of `/api/console/signIn`. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({ passkey: ASSERTION_SCHEMA }),
  response: { person: PERSON_SCHEMA },
  example: { request: { passkey: EXAMPLE_ASSERTION }, response: { person: personResponse(EXAMPLE_PERSON) } },
  async handler(context, { passkey }) {
    const { services, client } = context;
    return signedIn(context, await services.passkeys.signIn(assertionOf(passkey), client));
  },
});

const beginConfirmation = defineEndpoint({
  path: '/api/console/beginConfirmation',
  summary: 'Begins to confirm with a passkey who the caller is.',
  description:
    'Only a person who is signed in can call this. The response goes to `navigator.credentials.get`, what that returns to ' +
    '`/api/console/confirmIdentity`.',
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: REQUEST_PROPERTIES,
  example: { request: {}, response: EXAMPLE_REQUEST },
  async handler(context) {
    const { services, client, caller } = context;
    const { browserToken, ...request } = await services.passkeys.beginConfirmation(
      expectPerson(caller),
      client,
    );
    context.tieBrowser(browserToken);
    return requestResponse(request);
  },
});

const confirmIdentity = defineEndpoint({
  path: '/api/console/confirmIdentity',
  summary: 'Confirms who the caller is.',
  description:
    'Only a person who is signed in can call this, with their password or with what the browser returned for the challenge ' +
    'of `/api/console/beginConfirmation`. For ten minutes, the session can then add and remove passkeys. A session that ' +
    'has just begun needs no confirmation.',
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({
    currentPassword: Type.Optional(GIVEN_PASSWORD),
    passkey: Type.Optional(ASSERTION_SCHEMA),
  }),
  response: {},
  example: { request: { currentPassword: 'correct horse battery' }, response: {} },
  async handler({ caller, client, services }, { currentPassword, passkey }) {
    const who = expectPerson(caller);
    if (currentPassword !== undefined && passkey === undefined) {
      await services.confirmation.byPassword(who, currentPassword, client);
    } else if (passkey !== undefined && currentPassword === undefined) {
      await services.passkeys.confirm(who, assertionOf(passkey), client);
    } else {
      throw invalidField('Send either currentPassword or passkey.');
    }
    return {};
  },
});

const beginAddingPasskey = defineEndpoint({
  path: '/api/console/beginAddingPasskey',
  summary: 'Begins to add a passkey.',
  description:
    'Only a person who is signed in can call this, within ten minutes after signing in or `/api/console/confirmIdentity`. ' +
    'The response goes to `navigator.credentials.create`, what that returns to `/api/console/addPasskey`.',
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: CREATION_PROPERTIES,
  example: { request: {}, response: EXAMPLE_CREATION },
  async handler(context) {
    const { services, client, caller } = context;
    const { browserToken, ...creation } = await services.passkeys.beginAdding(expectPerson(caller), client);
    context.tieBrowser(browserToken);
    return creationResponse(creation);
  },
});

const addPasskey = defineEndpoint({
  path: '/api/console/addPasskey',
  summary: 'Adds a passkey of the caller.',
  description:
    'Takes what the browser returned for the challenge of `/api/console/beginAddingPasskey`. The authenticator must have ' +
    'verified its user. A person can have 10 passkeys.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ name: PASSKEY_NAME, passkey: REGISTRATION_SCHEMA }),
  response: { passkey: PASSKEY_SCHEMA },
  example: {
    request: { name: 'Phone', passkey: EXAMPLE_REGISTRATION },
    response: { passkey: passkeyResponse(EXAMPLE_PASSKEY, true) },
  },
  async handler({ caller, client, services }, { name, passkey }) {
    const added = await services.passkeys.add(expectPerson(caller), name, registrationOf(passkey), client);
    return { passkey: passkeyResponse(added, true) };
  },
});

const renamePasskey = defineEndpoint({
  path: '/api/console/renamePasskey',
  summary: 'Renames a passkey of the caller.',
  description: 'Only a person who is signed in can call this. The name is what lists of Sluice show.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ passkeyUuid: PASSKEY_UUID, name: PASSKEY_NAME }),
  response: { passkey: PASSKEY_SCHEMA },
  example: {
    request: { passkeyUuid: EXAMPLE_PASSKEY.uuid, name: 'Phone' },
    response: { passkey: passkeyResponse(EXAMPLE_PASSKEY, true) },
  },
  async handler({ caller, services: { passkeys } }, { passkeyUuid, name }) {
    const renamed = await passkeys.rename(expectPerson(caller).person, passkeyUuid, name);
    return { passkey: passkeyResponse(renamed, passkeys.works(renamed)) };
  },
});

const deletePasskey = defineEndpoint({
  path: '/api/console/deletePasskey',
  summary: 'Removes a passkey of the caller.',
  description:
    'Only a person who is signed in can call this, within ten minutes after signing in or `/api/console/confirmIdentity`. ' +
    'All of their other sessions end immediately. The last passkey of a person without a password cannot be removed.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ passkeyUuid: PASSKEY_UUID }),
  response: {},
  example: { request: { passkeyUuid: EXAMPLE_PASSKEY.uuid }, response: {} },
  async handler({ caller, services }, { passkeyUuid }) {
    await services.passkeys.remove(expectPerson(caller), passkeyUuid);
    return {};
  },
});

export const PASSKEY_ENDPOINTS: readonly Endpoint[] = [
  getPasskeys,
  beginPasskeySignIn,
  signInWithPasskey,
  beginConfirmation,
  confirmIdentity,
  beginAddingPasskey,
  addPasskey,
  renamePasskey,
  deletePasskey,
];
