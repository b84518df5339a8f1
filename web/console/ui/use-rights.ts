/** The role, and the sites and cameras, that a form gives to someone. */

import { useState } from 'preact/hooks';
import { isEmptyScope, type Scope } from '../rights.ts';
import type { Role } from '../session.ts';

export interface RightsForm {
  readonly role: Role;
  readonly scope: Scope;
  readonly setRole: (role: Role) => void;
  readonly setScope: (scope: Scope) => void;
  /** What counts: administrators see everything. */
  readonly limits: Scope;
  /** False: it would see nothing. */
  readonly isReady: boolean;
}

export function useRights(before: { readonly role?: Role; readonly scope?: Scope } = {}): RightsForm {
  const [role, setRole] = useState<Role>(before.role ?? 'viewer');
  const [scope, setScope] = useState<Scope>(before.scope);
  const limits = role === 'admin' ? undefined : scope;
  return { role, scope, setRole, setScope, limits, isReady: !isEmptyScope(limits) };
}
