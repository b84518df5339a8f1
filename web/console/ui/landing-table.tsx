/** Elevator landings as rows. */

import { accessStateText, type Landing } from '../door-list.ts';
import { t } from '../words.ts';
import { RecordTable } from './record-table.tsx';

export function LandingTable({
  landings,
  locationNames,
}: {
  readonly landings: readonly Landing[];
  readonly locationNames: ReadonlyMap<string, string>;
}) {
  return (
    <RecordTable
      name="landings"
      label={t('Elevator landings')}
      items={landings}
      keyOf={({ uuid }) => uuid}
      states={{ states: [], of: stateOf }}
      columns={[
        {
          title: t('Name'),
          cell: ({ name, uuid }) => name ?? t('Landing {uuid}', { uuid: uuid.slice(0, 6) }),
        },
        {
          title: t('State'),
          cell: stateOf,
        },
        { title: t('Site'), cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: t('Floor'),
          cell: ({ floorNumber }) =>
            floorNumber === undefined ? null : t('Floor {floorNumber}', { floorNumber }),
        },
        { title: t('Labels'), cell: ({ labels }) => labels.join(', ') },
      ]}
    />
  );
}

function stateOf({ state }: Landing): string {
  return state === undefined ? t('Not reported') : accessStateText(state);
}
