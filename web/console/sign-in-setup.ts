/** The sign-in providers of the organization, and what is needed to change them. */

import { type Answer, call } from './api.ts';
import type { OidcProvider } from './oidc-providers.ts';
import { canUseOne, readPasskeys } from './passkeys.ts';
import { type RightsPlaces, readRightsPlaces } from './rights.ts';

export type SignInDomain = Answer<'console/getSignInDomains'>['domains'][number];

export interface SignInSetup {
  readonly samlProviders: Answer<'console/getSamlProviders'>['samlProviders'];
  readonly ownCertificates: Answer<'console/getSamlProviders'>['ownCertificates'];
  readonly oidcProviders: readonly OidcProvider[];
  readonly domains: readonly SignInDomain[];
  readonly places: RightsPlaces;
  /** Whether the person has just shown who they are, and can with a passkey. */
  readonly isConfirmed: boolean;
  readonly hasPasskey: boolean;
}

/** Fails with a CallError. */
export async function readSignInSetup(signal: AbortSignal): Promise<SignInSetup> {
  const [saml, oidc, { domains }, places, passkeys] = await Promise.all([
    call('console/getSamlProviders', {}, signal),
    call('console/getOidcProviders', {}, signal),
    call('console/getSignInDomains', {}, signal),
    readRightsPlaces(signal),
    readPasskeys(signal),
  ]);
  const { isConfirmed } = passkeys;
  return { ...saml, ...oidc, domains, places, isConfirmed, hasPasskey: canUseOne(passkeys) };
}

/** Words between commas and spaces. */
export function wordsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '');
}
