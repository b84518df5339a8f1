/** The cameras of a location. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { invalidField } from '../../http/request-body.ts';

/** Those that were not removed. Fails INVALID_FIELD, with the name of the field, for an unknown location. */
export async function camerasAt(
  { orgUuid, services }: CallContext,
  locationUuid: string,
  field: string,
): Promise<Ruuid[]> {
  const locations = await services.locations.list(orgUuid);
  if (!locations.some(({ uuid }) => uuid === locationUuid)) {
    throw invalidField(`There is no location with this ${field}.`);
  }
  const states = await services.deviceStates.cameras(orgUuid, { includeMummified: false });
  const cameras = (await states.toArray()).map(({ camera }) => camera);
  return cameras.filter((camera) => camera.locationUuid === locationUuid).map(({ uuid }) => uuid);
}
