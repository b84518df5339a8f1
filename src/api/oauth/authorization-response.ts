/**
 * The response of GET /api/oauth/authorize: a response within a response (docs/spec/rules.md#oauth-applications). The
 * outer one is a plain 200; `status` and `location` say how to respond to the browser of the user who consents.
 */

import { type Static, Type } from 'typebox';
import { nullDropper, withoutNullableFields } from '../../http/absent-values.ts';
import { ENVELOPE_PROPERTIES, type Envelope, successEnvelope } from '../../http/envelope.ts';
import {
  dateTime,
  flag,
  int32,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { AuthorizationOutcome } from './authorization-request.ts';

const emptiness = (description: string) =>
  Type.Object({ empty: flag('True if there are none.') }, { description });

const NO_ENTITY_TAG = nullable(
  namedType('EntityTag', { value: plainText('Always absent.'), weak: flag('Always absent.') }),
);

const CONSENT_SCHEMA = namedType('OAuthConsent', {
  clientId: ruuid('The application that requests access.'),
  name: plainText('Its name.'),
  description: nullable(plainText('Its description of itself.')),
  contactEmail: nullable(plainText('Whom to contact about it.')),
  redirectUri: plainText('Where the code will be sent.'),
});

/** The two outcomes: their names in RFC 7231, and their families in the specification's clients. */
const STATUS_INFO = {
  200: { statusCode: 200, reasonPhrase: 'OK', family: 'SUCCESSFUL' },
  302: { statusCode: 302, reasonPhrase: 'Found', family: 'REDIRECTION' },
} as const;

const DECIDED_RESPONSE_SCHEMA = Type.Object({
  ...ENVELOPE_PROPERTIES,
  status: int32(
    '302: send the browser to `location`. 200: ask for consent, then call again with `consent_given`.',
  ),
  statusInfo: Type.Object({
    statusCode: int32('As `status`.'),
    reasonPhrase: plainText('Its reason phrase.'),
    family: plainText('Its class: SUCCESSFUL or REDIRECTION.'),
  }),
  location: nullable(
    plainText("With 302: the application's address with `code`, or `error`, and `state` and `iss`."),
  ),
  entity: nullable(CONSENT_SCHEMA),
  date: dateTime('When this was decided.'),
  headers: emptiness('Headers of the inner response; `location` has its own field.'),
  stringHeaders: emptiness('The same.'),
  metadata: emptiness('The same.'),
  cookies: Type.Object({}, { description: 'Always empty: no cookie is set.' }),
  allowedMethods: listOf(plainText('Method.'), 'Always empty.'),
  links: listOf(Type.Object({}), 'Always empty.'),
  closed: flag('Always false.'),
  length: int32('Always -1: not known.'),
  entityTag: NO_ENTITY_TAG,
  language: nullable(Type.Object({}, { title: 'Locale' })),
  mediaType: nullable(Type.Object({}, { title: 'MediaType' })),
  lastModified: nullable(dateTime('Always absent.')),
});

export const AUTHORIZATION_RESPONSE_SCHEMA = withoutNullableFields(DECIDED_RESPONSE_SCHEMA);

const withoutNulls = nullDropper(DECIDED_RESPONSE_SCHEMA);

export type AuthorizationResponse = Omit<Static<typeof DECIDED_RESPONSE_SCHEMA>, keyof Envelope> & Envelope;

export function authorizationResponse(
  outcome: AuthorizationOutcome,
  nowEpochMs: number,
): AuthorizationResponse {
  const status = outcome.kind === 'redirect' ? 302 : 200;
  return withoutNulls({
    ...successEnvelope(null),
    status,
    statusInfo: { ...STATUS_INFO[status] },
    location: outcome.kind === 'redirect' ? outcome.location : null,
    entity: outcome.kind === 'consent' ? consentEntity(outcome) : null,
    date: new Date(nowEpochMs).toISOString(),
    headers: { empty: outcome.kind === 'consent' },
    stringHeaders: { empty: outcome.kind === 'consent' },
    metadata: { empty: outcome.kind === 'consent' },
    cookies: {},
    allowedMethods: [],
    links: [],
    closed: false,
    length: -1,
    entityTag: null,
    language: null,
    mediaType: null,
    lastModified: null,
  });
}

function consentEntity({ application }: Extract<AuthorizationOutcome, { kind: 'consent' }>) {
  const { uuid, name, description, contactEmail, redirectUri } = application;
  return { clientId: uuid, name, description, contactEmail, redirectUri };
}
