/** An OpenID Connect provider of the organization: what to give it, and what it gave us. */

import type { ComponentChildren } from 'preact';
import type { OidcProvider } from '../oidc-providers.ts';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { Facts } from './facts.tsx';

export function OidcProviderPart({
  provider: { providerUuid, label, isEnabled, domains, issuer, clientId, ...own },
  proofs,
  edit,
  remove,
}: {
  readonly provider: OidcProvider;
  readonly proofs: ComponentChildren;
  readonly edit: () => void;
  readonly remove: () => void;
}) {
  const id = `provider-${providerUuid}`;
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      {!isEnabled && <p class="hint">{t('Turned off: no one can sign in there.')}</p>}
      {proofs}
      <h3>{t('Give this to the provider')}</h3>
      <CopyField label={t('Redirect address')} value={own.ownCallbackUrl} />
      <CopyField label={t('Address after signing out')} value={own.ownSignedOutUrl} />
      <CopyField label={t('Back-channel logout')} value={own.ownLogoutUrl} />
      <h3>{t('What the provider gave us')}</h3>
      <Facts
        facts={[
          [t('Domains'), domains.join(', ')],
          [t('Issuer'), <span class="break">{issuer}</span>],
          [t('Client ID'), <span class="break">{clientId}</span>],
        ]}
      />
      <div class="buttons">
        <button type="button" onClick={edit}>
          {t('Change')}
        </button>
        <button type="button" class="danger" onClick={remove}>
          {t('Remove')}
        </button>
      </div>
    </section>
  );
}
