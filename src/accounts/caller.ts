/**
 * The caller: an API key, an application or a page with the rights of one, or a person who signed in to the console. Their credential is
 * one of a closed list, so code that needs a key must handle callers without one.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from '../store/access-scope.ts';
import type { ApiKey, ApiKeyScheme } from '../store/entities.ts';
import type { OAuthGrant } from '../store/oauth.ts';
import type { ConsoleSession, Person, Role } from '../store/person.ts';
import { limitedRole } from './limited-rights.ts';

export type CallerPrincipal =
  | { readonly kind: 'key'; readonly key: ApiKey }
  /** `key`: granted the access token. */
  | { readonly kind: 'application'; readonly key: ApiKey; readonly grant: OAuthGrant }
  /** `key`: created the federated session. */
  | { readonly kind: 'page'; readonly key: ApiKey; readonly sessionUuid: Ruuid }
  | { readonly kind: 'person'; readonly person: Person; readonly session: ConsoleSession };

/** The acting key or person, for records. */
export interface Actor {
  readonly uuid: Ruuid;
  readonly name: string;
  /** The organization that they belong to; a partner's key can act for another. */
  readonly orgUuid: Ruuid;
}

export interface Caller {
  readonly principal: CallerPrincipal;
  readonly actor: Actor;
  /** The caller's rights (docs/design/people.md#roles). */
  readonly role: Role;
  /** The sites and cameras to which the rights are limited; null: the whole organization. */
  readonly scope: AccessScope | null;
  /** The scheme that the caller can act as: the key's, unless its grant is only for one client organization. */
  readonly scheme: ApiKeyScheme;
  /** The organization whose data the caller reads and changes. */
  readonly orgUuid: Ruuid;
  /** Set if the caller is a page that can read only this one device. */
  readonly onlyDevice: Ruuid | null;
}

/** `limits`: values that the principal's own key or person does not contain. */
export function callerOf(
  principal: CallerPrincipal,
  limits: Partial<Pick<Caller, 'scheme' | 'orgUuid' | 'onlyDevice'>> = {},
): Caller {
  const isPerson = principal.kind === 'person';
  const { uuid, name, orgUuid, role, scope } = isPerson ? principal.person : principal.key;
  const scheme = isPerson ? 'api' : principal.key.scheme;
  return {
    principal,
    actor: { uuid, name, orgUuid },
    role: limitedRole(role, scope),
    scope,
    scheme,
    orgUuid,
    onlyDevice: null,
    ...limits,
  };
}

/** The key whose rights the caller has; null: a person, who has their own. */
export function keyOf({ principal }: Pick<Caller, 'principal'>): ApiKey | null {
  return principal.kind === 'person' ? null : principal.key;
}

/** The person with whom an API key ends that the caller creates; null: none. */
export function creatorOf({ principal, orgUuid }: Pick<Caller, 'principal' | 'orgUuid'>): Ruuid | null {
  if (principal.kind === 'person') return principal.person.uuid;
  return principal.key.orgUuid === orgUuid ? principal.key.createdByUuid : null;
}

/** The credential that the caller presented. Each has its share of its organization's limits. */
export function credentialOf({ principal }: Pick<Caller, 'principal'>): Ruuid {
  switch (principal.kind) {
    case 'key':
      return principal.key.uuid;
    case 'application':
      return principal.grant.uuid;
    case 'page':
      return principal.sessionUuid;
    case 'person':
      return principal.session.uuid;
  }
}

/** The grant of an application's access token; null: the caller has none. */
export function grantOf({ principal }: Pick<Caller, 'principal'>): OAuthGrant | null {
  return principal.kind === 'application' ? principal.grant : null;
}
