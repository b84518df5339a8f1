/** Domains of a sign-in provider that wait for their proof: what to publish, and a button that looks for it. */

import { call } from '../api.ts';
import type { SignInDomain } from '../sign-in-setup.ts';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { FormError } from './form-error.tsx';
import { Notice } from './notice.tsx';
import { useAction } from './use-action.ts';

export function DomainProofs({
  domains,
  refresh,
}: {
  readonly domains: readonly SignInDomain[];
  readonly refresh: () => void;
}) {
  return (
    <>
      {domains.map((each) =>
        each.isWorking ? null : <WaitingDomain key={each.domain} domain={each} refresh={refresh} />,
      )}
    </>
  );
}

function WaitingDomain({
  domain: { domain, recordName, recordText },
  refresh,
}: {
  readonly domain: SignInDomain;
  readonly refresh: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const check = () => call('console/checkSignInDomain', { domain }).then(refresh);
  return (
    <Notice title={t('Show that {domain} is yours', { domain })}>
      <p>
        {t(
          'Until then, no one with such an address can sign in there. Add a TXT record where you manage the domain, then check. We also look for it every 10 minutes.',
        )}
      </p>
      <CopyField label={t('Name of the TXT record')} value={recordName} />
      <CopyField label={t('Text of the TXT record')} value={recordText} />
      <FormError error={error} />
      <div class="buttons">
        <button type="button" disabled={isBusy} onClick={() => void run(check)}>
          {t('Check now')}
        </button>
      </div>
    </Notice>
  );
}
