/** Adds an OpenID Connect provider, or changes one: how to reach it, its domains, and who has which role. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { type OidcProvider, type OidcSettings, settingsOf } from '../oidc-providers.ts';
import { wordsOf } from '../sign-in-setup.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { RoleRules, withRules } from './role-rules.tsx';

export function OidcProviderDialog({
  provider,
  onChanged,
  onClose,
}: {
  /** null: a new one. */
  readonly provider: OidcProvider | null;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const [label, setLabel] = useState(provider?.label ?? '');
  const [issuer, setIssuer] = useState(provider?.issuer ?? '');
  const [clientId, setClientId] = useState(provider?.clientId ?? '');
  const [clientSecret, setClientSecret] = useState('');
  const [domains, setDomains] = useState(provider?.domains.join(', ') ?? '');
  const [settings, setSettings] = useState<OidcSettings>(settingsOf(provider));
  const [scopes, setScopes] = useState(settings.scopes.join(' '));
  const change = (changes: Partial<OidcSettings>) => setSettings({ ...settings, ...changes });
  const needsSecret = provider === null || issuer.trim() !== provider.issuer;
  const isReady =
    [label, issuer, clientId, ...(needsSecret ? [clientSecret] : [])].every((text) => text.trim() !== '') &&
    wordsOf(domains).length > 0;
  const submit = async () => {
    const common = {
      label: label.trim(),
      issuer: issuer.trim(),
      clientId: clientId.trim(),
      settings: { ...settings, domains: wordsOf(domains), scopes: wordsOf(scopes) },
    };
    const secret = clientSecret.trim();
    if (provider === null) await call('console/addOidcProvider', { ...common, clientSecret: secret });
    else {
      const { providerUuid } = provider;
      const changed = secret === '' ? {} : { clientSecret: secret };
      await call('console/updateOidcProvider', { providerUuid, ...common, ...changed });
    }
    onChanged();
  };
  return (
    <FormDialog
      title={
        provider === null
          ? t('Add an OpenID Connect provider')
          : t('Change {label}', { label: provider.label })
      }
      submit={provider === null ? t('Add provider') : t('Save')}
      isReady={isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('Name on the button')}
        isRequired
        maxLength={100}
        value={label}
        onValue={setLabel}
      />
      <TextField
        label={t('Issuer')}
        type="url"
        isRequired
        maxLength={1_024}
        hint={t('The https address of the provider, such as https://login.example.com.')}
        value={issuer}
        onValue={setIssuer}
      />
      <TextField label={t('Client ID')} isRequired maxLength={256} value={clientId} onValue={setClientId} />
      <TextField
        label={t('Client secret')}
        type="password"
        autocomplete="off"
        isRequired={needsSecret}
        maxLength={1_024}
        {...(needsSecret ? {} : { hint: t('One is set. Leave this empty to keep it.') })}
        value={clientSecret}
        onValue={setClientSecret}
      />
      <TextField
        label={t('Domains')}
        isRequired
        hint={t('Such as example.com. People with these email addresses are led to the provider.')}
        value={domains}
        onValue={setDomains}
      />
      <RoleRules
        attributeLabel={t('Claim with the groups')}
        attribute={settings.roleClaim ?? ''}
        onAttribute={(roleClaim) => change({ roleClaim })}
        rules={settings}
        onRules={(rules) => setSettings(withRules(settings, rules))}
      />
      <details>
        <summary>{t('What is requested, and more')}</summary>
        <TextField
          label={t('Scopes')}
          hint={t('What to ask the provider for, besides openid.')}
          value={scopes}
          onValue={setScopes}
        />
        <Check
          label={t('Trust email addresses that are not marked as verified')}
          hint={t('Only if people cannot choose their own address there. Entra ID marks none.')}
          isChecked={settings.acceptsUnverifiedEmail}
          onCheck={(acceptsUnverifiedEmail) => change({ acceptsUnverifiedEmail })}
        />
      </details>
      <Check
        label={t('People can sign in there')}
        isChecked={settings.isEnabled}
        onCheck={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}
