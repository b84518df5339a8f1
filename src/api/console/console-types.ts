/** The types of the console’s endpoints: people, sessions, invitations. */

import { type Static, Type } from 'typebox';
import { type Caller, callerOf } from '../../accounts/caller.ts';
import { consoleSessionEndMs } from '../../accounts/console-session.ts';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import type { Invitation } from '../../accounts/invitations.ts';
import { MAX_EMAIL_CHARS, MAX_PERSON_PASSWORD_CHARS } from '../../accounts/person-rules.ts';
import { GatewayError } from '../../core/errors.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import {
  flag,
  int32,
  int64,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { type ConsoleSession, type KnownPerson, type Person, ROLES } from '../../store/person.ts';
import { SHOWN_SCOPE, scopeResponse } from '../types/access-scope-fields.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const ROLE_MEANING =
  '`viewer` reads and watches, `operator` also changes shares, clips, schedules, walls and alerts, `admin` everything.';

/** Ends the description of an endpoint that decides who can sign in. */
export const CONFIRMED =
  ' A person who calls this must have confirmed their identity within the last ten minutes.';
export const PROVIDER_UUID = ruuid('The provider.');
export const PROVIDER_LABEL = text('The label of its button.', 100);
export const PERSON_UUID = ruuid('The person.');
export const PERSON_NAME = text('What the person is called.', MAX_NAME_LENGTH);
export const PERSON_EMAIL = text(
  'The email address with which the person signs in; unique in the organization, whatever its case.',
  MAX_EMAIL_CHARS,
);
export const PERSON_ROLE = oneOf(ROLES, ROLE_MEANING);
/** Longer than allowed, so that the refusal can name the limit. */
export const NEW_PASSWORD = text('The password: 10 to 128 characters.', 2 * MAX_PERSON_PASSWORD_CHARS);
const MAX_INVITE_TOKEN_LENGTH = 128;
export const INVITE_TOKEN = text('The token in the link’s fragment.', MAX_INVITE_TOKEN_LENGTH);
export const GIVEN_PASSWORD = text('The password.', 2 * MAX_PERSON_PASSWORD_CHARS);

export const PERSON_SCHEMA = namedType('ConsolePerson', {
  personUuid: PERSON_UUID,
  name: plainText('What the person is called.'),
  email: nullable(plainText('The email address; absent: the person cannot sign in with a password.')),
  role: PERSON_ROLE,
  scope: SHOWN_SCOPE,
  hasPassword: flag('Whether the person has a password.'),
  disabled: flag('True: the person cannot sign in.'),
  createdAtMs: int64('When the person was added, epoch milliseconds.'),
  lastSignInAtMs: nullable(int64('When the person last signed in, epoch milliseconds; absent: never.')),
});

export const SESSION_SCHEMA = namedType('ConsoleSession', {
  sessionUuid: ruuid('The session.'),
  personUuid: PERSON_UUID,
  signInMethod: oneOf(
    ['CODE', 'INVITATION', 'PASSWORD', 'PASSKEY', 'OIDC', 'SAML'],
    'How the session began.',
  ),
  address: plainText('The IP address from which it began.'),
  userAgent: nullable(plainText('The browser that began it, up to 200 characters; absent if unknown.')),
  createdAtMs: int64('When it began, epoch milliseconds.'),
  lastSeenAtMs: int64('Its last request, epoch milliseconds, to within about a minute.'),
  endsAtMs: int64('When it ends if no request follows, epoch milliseconds.'),
  isCurrent: flag('True: the session of this request.'),
});

export const MAP_TILES_SCHEMA = namedType('ConsoleMapTiles', {
  url: plainText('Template of the tiles’ addresses, with {z}, {x}, and {y}.'),
  attribution: plainText('Whose map it is.'),
  maxZoom: int32('The largest zoom for which there are tiles.'),
});

export const INVITATION_SCHEMA = namedType('ConsoleInvitation', {
  invitationUuid: ruuid('The invitation.'),
  name: plainText('Who is invited.'),
  email: plainText('The email address that the person will have.'),
  role: PERSON_ROLE,
  scope: SHOWN_SCOPE,
  expiresAtMs: int64('When it ends, epoch milliseconds.'),
});

export function personResponse(person: Person | KnownPerson): Static<typeof PERSON_SCHEMA> {
  return {
    personUuid: person.uuid,
    name: person.name,
    email: person.email,
    role: person.role,
    scope: scopeResponse(person.scope),
    hasPassword: 'hasPassword' in person ? person.hasPassword : person.passwordHash !== null,
    disabled: person.disabled,
    createdAtMs: person.createdAtMs,
    lastSignInAtMs: person.lastSignInAtMs,
  };
}

const METHODS = {
  code: 'CODE',
  invitation: 'INVITATION',
  password: 'PASSWORD',
  passkey: 'PASSKEY',
  oidc: 'OIDC',
  saml: 'SAML',
} as const;

/** `caller`: null if the browser is not signed in. */
export function sessionResponse(
  session: ConsoleSession,
  caller: Caller | null,
): Static<typeof SESSION_SCHEMA> {
  return {
    sessionUuid: session.uuid,
    personUuid: session.personUuid,
    signInMethod: METHODS[session.method],
    address: session.address,
    userAgent: session.userAgent,
    createdAtMs: session.createdAtMs,
    lastSeenAtMs: session.lastSeenAtMs,
    endsAtMs: consoleSessionEndMs(session),
    isCurrent: caller?.principal.kind === 'person' && caller.principal.session.uuid === session.uuid,
  };
}

export function invitationResponse({ uuid, name, body }: Invitation): Static<typeof INVITATION_SCHEMA> {
  const { email, role, scope = null, expiresAtMs } = body;
  return { invitationUuid: uuid, name, email, role, scope: scopeResponse(scope), expiresAtMs };
}

/** The person who calls, with the session. Fails PERSON_REQUIRED. */
export function expectPerson({ principal }: Caller): {
  readonly person: Person;
  readonly session: ConsoleSession;
} {
  if (principal.kind !== 'person') throw new GatewayError(ACCOUNT_ERRORS.PERSON_REQUIRED);
  return principal;
}

export const EXAMPLE_PERSON: Person = {
  uuid: deriveRuuid('example', 'person'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Ada',
  email: 'ada@example.com',
  role: 'operator',
  scope: null,
  passwordHash: '',
  disabled: false,
  createdAtMs: EXAMPLE_TIME_MS,
  lastSignInAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_SESSION: ConsoleSession = {
  uuid: deriveRuuid('example', 'console session'),
  orgUuid: EXAMPLE_ORG_UUID,
  personUuid: EXAMPLE_PERSON.uuid,
  tokenHash: '',
  method: 'password',
  address: '192.0.2.10',
  userAgent: 'Mozilla/5.0',
  createdAtMs: EXAMPLE_TIME_MS,
  confirmedAtMs: EXAMPLE_TIME_MS,
  lastSeenAtMs: EXAMPLE_TIME_MS,
  provider: null,
};

export const EXAMPLE_CALLER: Caller = callerOf({
  kind: 'person',
  person: EXAMPLE_PERSON,
  session: EXAMPLE_SESSION,
});

/** No fields. */
export const NOTHING = Type.Object({});

/** Sentence about callers in the descriptions of calls about the whole gateway. */
export const OPERATORS_ONLY =
  'For administrators. It is about the whole gateway, which all organizations share, so it accepts only admins and keys of the ' +
  'default organization (`api`) and keys of the default partner (`partner-api`), and refuses access tokens of applications.';
