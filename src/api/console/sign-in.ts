/** POST /api/console/signIn: begins a session. */

import { Type } from 'typebox';
import { MAX_EMAIL_CHARS } from '../../accounts/person-rules.ts';
import type { SignedIn } from '../../accounts/sign-in.ts';
import { type CallContext, defineEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_PERSON, GIVEN_PASSWORD, PERSON_SCHEMA, personAnswer } from './console-types.ts';

const MAX_CODE_LENGTH = 128;

export const signIn = defineEndpoint({
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
    response: { person: personAnswer(EXAMPLE_PERSON) },
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
  return { person: personAnswer(person) };
}
