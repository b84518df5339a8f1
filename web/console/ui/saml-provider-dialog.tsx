/** Adds a SAML provider, or changes one: its metadata, its domains, and who has which role. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import {
  type MetadataExtras,
  metadataOf,
  type SamlProvider,
  type SamlSettings,
  settingsOf,
} from '../saml-providers.ts';
import { wordsOf } from '../sign-in-setup.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { RoleRules, withRules } from './role-rules.tsx';
import { SelectField } from './select.tsx';
import { TextAreaField } from './text-area-field.tsx';

const MAX_METADATA = 1_048_576;
const MAX_CERTIFICATE = 16_384;
const MAX_CLOCK_SKEW_SEC = 300;
const NO_EXTRAS: MetadataExtras = { pinnedCertificate: '', entityId: '' };
const SIGNED_OPTIONS = [
  { value: 'EITHER', title: t('The response or the assertion') },
  { value: 'ASSERTION', title: t('The assertion') },
  { value: 'RESPONSE', title: t('The response') },
  { value: 'BOTH', title: t('Both') },
] as const;

export function SamlProviderDialog({
  provider,
  onChanged,
  onClose,
}: {
  /** null: a new one. */
  readonly provider: SamlProvider | null;
  readonly onChanged: (providerUuid: string) => void;
  readonly onClose: () => void;
}) {
  const [label, setLabel] = useState(provider?.label ?? '');
  const [metadata, setMetadata] = useState(provider?.metadataUrl ?? '');
  const [domains, setDomains] = useState(provider?.domains.join(', ') ?? '');
  const [settings, setSettings] = useState(() => settingsOf(provider));
  const change = (changes: Partial<SamlSettings>) => setSettings({ ...settings, ...changes });
  const [extras, setExtras] = useState(NO_EXTRAS);
  const isPinned = provider?.isMetadataPinned === true;
  const isSame =
    metadata.trim() === (provider?.metadataUrl ?? '') &&
    Object.values(extras).every((text) => text.trim() === '');
  const isReady = label.trim() !== '' && wordsOf(domains).length > 0 && (provider !== null || !isSame);
  const submit = async () => {
    const wanted = { ...settings, domains: wordsOf(domains) };
    if (provider === null) {
      const { samlProvider } = await call('console/addSamlProvider', {
        label: label.trim(),
        metadata: metadataOf(metadata, extras),
        settings: wanted,
      });
      onChanged(samlProvider.providerUuid);
      return;
    }
    const { providerUuid } = provider;
    await call('console/updateSamlProvider', {
      providerUuid,
      label: label.trim(),
      settings: wanted,
      ...(isSame ? {} : { metadata: metadataOf(metadata, extras) }),
    });
    onChanged(providerUuid);
  };
  return (
    <FormDialog
      title={provider === null ? t('Add a SAML provider') : t('Change {label}', { label: provider.label })}
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
      <TextAreaField
        label={t('Metadata of the provider: their address, or the XML itself')}
        maxLength={MAX_METADATA}
        value={metadata}
        onValue={setMetadata}
      />
      <TextField
        label={t('Domains')}
        isRequired
        hint={t('Such as example.com. People with these email addresses are led to the provider.')}
        value={domains}
        onValue={setDomains}
      />
      <RoleRules
        attributeLabel={t('Attribute with the groups')}
        attribute={settings.roleAttribute ?? ''}
        onAttribute={(roleAttribute) => change({ roleAttribute })}
        rules={settings}
        onRules={(rules) => setSettings(withRules(settings, rules))}
      />
      <details>
        <summary>{t('What must be signed, and more')}</summary>
        <TextAreaField
          label={t('Certificate that must have signed the metadata')}
          hint={
            isPinned
              ? t('One is set. If you change the metadata, paste it again: empty, they need no signature.')
              : t('In PEM, as the provider publishes it. Empty: they need no signature.')
          }
          maxLength={MAX_CERTIFICATE}
          value={extras.pinnedCertificate}
          onValue={(pinnedCertificate) => setExtras({ ...extras, pinnedCertificate })}
        />
        <TextField
          label={t('Entity ID of the provider')}
          hint={t('Only if the metadata have several providers.')}
          value={extras.entityId}
          onValue={(entityId) => setExtras({ ...extras, entityId })}
        />
        <ClockSkew sec={settings.clockSkewSec} onSec={(clockSkewSec) => change({ clockSkewSec })} />
        <SelectField
          label={t('The provider must sign')}
          value={settings.signed}
          options={SIGNED_OPTIONS}
          onValue={(signed) => change({ signed })}
        />
        <Check
          label={t('Assertions must be encrypted')}
          isChecked={settings.requiresEncryption}
          onCheck={(requiresEncryption) => change({ requiresEncryption })}
        />
        <Check
          label={t('The provider can begin a sign-in')}
          hint={t('Off: every sign-in begins at this console, which is safer.')}
          isChecked={settings.allowsUnsolicited}
          onCheck={(allowsUnsolicited) => change({ allowsUnsolicited })}
        />
        <TextField
          label={t('Attribute with the email address')}
          hint={t('Empty: the NameID is the email address.')}
          value={settings.emailAttribute ?? ''}
          onValue={(emailAttribute) => change({ emailAttribute })}
        />
        <TextField
          label={t('Attribute with the name')}
          value={settings.nameAttribute ?? ''}
          onValue={(nameAttribute) => change({ nameAttribute })}
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

/** How far the clocks of both may differ. */
function ClockSkew({ sec, onSec }: { readonly sec: number; readonly onSec: (sec: number) => void }) {
  return (
    <div class="field">
      <label for="clock-skew">{t('How far the clocks may differ, in seconds')}</label>
      <input
        id="clock-skew"
        type="number"
        min={0}
        max={MAX_CLOCK_SKEW_SEC}
        required
        value={sec}
        onInput={({ currentTarget }) => onSec(currentTarget.valueAsNumber || 0)}
      />
    </div>
  );
}
