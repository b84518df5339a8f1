/** Stores what devices and integrations report about records that may already be known. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Resource, ResourceRepository } from './resource.ts';

/** The outcome of one report. */
export interface ReportOutcome {
  /** Whether it counts as stored now. If not, it is a duplicate: its record was known. */
  readonly isAccepted: boolean;
  /** The first field that kept its stored value although the report has another one; null: none. */
  readonly kept: string | null;
  /** The first field whose stored value the report changed; null: none. */
  readonly changed: string | null;
}

/** The record after a report. */
export interface TakenReport<Body extends object> extends ReportOutcome {
  readonly record: Resource<Body>;
}

/**
 * Stores at most 1,000 reports, each on top of the record known by then, in one transaction like `changeAll`. `take` can run
 * several times for a report. Resolves with one outcome per report, in their order.
 */
export async function reportRecords<Report, Body extends object>(
  repository: ResourceRepository<Body>,
  orgUuid: Ruuid,
  reports: readonly Report[],
  uuidOf: (report: Report) => Ruuid,
  take: (known: Resource<Body> | null, report: Report) => TakenReport<Body>,
): Promise<ReportOutcome[]> {
  const places = Map.groupBy(reports.keys(), (place) => uuidOf(reports[place]!));
  const outcomes: ReportOutcome[] = new Array(reports.length);
  await repository.changeAll(orgUuid, [...places.keys()], (known, uuid) => {
    let record = known;
    for (const place of places.get(uuid)!) {
      const { record: next, isAccepted, kept, changed } = take(record, reports[place]!);
      outcomes[place] = { isAccepted, kept, changed };
      record = next;
    }
    return record === known || record === null ? 'unchanged' : record;
  });
  return outcomes;
}
