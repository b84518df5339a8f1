/** OpenID Connect providers of the organization, as the API has them. */

import type { Answer, Request } from './api.ts';

export type OidcProvider = Answer<'console/getOidcProviders'>['oidcProviders'][number];
export type OidcSettings = Request<'console/addOidcProvider'>['settings'];

/** Of a provider, or for a new one. */
export function settingsOf(provider: OidcProvider | null): OidcSettings {
  if (provider === null) {
    return {
      isEnabled: true,
      domains: [],
      scopes: ['email', 'profile'],
      acceptsUnverifiedEmail: false,
      roleClaim: 'groups',
      roleRules: [],
    };
  }
  const { isEnabled, domains, scopes, acceptsUnverifiedEmail } = provider;
  const { roleClaim, roleRules, defaultRole, defaultScope } = provider;
  return {
    isEnabled,
    domains: [...domains],
    scopes: [...scopes],
    acceptsUnverifiedEmail,
    ...(roleClaim === undefined ? {} : { roleClaim }),
    roleRules: roleRules.map(({ value, role, scope }) => ({
      value,
      role,
      ...(scope === undefined ? {} : { scope }),
    })),
    ...(defaultRole === undefined ? {} : { defaultRole }),
    ...(defaultScope === undefined ? {} : { defaultScope }),
  };
}
