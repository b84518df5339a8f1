/** Fields of OpenID Connect providers of organizations, as callers send and read them. */

import { type Static, Type } from 'typebox';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { OidcClients } from '../../oidc/oidc-clients.ts';
import type { OidcProvider, OidcProviderSettings } from '../../oidc/oidc-providers.ts';
import { MAX_DOMAINS } from '../../oidc/sign-in-domains.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  accessRulesOf,
  MAX_ATTRIBUTE_CHARS,
  rulesResponse,
  SHOWN_RULE,
  shownRules,
  WANTED_RULE,
  wantedRules,
} from './access-rule-fields.ts';

const MAX_SCOPES = 20;
const MAX_SCOPE_CHARS = 100;
/** Of OpenID Connect Core 1.0 §3.1.2.1. */
const OPENID_SCOPE = 'openid';

export const ISSUER = text('The issuer: the https address below which its settings are read.', 1_024);
export const CLIENT_ID = text('The ID of the gateway at the provider.', 256);
export const CLIENT_SECRET = text('The secret of the gateway at the provider. No call returns it.', 1_024);

const COMMON = {
  isEnabled: flag('Whether people can sign in there.'),
  domains: listOf(
    text('A domain, such as `example.com`.', MAX_ATTRIBUTE_CHARS),
    'Domains of the email addresses of its people. Someone who types such an address at sign-in is led there, and no one with another address can sign in there. A domain is of one provider of the whole gateway.',
    MAX_DOMAINS,
  ),
  scopes: listOf(
    text('A scope.', MAX_SCOPE_CHARS),
    'What is requested next to `openid`, such as `email`, `profile`, or `groups`.',
    MAX_SCOPES,
  ),
  acceptsUnverifiedEmail: flag(
    'Whether an email address counts without the claim `email_verified`, which Entra ID does not send. Only for providers whose people cannot choose their own address.',
  ),
} as const;

const CLAIM_MEANING = 'The claim whose values give roles, such as `groups`. Absent: none does.';

export const SETTINGS_SCHEMA = namedType('OidcProviderSettings', {
  ...COMMON,
  roleClaim: Type.Optional(text(CLAIM_MEANING, MAX_ATTRIBUTE_CHARS)),
  ...wantedRules(namedType('OidcRoleRule', WANTED_RULE)),
});

export const PROVIDER_SCHEMA = namedType('OidcProvider', {
  providerUuid: ruuid('The provider.'),
  label: plainText('The label of its button.'),
  ownCallbackUrl: plainText('Our redirect URI.'),
  ownLogoutUrl: plainText('Our back-channel logout URI.'),
  ownSignedOutUrl: plainText('Our post-logout redirect URI.'),
  startUrl: plainText('Where a sign-in there begins.'),
  issuer: plainText('The issuer.'),
  clientId: plainText('The ID of the gateway at the provider.'),
  ...COMMON,
  roleClaim: nullable(plainText(CLAIM_MEANING)),
  ...shownRules(namedType('ShownOidcRoleRule', SHOWN_RULE)),
  createdAtMs: int64('When it was added, epoch milliseconds.'),
});

export function settingsOf(given: Static<typeof SETTINGS_SCHEMA>): OidcProviderSettings {
  const { isEnabled, domains, scopes, acceptsUnverifiedEmail, roleClaim } = given;
  return {
    isEnabled,
    domains,
    scopes: [...new Set([OPENID_SCOPE, ...scopes])],
    acceptsUnverifiedEmail,
    access: accessRulesOf(roleClaim, given),
  };
}

export function providerResponse(
  { uuid, name, body, createdAtMs }: OidcProvider,
  clients: Pick<OidcClients, 'addressesFor'>,
): Static<typeof PROVIDER_SCHEMA> {
  const { startUrl, callbackUrl, logoutUrl, signedOutUrl } = clients.addressesFor(uuid);
  const { issuer, clientId, isEnabled, domains, scopes, acceptsUnverifiedEmail, access } = body;
  return {
    providerUuid: uuid,
    label: name,
    ownCallbackUrl: callbackUrl,
    ownLogoutUrl: logoutUrl,
    ownSignedOutUrl: signedOutUrl,
    startUrl,
    issuer,
    clientId,
    isEnabled,
    domains: [...domains],
    scopes: scopes.filter((scope) => scope !== OPENID_SCOPE),
    acceptsUnverifiedEmail,
    roleClaim: access.attribute,
    ...rulesResponse(access),
    createdAtMs,
  };
}

const EXAMPLE_UUID = 'nXZ0bPqUQm2pYwqVbq4cyg';

export const EXAMPLE_SETTINGS: Static<typeof SETTINGS_SCHEMA> = {
  isEnabled: true,
  domains: ['example.com'],
  scopes: ['email', 'profile'],
  acceptsUnverifiedEmail: false,
  roleClaim: 'groups',
  roleRules: [
    { value: 'sluice-admins', role: 'admin' },
    {
      value: 'harbor-guards',
      role: 'operator',
      scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
    },
  ],
};

const { roleRules: EXAMPLE_RULES, ...EXAMPLE_REST } = EXAMPLE_SETTINGS;
const EXAMPLE_BASE = `https://api.example.com/console/oidc/${EXAMPLE_UUID}`;

export const EXAMPLE_PROVIDER: Static<typeof PROVIDER_SCHEMA> = {
  providerUuid: EXAMPLE_UUID as never,
  label: 'Example Login',
  ownCallbackUrl: `${EXAMPLE_BASE}/callback`,
  ownLogoutUrl: `${EXAMPLE_BASE}/logout`,
  ownSignedOutUrl: 'https://api.example.com/console/',
  startUrl: `${EXAMPLE_BASE}/start`,
  issuer: 'https://login.example.com',
  clientId: 'sluice',
  ...(EXAMPLE_REST as Required<typeof EXAMPLE_REST>),
  roleRules: EXAMPLE_RULES.map(({ value, role, scope }) => ({ value, role, scope: scope ?? null })),
  defaultRole: null,
  defaultScope: null,
  createdAtMs: EXAMPLE_TIME_MS,
};
