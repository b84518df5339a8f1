/** What a test of a SAML provider brought: the person that the provider named, or why that was refused. */

import { ROLE_NAMES } from '../person-list.ts';
import type { RightsPlaces } from '../rights.ts';
import { scopeText } from '../rights.ts';
import type { SamlReport } from '../saml-providers.ts';
import { t } from '../words.ts';
import { Facts } from './facts.tsx';
import { ssoFaultText } from './sso-entry.tsx';
import { TimeAgo } from './time.tsx';

export function SamlTestReport({
  report: { testedAtMs, code, reason, person },
  places,
}: {
  readonly report: SamlReport;
  readonly places: RightsPlaces;
}) {
  return (
    <div class="saml-report" role="status">
      <h3>{code === undefined ? t('The test worked') : t('The test failed')}</h3>
      {code !== undefined && <p>{ssoFaultText(code)}</p>}
      {reason !== '' && <p class="hint break">{t('In detail: {reason}.', { reason })}</p>}
      <Facts
        facts={[
          [t('Arrived'), <TimeAgo epochMs={testedAtMs} />],
          [t('NameID'), person?.nameId ?? null],
          [t('Email'), person === undefined ? null : (person.email ?? t('None arrived'))],
          [t('Name'), person?.name ?? null],
          [t('Encrypted'), person === undefined ? null : person.isEncrypted ? t('Yes') : t('No')],
          [t('Role'), person?.role === undefined ? null : ROLE_NAMES[person.role]],
          [t('Sees'), person?.role === undefined ? null : scopeText(person.scope, places)],
          ...(person?.attributes ?? []).map(({ name, values }) => [name, values.join(', ')] as const),
        ]}
      />
    </div>
  );
}
