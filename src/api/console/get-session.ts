/** POST /api/console/getSession: who is signed in, and how one can sign in. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, namedType, nullable, oneOf, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID } from '../types/examples.ts';
import {
  EXAMPLE_CALLER,
  EXAMPLE_PERSON,
  EXAMPLE_SESSION,
  NOTHING,
  PERSON_ROLE,
  PERSON_SCHEMA,
  personAnswer,
  SESSION_SCHEMA,
  sessionAnswer,
} from './console-types.ts';

const SIGN_IN_METHODS = ['ONE_TIME_CODE', 'PASSWORD', 'PASSKEY', 'OIDC'] as const;

const ORGANIZATION_SCHEMA = namedType('ConsoleOrganization', {
  uuid: ruuid('The organization.'),
  name: plainText('Its name.'),
});

export const getSession = defineEndpoint({
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
    organization: nullable(ORGANIZATION_SCHEMA),
    publicMediaUrl: plainText('The base address of the media listener for viewers.'),
    signInMethods: listOf(oneOf(SIGN_IN_METHODS, 'A way to sign in.'), 'How people can sign in.'),
    ssoLabel: nullable(plainText('What the button of single sign-on says; absent: there is none.')),
  },
  example: {
    request: {},
    response: {
      person: personAnswer(EXAMPLE_PERSON),
      session: sessionAnswer(EXAMPLE_SESSION, EXAMPLE_CALLER),
      hasPasskey: true,
      role: 'operator',
      organization: { uuid: EXAMPLE_ORG_UUID, name: 'Main street stores' },
      publicMediaUrl: 'https://media.example.com',
      signInMethods: [...SIGN_IN_METHODS],
      ssoLabel: 'Example Login',
    },
  },
  async handler({ callerIfAny: caller, services }) {
    const principal = caller?.principal.kind === 'person' ? caller.principal : null;
    const organization = caller === null ? null : await services.organizations.find(caller.orgUuid);
    return {
      person: principal === null ? null : personAnswer(principal.person),
      session: principal === null ? null : sessionAnswer(principal.session, caller),
      hasPasskey:
        principal === null ? null : (await services.passkeys.listWorking(principal.person)).length > 0,
      role: caller?.role ?? null,
      organization: organization === null ? null : { uuid: organization.uuid, name: organization.name },
      publicMediaUrl: services.consoleAddresses.publicMediaUrl,
      signInMethods: SIGN_IN_METHODS.filter((method) => {
        if (method === 'PASSKEY') return typeof services.passkeys.party !== 'string';
        return method !== 'OIDC' || services.ssoLabel !== null;
      }),
      ssoLabel: services.ssoLabel,
    };
  },
});
