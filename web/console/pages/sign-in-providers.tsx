/** Single sign-on: the providers of the organization, what to give them, whether they work, and the gateway's own provider. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { dayTimeFormat } from '../../words/formats.ts';
import { call } from '../api.ts';
import type { OidcProvider } from '../oidc-providers.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import type { RightsPlaces } from '../rights.ts';
import type { SamlCertificate, SamlProvider } from '../saml-providers.ts';
import { session } from '../session.ts';
import { readSignInSetup, type SignInSetup } from '../sign-in-setup.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { CopyField } from '../ui/copy-field.tsx';
import { DomainProofs } from '../ui/domain-proofs.tsx';
import { Facts } from '../ui/facts.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { OidcPart } from '../ui/oidc-part.tsx';
import { OidcProviderDialog } from '../ui/oidc-provider-dialog.tsx';
import { OidcProviderPart } from '../ui/oidc-provider-part.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SamlProviderDialog } from '../ui/saml-provider-dialog.tsx';
import { SamlTestReport } from '../ui/saml-test-report.tsx';
import { ssoFaultText } from '../ui/sso-entry.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

type Opened =
  | { readonly kind: 'add' | 'add-oidc' | 'renew' | 'finish' }
  | { readonly kind: 'edit' | 'remove'; readonly provider: SamlProvider }
  | { readonly kind: 'edit-oidc' | 'remove-oidc'; readonly provider: OidcProvider };

export function SignInProvidersPage() {
  usePageTitle(t('Single sign-on'));
  const reading = useReading(readSignInSetup, [], ({ entity }) => entity === 'PEOPLE');
  const [opened, setOpened] = useState<Opened | null>(null);
  const { query } = useLocation();
  return (
    <>
      <div class="section-head">
        <h1>{t('Single sign-on')}</h1>
        <span class="section-deeds">
          <a class="button" href={place('people')}>
            {t('People')}
          </a>
          <button type="button" class="primary" onClick={() => setOpened({ kind: 'add' })}>
            <Icon name="plus" /> {t('Add a SAML provider')}
          </button>
          <button type="button" onClick={() => setOpened({ kind: 'add-oidc' })}>
            <Icon name="plus" /> {t('Add an OpenID Connect provider')}
          </button>
        </span>
      </div>
      <ReadingView reading={reading} what={t('sign-in providers')}>
        {(setup) => (
          <>
            {setup.samlProviders.length + setup.oidcProviders.length === 0 && (
              <Notice title={t('There is no sign-in provider')}>
                <p>
                  {t(
                    'With a provider, such as Entra ID, Okta, or Keycloak, they sign in with the account of their company, and their groups decide what they may do.',
                  )}
                </p>
              </Notice>
            )}
            {setup.oidcProviders.map((provider) => (
              <OidcProviderPart
                key={provider.providerUuid}
                provider={provider}
                proofs={<DomainProofs domains={domainsOf(setup, provider)} refresh={reading.refresh} />}
                edit={() => setOpened({ kind: 'edit-oidc', provider })}
                remove={() => setOpened({ kind: 'remove-oidc', provider })}
              />
            ))}
            {setup.samlProviders.map((provider) => (
              <ProviderPart
                key={provider.providerUuid}
                provider={provider}
                places={setup.places}
                proofs={<DomainProofs domains={domainsOf(setup, provider)} refresh={reading.refresh} />}
                isTested={query.tested === provider.providerUuid}
                open={setOpened}
                refresh={reading.refresh}
              />
            ))}
            <OwnKeys certificates={setup.ownCertificates} open={setOpened} />
            {opened !== null && (
              <SetupDialog
                opened={opened}
                setup={setup}
                refresh={reading.refresh}
                close={() => setOpened(null)}
              />
            )}
          </>
        )}
      </ReadingView>
      <OidcPart />
    </>
  );
}

function ProviderPart({
  provider,
  places,
  proofs,
  isTested,
  open,
  refresh,
}: {
  readonly provider: SamlProvider;
  readonly places: RightsPlaces;
  readonly proofs: ComponentChildren;
  /** The test has just led back here. */
  readonly isTested: boolean;
  readonly open: (opened: Opened) => void;
  readonly refresh: () => void;
}) {
  const { providerUuid, label, isEnabled, domains, metadataFault, metadataUrl } = provider;
  const { isBusy, error, run } = useAction();
  const id = `provider-${providerUuid}`;
  const test = async () => {
    const { testUrl } = await call('console/beginSamlTest', { providerUuid });
    location.assign(testUrl);
  };
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      {!isEnabled && <p class="hint">{t('Turned off: no one can sign in there.')}</p>}
      {proofs}
      {isTested && <LastTest providerUuid={providerUuid} places={places} />}
      <h3>{t('Give this to the provider')}</h3>
      <CopyField label={t('Entity ID, and the address of our metadata')} value={provider.ownEntityId} />
      <CopyField label={t('Assertion consumer service (ACS)')} value={provider.ownAcsUrl} />
      <CopyField label={t('Single logout')} value={provider.ownLogoutUrl} />
      <h3>{t('What the provider gave us')}</h3>
      <Facts
        facts={[
          [t('Domains'), domains.join(', ')],
          [t('Entity ID'), <span class="break">{provider.entityId}</span>],
          [t('Metadata'), metadataUrl === undefined ? t('Pasted') : <span class="break">{metadataUrl}</span>],
          [t('Read'), <TimeAgo epochMs={provider.metadataReadAtMs} />],
          [t('Signature of the metadata'), provider.isMetadataPinned ? t('Checked by a certificate') : null],
          [t('Last problem'), metadataFault === undefined ? null : ssoFaultText(metadataFault)],
          ...provider.certificates.map(certificateFact),
        ]}
      />
      <FormError error={error} />
      <div class="buttons">
        <button type="button" class="primary" disabled={isBusy || !isEnabled} onClick={() => void run(test)}>
          {t('Test sign-in')}
        </button>
        <button type="button" onClick={() => open({ kind: 'edit', provider })}>
          {t('Change')}
        </button>
        {metadataUrl !== undefined && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              void run(() =>
                call('console/refreshSamlProvider', { providerUuid }).then(refresh, failed(refresh)),
              )
            }
          >
            {t('Read metadata again')}
          </button>
        )}
        <button type="button" class="danger" onClick={() => open({ kind: 'remove', provider })}>
          {t('Remove')}
        </button>
      </div>
    </section>
  );
}

function domainsOf({ domains }: SignInSetup, { providerUuid }: { readonly providerUuid: string }) {
  return domains.filter((each) => each.providerUuid === providerUuid);
}

/** The list shows the failure too. */
function failed(refresh: () => void) {
  return (thrown: unknown): never => {
    refresh();
    throw thrown;
  };
}

function certificateFact({ fingerprint, validUntilMs }: SamlCertificate) {
  return [
    t('Certificate until {date}', { date: dayTimeFormat('date').format(validUntilMs) }),
    <span class="break">
      <code>{fingerprint}</code>
    </span>,
  ] as const;
}

function LastTest({
  providerUuid,
  places,
}: {
  readonly providerUuid: string;
  readonly places: RightsPlaces;
}) {
  const reading = useReading(
    (signal) => call('console/getSamlTestReport', { providerUuid }, signal),
    [providerUuid],
    () => false,
  );
  return (
    <ReadingView reading={reading} what={t('the test')}>
      {({ report }) => (report === undefined ? null : <SamlTestReport report={report} places={places} />)}
    </ReadingView>
  );
}

function OwnKeys({
  certificates,
  open,
}: {
  readonly certificates: readonly SamlCertificate[];
  readonly open: (opened: Opened) => void;
}) {
  if (certificates.length === 0) return null;
  const isRenewing = certificates.length > 1;
  return (
    <section class="part" aria-labelledby="own-keys">
      <h2 id="own-keys">{t('Our key')}</h2>
      <p>
        {isRenewing
          ? t(
              'There is a new key. Give the new metadata to each provider, then finish. Until then, both keys are accepted.',
            )
          : t('It signs our requests, and providers encrypt with it. Its certificate is in our metadata.')}
      </p>
      <Facts facts={certificates.map(certificateFact)} />
      <div class="buttons">
        <button type="button" onClick={() => open({ kind: isRenewing ? 'finish' : 'renew' })}>
          {isRenewing ? t('Finish the renewal') : t('Renew the key')}
        </button>
      </div>
    </section>
  );
}

function SetupDialog({
  opened,
  setup,
  refresh,
  close,
}: {
  readonly opened: Opened;
  readonly setup: SignInSetup;
  readonly refresh: () => void;
  readonly close: () => void;
}) {
  const done = () => {
    refresh();
    close();
  };
  const person = session.value?.person;
  if (!setup.isConfirmed && person !== undefined) {
    const { hasPasskey } = setup;
    return <ConfirmDialog person={person} hasPasskey={hasPasskey} onConfirmed={refresh} onClose={close} />;
  }
  if (opened.kind === 'add') return <SamlProviderDialog provider={null} onChanged={done} onClose={close} />;
  if (opened.kind === 'edit') {
    return <SamlProviderDialog provider={opened.provider} onChanged={done} onClose={close} />;
  }
  if (opened.kind === 'add-oidc' || opened.kind === 'edit-oidc') {
    const provider = opened.kind === 'edit-oidc' ? opened.provider : null;
    return <OidcProviderDialog provider={provider} onChanged={done} onClose={close} />;
  }
  if (opened.kind === 'remove' || opened.kind === 'remove-oidc') {
    const { label, providerUuid } = opened.provider;
    const operation = opened.kind === 'remove' ? 'console/deleteSamlProvider' : 'console/deleteOidcProvider';
    return (
      <FormDialog
        title={t('Remove {label}?', { label })}
        submit={t('Remove provider')}
        isDanger
        onSubmit={() => call(operation, { providerUuid }).then(done)}
        onClose={close}
      >
        <p>{t('Everyone who signed in there is signed out. They stay in the list of people.')}</p>
      </FormDialog>
    );
  }
  const isRenewal = opened.kind === 'renew';
  return (
    <FormDialog
      title={isRenewal ? t('Renew the key?') : t('Finish the renewal?')}
      submit={isRenewal ? t('Make a new key') : t('Finish')}
      onSubmit={() =>
        (isRenewal ? call('console/renewSamlKey') : call('console/finishSamlKeyRenewal')).then(done)
      }
      onClose={close}
    >
      <p>
        {isRenewal
          ? t('Sign-ins continue as before. Afterwards, give our metadata to each provider again.')
          : t(
              'From now on, only the new key counts. Providers that do not have it can no longer sign people in.',
            )}
      </p>
    </FormDialog>
  );
}
