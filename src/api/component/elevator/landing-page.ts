/** Pages of elevator landings, for three endpoints. */

import type { Landing } from '../../../access-control/landing.ts';
import type { Ruuid } from '../../../core/ruuid.ts';
import type { CallContext } from '../../../http/endpoint.ts';
import { creationPage, type PageRequest } from '../../types/creation-page.ts';

export interface LandingPageRequest extends PageRequest {
  readonly locationUuid?: Ruuid;
}

/** `list` names the list in its keys. Fails INVALID_FIELD for a key of another list, LOCATION_NOT_FOUND. */
export async function landingPage(
  { orgUuid, services }: CallContext,
  list: string,
  { locationUuid, ...page }: LandingPageRequest,
): Promise<{ landings: readonly Landing[]; lastEvaluatedKey: string | null }> {
  if (locationUuid !== undefined) await services.devices.requireLocation(orgUuid, locationUuid);
  const place = locationUuid === undefined ? {} : { parentUuid: locationUuid };
  const { items, lastEvaluatedKey } = await creationPage(list, page, (query) =>
    services.accessControl.elevatorLandings.page(orgUuid, { ...place, ...query }),
  );
  return { landings: items, lastEvaluatedKey };
}
