/** Which value that a sign-in provider sends gives which role, and at which sites. */

import { ROLE_OPTIONS } from '../person-list.ts';
import type { SamlSettings } from '../saml-providers.ts';
import type { Role } from '../session.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { RightsField } from './rights-field.tsx';
import { SelectField } from './select.tsx';

const NOBODY = 'none';

/** Of a provider of either protocol. */
export type RoleRulesDraft = Pick<SamlSettings, 'roleRules' | 'defaultRole' | 'defaultScope'>;

/** The settings with these rules in place of their own. */
export function withRules<Settings extends RoleRulesDraft>(settings: Settings, rules: RoleRulesDraft) {
  const { roleRules: _, defaultRole: __, defaultScope: ___, ...rest } = settings;
  const { roleRules, defaultRole, defaultScope } = rules;
  return {
    ...rest,
    roleRules,
    ...(defaultRole === undefined ? {} : { defaultRole }),
    ...(defaultScope === undefined ? {} : { defaultScope }),
  };
}

export function RoleRules({
  attributeLabel,
  attribute,
  onAttribute,
  rules: draft,
  onRules,
}: {
  readonly attributeLabel: string;
  readonly attribute: string;
  readonly onAttribute: (attribute: string) => void;
  readonly rules: RoleRulesDraft;
  readonly onRules: (rules: RoleRulesDraft) => void;
}) {
  const { roleRules: rules, defaultRole, defaultScope } = draft;
  const setRules = (roleRules: RoleRulesDraft['roleRules']) => onRules({ ...draft, roleRules });
  const set = (at: number, next: (typeof rules)[number]) =>
    setRules(rules.map((rule, index) => (index === at ? next : rule)));
  const others = [{ value: NOBODY, title: t('They stay out') }, ...ROLE_OPTIONS] as const;
  return (
    <fieldset class="role-rules">
      <legend>{t('Who has which role')}</legend>
      <TextField label={attributeLabel} value={attribute} onValue={onAttribute} />
      {rules.map((rule, at) => (
        <div key={at} class="role-rule">
          <TextField
            label={t('Value {number}', { number: at + 1 })}
            isRequired
            value={rule.value}
            onValue={(value) => set(at, { ...rule, value })}
          />
          <SelectField
            label={t('Role {number}', { number: at + 1 })}
            value={rule.role}
            options={ROLE_OPTIONS}
            onValue={(role) => set(at, role === 'admin' ? { value: rule.value, role } : { ...rule, role })}
          />
          {rule.role !== 'admin' && (
            <details>
              <summary>{t('Sites and cameras')}</summary>
              <RightsField
                role={rule.role}
                scope={rule.scope}
                onScope={(scope) => {
                  const { scope: _, ...rest } = rule;
                  set(at, scope === undefined ? rest : { ...rest, scope });
                }}
              />
            </details>
          )}
          <button
            type="button"
            class="quiet danger"
            onClick={() => setRules(rules.filter((_, index) => index !== at))}
          >
            {t('Remove rule {number}', { number: at + 1 })}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => setRules([...rules, { value: '', role: 'viewer' }])}>
        {t('Add a rule')}
      </button>
      <SelectField
        label={t('Everyone else')}
        value={(defaultRole ?? NOBODY) as Role | typeof NOBODY}
        options={others}
        onValue={(role) => onRules({ roleRules: rules, ...(role === NOBODY ? {} : { defaultRole: role }) })}
      />
      {defaultRole !== undefined && defaultRole !== 'admin' && (
        <details>
          <summary>{t('Sites and cameras of everyone else')}</summary>
          <RightsField
            role={defaultRole}
            scope={defaultScope}
            onScope={(scope) =>
              onRules({
                roleRules: rules,
                defaultRole,
                ...(scope === undefined ? {} : { defaultScope: scope }),
              })
            }
          />
        </details>
      )}
    </fieldset>
  );
}
