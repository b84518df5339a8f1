/** Rules of sign-in providers about roles, as callers send and read them. */

import { type Static, type TSchema, Type } from 'typebox';
import { listOf, nullable, plainText, text } from '../../http/fields/field-types.ts';
import type { AccessRules } from '../../oidc/access-rules.ts';
import { SHOWN_SCOPE, scopeResponse, WANTED_SCOPE, wantedScope } from '../types/access-scope-fields.ts';
import { PERSON_ROLE } from './console-types.ts';

const MAX_RULES = 100;
export const MAX_ATTRIBUTE_CHARS = 256;

/** Fields of a rule in a request. */
export const WANTED_RULE = {
  value: text('A value of the attribute.', MAX_ATTRIBUTE_CHARS),
  role: PERSON_ROLE,
  scope: WANTED_SCOPE,
} as const;

/** Fields of a rule in a response. */
export const SHOWN_RULE = {
  value: plainText('A value of the attribute.'),
  role: PERSON_ROLE,
  scope: SHOWN_SCOPE,
} as const;

/** `rule`: a named type with WANTED_RULE. */
export function wantedRules<Rule extends TSchema>(rule: Rule) {
  return {
    roleRules: listOf(
      rule,
      'Who has which role. Of several, the highest role counts, with the sites and cameras of all its rules.',
      MAX_RULES,
    ),
    defaultRole: Type.Optional(PERSON_ROLE),
    defaultScope: WANTED_SCOPE,
  } as const;
}

/** `rule`: a named type with SHOWN_RULE. */
export function shownRules<Rule extends TSchema>(rule: Rule) {
  return {
    roleRules: listOf(rule, 'Who has which role.'),
    defaultRole: nullable(PERSON_ROLE),
    defaultScope: SHOWN_SCOPE,
  } as const;
}

const WANTED = Type.Object(wantedRules(Type.Object(WANTED_RULE)));

/** `attribute`: empty or absent: none. */
export function accessRulesOf(
  attribute: string | undefined,
  { roleRules, defaultRole, defaultScope }: Static<typeof WANTED>,
): AccessRules {
  return {
    attribute: attribute || null,
    rules: roleRules.map(({ value, role, scope }) => ({ value, role, scope: wantedScope(scope) })),
    defaultAccess: defaultRole === undefined ? null : { role: defaultRole, scope: wantedScope(defaultScope) },
  };
}

export function rulesResponse({ rules, defaultAccess }: AccessRules) {
  return {
    roleRules: rules.map(({ value, role, scope }) => ({ value, role, scope: scopeResponse(scope) })),
    defaultRole: defaultAccess?.role ?? null,
    defaultScope: scopeResponse(defaultAccess?.scope ?? null),
  };
}
