/** The settings of the sign-in provider. Plain data: it crosses to the API's thread. */

import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import type { Role } from '../store/person.ts';

export interface OidcSettings {
  /** As configured. What providers call themselves can end with a slash: compare with `isSameIssuer`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Revealed: never logged. */
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Lower case; empty: invitations or roles alone decide. */
  readonly allowedDomains: readonly string[];
  /** null: the role is the invitation's. */
  readonly roles: RoleMapping | null;
  /** The label of the button. */
  readonly label: string;
  /** Whether an email address counts of which the provider says nothing about having verified it. Default: no. */
  readonly acceptsUnverifiedEmail?: boolean;
}

export interface RoleMapping {
  readonly claim: string;
  readonly values: Readonly<Record<Role, readonly string[]>>;
}

/** Whether two names of an issuer differ in nothing but a slash at the end, which is easily lost or added in a setting. */
export function isSameIssuer(one: string, other: string): boolean {
  return withoutTrailingSlashes(one) === withoutTrailingSlashes(other);
}

/** Whether an email address is of an allowed domain. No domain allows another one below it. */
export function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
