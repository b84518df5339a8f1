/** The configured sign-in provider, in the plain form that threads exchange. */

import type { OidcSettings } from '../../oidc/oidc-settings.ts';
import type { Config } from './schema.ts';

/** null: no provider is configured. */
export function oidcSettingsOf({ oidc }: Pick<Config, 'oidc'>): OidcSettings | null {
  const { issuer, clientId, clientSecret, roleClaim, scopes, label } = oidc;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  const { adminValues: admin, operatorValues: operator, viewerValues: viewer } = oidc;
  const isMapped = admin.length + operator.length + viewer.length > 0;
  return {
    issuer,
    clientId,
    clientSecret: clientSecret.reveal(),
    scopes,
    label,
    allowedDomains: oidc.allowedDomains.map((domain) => domain.toLowerCase()),
    roles: isMapped ? { claim: roleClaim, values: { admin, operator, viewer } } : null,
  };
}
