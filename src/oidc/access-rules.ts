/** Which role and which sites a person has by the attributes that the provider sends. Pure. */

import { type AccessScope, scopeKey } from '../store/access-scope.ts';
import { ROLES, type Role } from '../store/person.ts';

export interface GrantedAccess {
  readonly role: Role;
  /** null: the whole organization. Never with the role `admin`. */
  readonly scope: AccessScope | null;
}

/** Anyone with this value of the attribute has the access. */
export interface AccessRule extends GrantedAccess {
  readonly value: string;
}

export interface AccessRules {
  /** The name of the attribute; null: there are no rules. */
  readonly attribute: string | null;
  readonly rules: readonly AccessRule[];
  /** For those whom no rule names; null: they stay out. */
  readonly defaultAccess: GrantedAccess | null;
}

/**
 * The highest role that a value has, with the sites and cameras of all its rules together; a rule without limits has no limits. null: the
 * person stays out.
 */
export function accessOf(
  attributes: ReadonlyMap<string, readonly string[]>,
  { attribute, rules, defaultAccess }: AccessRules,
): GrantedAccess | null {
  const values = new Set(attribute === null ? [] : (attributes.get(attribute) ?? []));
  const matching = rules.filter(({ value }) => values.has(value));
  const role = ROLES.toReversed().find((each) => matching.some((rule) => rule.role === each));
  if (role === undefined) return defaultAccess;
  const scopes = matching.filter((rule) => rule.role === role).map(({ scope }) => scope);
  return { role, scope: scopes.some((scope) => scope === null) ? null : joined(scopes as AccessScope[]) };
}

function joined(scopes: readonly AccessScope[]): AccessScope {
  return {
    locationUuids: [...new Set(scopes.flatMap(({ locationUuids }) => locationUuids))],
    cameraUuids: [...new Set(scopes.flatMap(({ cameraUuids }) => cameraUuids))],
  };
}

/** Whether two grants are the same. */
export function isSameAccess(one: GrantedAccess, other: GrantedAccess): boolean {
  return one.role === other.role && scopeKey(one.scope) === scopeKey(other.scope);
}
