/** Revocations of access as rows. */

import type { Revocation } from '../door-list.ts';
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
      label="Revoked access"
      items={revocations}
      keyOf={({ uuid }) => uuid}
      columns={[
        { title: 'Name', cell: ({ name }) => name },
        { title: 'Of', cell: (one) => whose(one) },
        { title: 'Location', cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: 'Doors',
          cell: ({ accessControlledDoorUuids = [] }) => doorsText(accessControlledDoorUuids),
        },
        { title: 'Reported', cell: ({ updatedAtMillis }) => <TimeAgo epochMs={updatedAtMillis} /> },
      ]}
    />
  );
}

function whose({ groupUuids = [], userUuids = [] }: Revocation): string {
  const groups = groupUuids.length === 1 ? '1 group' : `${groupUuids.length} groups`;
  const users = userUuids.length === 1 ? '1 person' : `${userUuids.length} people`;
  return [...(groupUuids.length === 0 ? [] : [groups]), ...(userUuids.length === 0 ? [] : [users])].join(
    ', ',
  );
}

function doorsText(uuids: readonly string[]): string {
  if (uuids.length === 0) return '';
  return uuids.length === 1 ? '1 door' : `${uuids.length} doors`;
}
