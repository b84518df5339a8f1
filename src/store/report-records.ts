/** Takes in what devices and integrations report about records that may be known already. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Resource, ResourceRepository } from './resource.ts';

/** What became of one report. */
export interface ReportOutcome {
  /** Whether it counts as stored now. If not, it is a duplicate: its record was known. */
  readonly isAccepted: boolean;
  /** The first field that stayed as it is stored although the report has another value; null: none. */
  readonly kept: string | null;
  /** The first field whose stored value the report changed; null: none. */
  readonly changed: string | null;
}

/** The record as a report leaves it. */
export interface TakenReport<Body extends object> extends ReportOutcome {
  readonly record: Resource<Body>;
}

/**
 * Takes in at most 1,000 reports, each on top of what is known by then, in one transaction as `changeAll` does.
 * `take` may run several times for a report. Resolves with one outcome per report, in their order.
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
