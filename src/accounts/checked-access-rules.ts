/** The rules of a sign-in provider about roles, as an admin wants them. */

import type { Ruuid } from '../core/ruuid.ts';
import type { AccessRules, GrantedAccess } from '../oidc/access-rules.ts';
import type { Store } from '../store/store.ts';
import { checkedScope, expectLimitable } from './limited-rights.ts';

/** With sites and cameras of the organization alone. Fails ACCESS_SCOPE_UNKNOWN, ACCESS_SCOPE_OF_ADMIN. */
export async function checkedAccessRules(
  store: Pick<Store, 'locations' | 'cameras'>,
  orgUuid: Ruuid,
  { attribute, rules, defaultAccess }: AccessRules,
): Promise<AccessRules> {
  const checked = async <T extends GrantedAccess>(granted: T): Promise<T> => {
    expectLimitable(granted.role, granted.scope);
    return { ...granted, scope: await checkedScope(store, orgUuid, granted.scope) };
  };
  return {
    attribute,
    rules: await Promise.all(rules.map(checked)),
    defaultAccess: defaultAccess === null ? null : await checked(defaultAccess),
  };
}
