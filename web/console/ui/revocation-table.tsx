/** Revocations of access as rows. */

import type { Revocation } from '../door-list.ts';
import { t } from '../words.ts';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

export function RevocationTable({
  revocations,
  locationNames,
}: {
  readonly revocations: readonly Revocation[];
  readonly locationNames: ReadonlyMap<string, string>;
}) {
  return (
    <RecordTable
      name="revocations"
      label={t('Revoked access')}
      items={revocations}
      keyOf={({ uuid }) => uuid}
      columns={[
        { title: t('Name'), cell: ({ name }) => name },
        { title: t('Of'), cell: (one) => whose(one) },
        { title: t('Site'), cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: t('Doors'),
          cell: ({ accessControlledDoorUuids = [] }) => doorsText(accessControlledDoorUuids),
        },
        { title: t('Reported'), cell: ({ updatedAtMillis }) => <TimeAgo epochMs={updatedAtMillis} /> },
      ]}
    />
  );
}

function whose({ groupUuids = [], userUuids = [] }: Revocation): string {
  const groups = t('{count, plural, one {# group} other {# groups}}', { count: groupUuids.length });
  const users = t('{count, plural, one {# person} other {# people}}', { count: userUuids.length });
  return [...(groupUuids.length === 0 ? [] : [groups]), ...(userUuids.length === 0 ? [] : [users])].join(
    ', ',
  );
}

function doorsText(uuids: readonly string[]): string {
  if (uuids.length === 0) return '';
  return t('{count, plural, one {# door} other {# doors}}', { count: uuids.length });
}
