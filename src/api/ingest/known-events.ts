/** What is stored under the ids of event rows. */

import type { IngestContext } from '../../ingest/ingest-kind.ts';
import type { EventKind, StoredEvent } from '../../store/event.ts';

/** One result per row; null if nothing is stored. `toRow`: the event as a row of its kind. */
export async function knownEvents<Row extends object>(
  { orgUuid, store }: IngestContext,
  kind: EventKind,
  rows: readonly Row[],
  idOf: (row: Row) => string,
  toRow: (event: StoredEvent, row: Row) => object,
): Promise<(object | null)[]> {
  const events = await store.events.findAll(orgUuid, kind, rows.map(idOf));
  const byId = new Map(events.map((event) => [event.id, event]));
  return rows.map((row) => {
    const event = byId.get(idOf(row));
    return event === undefined ? null : toRow(event, row);
  });
}
