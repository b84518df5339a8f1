/** Elevator landings as rows. */

import { accessStateText, type Landing } from '../door-list.ts';
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
      label="Elevator landings"
      items={landings}
      keyOf={({ uuid }) => uuid}
      columns={[
        { title: 'Name', cell: ({ name, uuid }) => name ?? `Landing ${uuid.slice(0, 6)}` },
        {
          title: 'State',
          cell: ({ state }) => (state === undefined ? 'Not reported' : accessStateText(state)),
        },
        { title: 'Location', cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        {
          title: 'Floor',
          cell: ({ floorNumber }) => (floorNumber === undefined ? null : `Floor ${floorNumber}`),
        },
        { title: 'Labels', cell: ({ labels }) => labels.join(', ') },
      ]}
    />
  );
}
