/** Proximity tags: wearables whose closeness is noticed. The name is the resource's. */

import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';

export interface ProximityTagBody {
  /** As the reporter named it: unique within the organisation, not beyond. */
  readonly tagUuid: Ruuid;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly policyUuid: Ruuid | null;
}

export const PROXIMITY_TAGS: ResourceKind<ProximityTagBody> = resourceKind('proximityTag');
export type ProximityTag = Resource<ProximityTagBody>;

/** Reporters choose the UUIDs of tags, so two organisations may choose the same. */
export function proximityTagUuid(orgUuid: Ruuid, tagUuid: Ruuid): Ruuid {
  return deriveRuuid('proximity tag', `${orgUuid}\0${tagUuid}`);
}
