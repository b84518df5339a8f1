/** Console sessions: signing in and out, and the caller’s password. */

import { Type } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { MAX_EMAIL_CHARS, MAX_PERSON_PASSWORD_CHARS } from '../../accounts/person-rules.ts';
import type { SignedIn } from '../../accounts/sign-in.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import {
  flag,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import type { ConsoleSession } from '../../store/person.ts';
import { SHOWN_SCOPE, scopeResponse } from '../types/access-scope-fields.ts';
import { EXAMPLE_ORG_UUID } from '../types/examples.ts';
import {
  EXAMPLE_CALLER,
  EXAMPLE_PERSON,
  EXAMPLE_SESSION,
  expectPerson,
  GIVEN_PASSWORD,
  MAP_TILES_SCHEMA,
  NEW_PASSWORD,
  NOTHING,
  PERSON_ROLE,
  PERSON_SCHEMA,
  personResponse,
  SESSION_SCHEMA,
  sessionResponse,
} from './console-types.ts';

const SIGN_IN_METHODS = ['ONE_TIME_CODE', 'PASSWORD', 'PASSKEY', 'OIDC'] as const;

const ORGANIZATION_SCHEMA = namedType('ConsoleOrganization', {
  uuid: ruuid('The organization.'),
  name: plainText('Its name.'),
});

const getSession = defineEndpoint({
  path: '/api/console/getSession',
  summary: 'Reads who is signed in, and how people can sign in.',
  description:
    'Needs no credentials: without any that work, the person, the session, the role and the organization are absent. ' +
    'With an API key, the person and the session are absent. Only pages of the API itself and programs can call this.',
  isOpen: true,
  isExtension: true,
  request: NOTHING,
  response: {
    person: nullable(PERSON_SCHEMA),
    session: nullable(SESSION_SCHEMA),
    hasPasskey: nullable(flag('Whether the person has a passkey that works at the console’s address.')),
    role: nullable(PERSON_ROLE),
    scope: SHOWN_SCOPE,
    organization: nullable(ORGANIZATION_SCHEMA),
    publicMediaUrl: plainText('The base address of the media listener for viewers.'),
    mapTiles: nullable(MAP_TILES_SCHEMA),
    signInMethods: listOf(oneOf(SIGN_IN_METHODS, 'A way to sign in.'), 'How people can sign in.'),
    ssoLabel: nullable(plainText('What the button of single sign-on says; absent: there is none.')),
    sendsMail: flag('Whether the gateway has a mail server.'),
  },
  example: {
    request: {},
    response: {
      person: personResponse(EXAMPLE_PERSON),
      session: sessionResponse(EXAMPLE_SESSION, EXAMPLE_CALLER),
      hasPasskey: true,
      role: 'operator',
      scope: null,
      organization: { uuid: EXAMPLE_ORG_UUID, name: 'Main street stores' },
      publicMediaUrl: 'https://media.example.com',
      mapTiles: {
        url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
        attribution: '© OpenStreetMap contributors',
        maxZoom: 19,
      },
      signInMethods: [...SIGN_IN_METHODS],
      ssoLabel: 'Example Login',
      sendsMail: true,
    },
  },
  async handler({ callerIfAny: caller, services }) {
    const principal = caller?.principal.kind === 'person' ? caller.principal : null;
    const organization = caller === null ? null : await services.organizations.find(caller.orgUuid);
    return {
      person: principal === null ? null : personResponse(principal.person),
      session: principal === null ? null : sessionResponse(principal.session, caller),
      hasPasskey:
        principal === null ? null : (await services.passkeys.listWorking(principal.person)).length > 0,
      role: caller?.role ?? null,
      scope: scopeResponse(caller?.scope ?? null),
      organization: organization === null ? null : { uuid: organization.uuid, name: organization.name },
      publicMediaUrl: services.consoleAddresses.publicMediaUrl,
      mapTiles: principal === null ? null : services.consoleAddresses.mapTiles,
      signInMethods: SIGN_IN_METHODS.filter((method) => {
        if (method === 'PASSKEY') return typeof services.passkeys.party !== 'string';
        return method !== 'OIDC' || services.ssoLabel !== null;
      }),
      ssoLabel: services.ssoLabel,
      sendsMail: services.mail.sender.isSetUp,
    };
  },
});

const getSessions = defineEndpoint({
  path: '/api/console/getSessions',
  summary: 'Lists where people are signed in.',
  description:
    'Lists the caller’s own sessions; admins can also ask for those of someone else, or of everyone.',
  isExtension: true,
  request: Type.Object({
    personUuid: Type.Optional(ruuid('Whose sessions; default: the caller’s. Someone else’s: for admins.')),
    everyone: Type.Optional(flag('True: of all people of the organization. For admins.')),
  }),
  response: {
    sessions: listOf(SESSION_SCHEMA, 'Sessions that still work, in the order in which they began.'),
  },
  example: {
    request: {},
    response: { sessions: [sessionResponse(EXAMPLE_SESSION, EXAMPLE_CALLER)] },
  },
  async handler({ orgUuid, caller, services }, { personUuid, everyone = false }) {
    const whose = everyone ? null : (personUuid ?? ownUuid(caller));
    if (whose === null || caller.principal.kind !== 'person' || whose !== caller.actor.uuid) {
      expectRole(caller, 'admin');
    }
    const sessions = await services.consoleSessions.list(orgUuid, whose);
    return { sessions: sessions.map((session) => sessionResponse(session, caller)) };
  },
});

/** An admin's key has no sessions of its own: null for everyone's. */
function ownUuid(caller: Caller): Ruuid | null {
  if (caller.principal.kind !== 'person' && caller.role === 'admin') return null;
  return expectPerson(caller).person.uuid;
}

const MAX_CODE_LENGTH = 128;

const signIn = defineEndpoint({
  path: '/api/console/signIn',
  summary: 'Signs a person in to the console.',
  description:
    'Takes an email address and a password, or a one-time code that the command line printed. Needs no credentials. ' +
    'The session’s token is in the cookie `sluice_console` (`__Host-sluice_console` if `public.apiUrl` is https), which scripts cannot read; requests use it with ' +
    '`x-auth-scheme: console`. A session lasts 30 days at most and 12 hours without a request. Each sign-in has a new ' +
    'token, and ends the session that the browser had. Too many failures from an address, or with an email address from ' +
    'browsers in which its person has never signed in, are refused for a while with 429. A browser in which they have has ' +
    'the cookie `sluice_known`, and attempts of its own. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    oneTimeCode: Type.Optional(text('A one-time code. Instead of email and password.', MAX_CODE_LENGTH)),
    email: Type.Optional(text('The email address.', MAX_EMAIL_CHARS)),
    password: Type.Optional(GIVEN_PASSWORD),
  }),
  response: { person: PERSON_SCHEMA },
  example: {
    request: { email: 'ada@example.com', password: 'correct horse battery' },
    response: { person: personResponse(EXAMPLE_PERSON) },
  },
  async handler(context, { oneTimeCode, email, password }) {
    const { services, client } = context;
    if (oneTimeCode !== undefined && email === undefined && password === undefined) {
      return signedIn(context, await services.signIn.byCode(oneTimeCode, client));
    }
    if (oneTimeCode !== undefined || email === undefined || password === undefined) {
      throw invalidField('Send either oneTimeCode, or email and password.');
    }
    return signedIn(context, await services.signIn.byPassword(email, password, client));
  },
});

/** Puts the session's token into the browser. */
export function signedIn(context: CallContext, { person, token, browserProof }: SignedIn) {
  context.changeSession(token);
  context.knowBrowser(browserProof);
  return { person: personResponse(person) };
}

const signOut = defineEndpoint({
  path: '/api/console/signOut',
  summary: 'Ends the session of the browser that calls.',
  description:
    'The session ends immediately, and the browser forgets its cookie. Also succeeds if the session has already ended. If ' +
    '`continuesAtProvider` is true, the person is still signed in at the provider: lead the browser to ' +
    '`providerEndPath`, which leads on to the provider’s page for signing out, or back to the console if it has none. ' +
    'Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'same-outcome',
  request: NOTHING,
  response: {
    continuesAtProvider: flag(
      'Whether the session began at the sign-in provider, which has a session of its own.',
    ),
    providerEndPath: nullable(plainText('Where that ends; absent: there is none.')),
  },
  example: { request: {}, response: { continuesAtProvider: true, providerEndPath: '/console/oidc/end' } },
  async handler(context) {
    const { services, client, callerIfAny } = context;
    const { sessionToken: token } = client;
    const ended = token === null ? null : await services.consoleSessions.signOut(token, callerIfAny);
    context.changeSession(null);
    const providerEndPath = ended === null ? null : await endPathOf(ended, services);
    return { continuesAtProvider: providerEndPath !== null, providerEndPath };
  },
});

/** Where the session that it began in ends; null: it began here, or the provider was removed since. */
async function endPathOf(
  session: ConsoleSession,
  { ssoLabel, providerSessions }: Pick<CallContext['services'], 'ssoLabel' | 'providerSessions'>,
): Promise<string | null> {
  if (session.method === 'saml') return '/console/saml/end';
  if (session.method !== 'oidc') return null;
  // People can sign out while the store is unavailable.
  const providerUuid = await providerSessions.providerOf(session).catch(() => null);
  if (providerUuid !== null) return `/console/oidc/${providerUuid}/end`;
  return ssoLabel === null ? null : '/console/oidc/end';
}

const endSession = defineEndpoint({
  path: '/api/console/endSession',
  summary: 'Ends a console session.',
  description:
    'The session ends immediately: its next request is refused, and what is being watched with it stops. People can end ' +
    'their own sessions, admins everyone’s.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ sessionUuid: ruuid('The session.') }),
  response: {},
  example: { request: { sessionUuid: EXAMPLE_SESSION.uuid }, response: {} },
  async handler({ orgUuid, caller, services }, { sessionUuid }) {
    const owner = caller.role === 'admin' ? null : expectPerson(caller).person.uuid;
    await services.consoleSessions.end(orgUuid, sessionUuid, owner);
    return {};
  },
});

const changePassword = defineEndpoint({
  path: '/api/console/changePassword',
  summary: 'Changes the caller’s own password.',
  description:
    'Only a person who is signed in can call this. All of their other sessions end immediately. A person without an email ' +
    'address needs one first (`/api/console/updatePerson`).',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    currentPassword: Type.Optional(
      text(
        'The current password. Not needed if there is none, or after signing in with a one-time code.',
        2 * MAX_PERSON_PASSWORD_CHARS,
      ),
    ),
    newPassword: NEW_PASSWORD,
  }),
  response: {},
  example: {
    request: { currentPassword: 'correct horse battery', newPassword: 'staple of a better kind' },
    response: {},
  },
  async handler({ caller, services }, { currentPassword, newPassword }) {
    await services.people.changePassword(expectPerson(caller), currentPassword ?? null, newPassword);
    return {};
  },
});

export const SESSION_ENDPOINTS: readonly Endpoint[] = [
  getSession,
  getSessions,
  signIn,
  signOut,
  endSession,
  changePassword,
];
