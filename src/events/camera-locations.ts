/** The locations of cameras, for events whose reports do not contain one. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';

/** By camera, including removed ones, which still have a past to report. null: not known. */
export async function cameraLocations(
  { cameras }: Pick<Store, 'cameras'>,
  orgUuid: Ruuid,
): Promise<ReadonlyMap<Ruuid, Ruuid | null>> {
  const records = await cameras.listRecords(orgUuid);
  return new Map(records.map(({ uuid, locationUuid }) => [uuid, locationUuid]));
}
