/** Fields that rows of several kinds have. */

import { MAX_TIME_MS } from '../../core/max-time.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext, RowProblem } from '../../ingest/ingest-kind.ts';
import type { ReportName } from '../../store/crossing.ts';
import { int64, text } from '../fields/field-types.ts';

/** The limit of the store (event.ts). */
export const MAX_ROW_ID_LENGTH = 128;

export function rowId(description: string) {
  return text(
    `${description} A row whose id is already known counts as a duplicate and changes nothing.`,
    MAX_ROW_ID_LENGTH,
  );
}

export function timeMs(description: string) {
  return int64(`${description} Epoch milliseconds.`, 0, MAX_TIME_MS);
}

/** The organization's cameras, including doorbells. Removed cameras still have a past to report. */
export async function cameraUuidsOf({ orgUuid, store }: IngestContext): Promise<ReadonlySet<Ruuid>> {
  return new Set((await store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
}

export async function locationUuidsOf({ orgUuid, store }: IngestContext): Promise<ReadonlySet<Ruuid>> {
  return new Set((await store.locations.list(orgUuid)).map(({ uuid }) => uuid));
}

/** The device under which a row of a camera's facet is stored. */
export function reportName({
  id,
  deviceUuid,
}: {
  readonly id: string;
  readonly deviceUuid: string;
}): ReportName {
  const { uuid, facet } = parseDeviceFacetUuid(deviceUuid)!;
  return { id, deviceUuid: uuid, facet };
}

export function nameText({ id, deviceUuid, facet }: ReportName): string {
  return `${deviceUuid}.${facet} ${id}`;
}

export function unknownReference(field: string, thing: string): RowProblem {
  return { field, reason: `${field} must be ${thing} of the organization.` };
}
