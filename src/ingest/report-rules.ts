/**
 * Rules for the rows of a kind of report: the part of a kind that its room knows. Rows already fit their schema.
 */

import { firstDifference } from '../core/first-difference.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import type { ReportName } from '../store/crossing.ts';
import type { EventKind, StoredEvent } from '../store/event.ts';
import type { ReportOutcome } from '../store/report-records.ts';
import type { IngestContext, RowProblem, StoredRows } from './ingest-kind.ts';
import { type ReportStorage, roomProblems, trimHistory } from './stored-reports.ts';

export interface ReportRules<Row extends object> {
  /** Where the rows are stored, which bounds how many there can be. */
  readonly storage: ReportStorage<Row>;
  /** Checks rows against the organization's data: one result per row. Default: no problems. */
  problemsOf?(context: IngestContext, rows: readonly Row[]): Promise<readonly (RowProblem | null)[]>;
  /**
   * Needed if `store` returns only the number of new rows: one result per row, the record that is stored under its id, as a row;
   * null if nothing is stored. Fields that the row itself does not have are not compared.
   */
  known?(context: IngestContext, rows: readonly Row[]): Promise<readonly (object | null)[]>;
  /** The reason of a conflict in this field; absent: that it differs from the stored record. */
  readonly conflictReasons?: Readonly<Record<string, string>>;
  /**
   * Stores at most 1,000 rows, which have only known fields. Resolves with the outcome of each or, if known rows change
   * nothing, with how many were new.
   */
  store(context: IngestContext, rows: readonly Row[]): Promise<number | readonly ReportOutcome[]>;
}

/** The problem of each row, by the rules of its kind, then by the organization's limits. */
export async function reportProblems<Row extends object>(
  rules: ReportRules<Row>,
  context: IngestContext,
  rows: readonly Row[],
): Promise<(RowProblem | null)[]> {
  const problems = (await rules.problemsOf?.(context, rows)) ?? [];
  const sound = rows.filter((_, index) => (problems[index] ?? null) === null);
  const ofRoom = (await roomProblems(rules.storage, context, sound)).values();
  return rows.map((_, index) => problems[index] ?? ofRoom.next().value ?? null);
}

/** Stores rows that passed all checks, and says how each differs from the stored record. */
export async function storeReports<Row extends object>(
  rules: ReportRules<Row>,
  context: IngestContext,
  rows: readonly Row[],
): Promise<StoredRows> {
  const conflictIn = (field: string | null): RowProblem | null => {
    if (field === null) return null;
    const reason = rules.conflictReasons?.[field];
    return {
      field,
      reason: reason ?? `${field} differs from what is stored under this id. The stored row does not change.`,
    };
  };
  const stored = await rules.store(context, rows);
  await trimHistory(rules.storage, context);
  if (typeof stored !== 'number') {
    return {
      acceptedCount: stored.filter(({ isAccepted }) => isAccepted).length,
      conflicts: stored.map(({ kept }) => conflictIn(kept)),
      updates: stored.map(({ changed }) => updateOf(changed)),
    };
  }
  if (stored === rows.length) return { acceptedCount: stored, conflicts: [], updates: [] };
  // New rows are stored as reported, so checking all rows finds no differences in them.
  const known = (await rules.known?.(context, rows)) ?? [];
  const conflicts = rows.map((row, index) => {
    const before = known[index] ?? null;
    return before === null ? null : conflictIn(firstDifference(row, before));
  });
  return { acceptedCount: stored, conflicts, updates: [] };
}

function updateOf(field: string | null): RowProblem | null {
  return field === null ? null : { field, reason: `${field} changed what was stored under this id.` };
}

/** The organization's cameras, including doorbells. Removed cameras still have a past to report. */
export async function cameraUuidsOf({ orgUuid, store }: IngestContext): Promise<ReadonlySet<Ruuid>> {
  return new Set((await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
}

export async function locationUuidsOf({ orgUuid, store }: IngestContext): Promise<ReadonlySet<Ruuid>> {
  return new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
}

/** The problems of rows that can name a location, if nothing else has to be checked. */
export async function placeProblems(
  context: IngestContext,
  rows: readonly { readonly locationUuid?: Ruuid }[],
): Promise<(RowProblem | null)[]> {
  const locations = await locationUuidsOf(context);
  return rows.map((row) => placeProblem(row, locations));
}

export function placeProblem(
  { locationUuid }: { readonly locationUuid?: Ruuid },
  locations: ReadonlySet<Ruuid>,
): RowProblem | null {
  if (locationUuid === undefined || locations.has(locationUuid)) return null;
  return unknownReference('locationUuid', 'a location');
}

export function unknownReference(field: string, thing: string): RowProblem {
  return { field, reason: `${field} must be ${thing} of the organization.` };
}

/** The records that are stored under the ids of event rows; null if there is none. `toRow`: the event as a row of its kind. */
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

/** A row of a device's facet. */
export interface FacetRow {
  /** Unique among the rows of the device and facet. */
  readonly id: string;
  /** With or without a facet. */
  readonly deviceUuid: string;
  readonly timestampMs: number;
}

/** The device under which a row of a device's facet is stored. */
export function reportName({ id, deviceUuid }: Pick<FacetRow, 'id' | 'deviceUuid'>): ReportName {
  const { uuid, facet } = parseDeviceFacetUuid(deviceUuid)!;
  return { id, deviceUuid: uuid, facet };
}

/** The records that are stored under the names of rows; null if there is none. `toRow`: the stored record as a row of its kind. */
export function knownReports<Row extends FacetRow, Report extends ReportName>(
  found: readonly Report[],
  rows: readonly Row[],
  toRow: (report: Report, row: Row) => object,
): (object | null)[] {
  const byName = new Map(found.map((report) => [nameText(report), report]));
  return rows.map((row) => {
    const report = byName.get(nameText(reportName(row)));
    return report === undefined ? null : toRow(report, row);
  });
}

function nameText({ id, deviceUuid, facet }: ReportName): string {
  return `${deviceUuid}.${facet} ${id}`;
}
