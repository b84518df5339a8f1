/**
 * The records that reports leave in the store, and their bounds (docs/design/limits.md#stored). In a history, the organization's
 * own oldest rows make room. Configured records are never removed, so rows that would add one are refused.
 */

import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type ResourceKindName, resourceKind } from '../store/resource.ts';
import type { UseBound } from '../store/stored-use.ts';
import type { IngestContext, RowProblem } from './ingest-kind.ts';

/** Rows that one statement removes; more would delay everyone else's statements. */
const ROWS_PER_REMOVAL = 500;
/** After a batch of at most 1,000 rows. The hourly sweep removes the rest of what another version left. */
const REMOVALS_PER_BATCH = 8;

/** Limits of history. */
export type HistoryLimit = 'crossings' | 'events' | 'occupancyCounts';

const HISTORIES = {
  crossings: ({ store }) => store.crossings,
  events: ({ store }) => store.events,
  occupancyCounts: ({ store }) => store.occupancy,
} as const satisfies Readonly<Record<HistoryLimit, (context: IngestContext) => object>>;

/** Limits of records: their kinds of resource are bounded by rows and bytes. */
export type RecordLimit =
  | 'accessRevocations'
  | 'credentials'
  | 'deviceReports'
  | 'doors'
  | 'elevatorLandings'
  | 'licenses'
  | 'proximityTags'
  | 'savedClips';

/** Where the rows of a kind of report are stored. */
export type ReportStorage<Row> =
  | { readonly history: HistoryLimit }
  | {
      readonly records: RecordLimit;
      readonly kind: ResourceKindName;
      /** The record that a row adds or changes. */
      uuidOf(row: Row, orgUuid: Ruuid): Ruuid;
    };

/** Refuses rows that would add a record to a full organization, and all rows while their bytes are too many. */
export async function roomProblems<Row>(
  storage: ReportStorage<Row>,
  context: IngestContext,
  rows: readonly Row[],
): Promise<(RowProblem | null)[]> {
  if ('history' in storage) return [];
  const { orgUuid, store } = context;
  const bound = boundOf(storage.records);
  const use = await store.use.of(orgUuid, storage.kind);
  if (use.bytes >= bound.bytes) return rows.map(() => fullProblem(storage.records, 'bytes'));
  if (use.rows + rows.length <= bound.rows) return [];
  const repository = store.resources.of(resourceKind(storage.kind));
  const added = new Set<Ruuid>();
  const problems: (RowProblem | null)[] = [];
  for (const row of rows) {
    const uuid = storage.uuidOf(row, orgUuid);
    const isKnown = added.has(uuid) || (await repository.find(orgUuid, uuid)) !== null;
    const hasRoom = isKnown || use.rows + added.size < bound.rows;
    if (!isKnown && hasRoom) added.add(uuid);
    problems.push(hasRoom ? null : fullProblem(storage.records, 'rows'));
  }
  return problems;
}

/** Removes rows beyond the bound after rows were added. */
export async function trimHistory<Row>(storage: ReportStorage<Row>, context: IngestContext): Promise<void> {
  if (!('history' in storage)) return;
  const bound = boundOf(storage.history);
  const repository = HISTORIES[storage.history](context);
  for (let removal = 0; removal < REMOVALS_PER_BATCH; removal++) {
    if ((await repository.removeExcess(context.orgUuid, bound, ROWS_PER_REMOVAL)) === 0) return;
  }
}

/** The bound of an organization. */
export function boundOf(limit: RecordLimit | HistoryLimit): UseBound {
  return { rows: LIMITS[limit].perOrganization, bytes: LIMITS[limit].bytesPerOrganization };
}

function fullProblem(limit: RecordLimit, measure: 'rows' | 'bytes'): RowProblem {
  const { what, perOrganization, bytesPerOrganization } = LIMITS[limit];
  const most =
    measure === 'rows'
      ? `${perOrganization.toLocaleString('en')} ${what}`
      : `${(bytesPerOrganization / 1_048_576).toLocaleString('en')} MiB of ${what}`;
  return { field: '', reason: `The organization has reached its limit of ${most} (\`${limit}\`).` };
}
