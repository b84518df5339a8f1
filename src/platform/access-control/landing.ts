/** The access controlled elevator landing and its state, as reported and stored. */

import type { Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';
import type { AccessState, AccessStateOverride, FirstInState, Originator } from './access-state.ts';

export type FirstInSource =
  | 'CONFIG_MANUAL_OVERRIDE'
  | 'CONFIG_REQUIREMENT_CHANGE'
  | 'CONFIG_MEMBERSHIP'
  | 'SCHEDULED_RESET'
  | 'LOCAL_BADGE_EVENT'
  | 'LOCKDOWN'
  | 'UNKNOWN';

export type AccessStateSource =
  | 'DEFAULT_STATE'
  | 'SCHEDULE'
  | 'SCHEDULE_EXCEPTION'
  | 'FIRST_IN'
  | 'DOOR_STATE_OVERRIDE'
  | 'LOCKDOWN'
  | 'PRIVACY'
  | 'UNKNOWN';

/** The owner device's report about a landing. */
export interface LandingFields {
  readonly name?: string;
  readonly floorNumber?: number;
  readonly policyUuid?: Ruuid;
  readonly remoteUnlockEnabled?: boolean;
  readonly geofenceEnabled?: boolean;
  /** Meters. */
  readonly geofenceRadius?: number;
  /** With their facets. */
  readonly associatedCameras?: readonly string[];
  readonly associatedFaceDetectionCameras?: readonly string[];
  readonly defaultAccessState?: AccessState;
  /** The schedule during which the landing is in a state, by state. */
  readonly accessStateToScheduleUuidMap?: Readonly<Record<string, Ruuid>>;
  readonly accessStateOverride?: AccessStateOverride;
  readonly accessScheduleFirstInStateOverride?: FirstInState;
  readonly authFirstInStateOverride?: FirstInState;
}

export interface FirstInShadow {
  readonly originator?: Originator;
  readonly source?: FirstInSource;
  readonly state?: 'DISABLED' | 'NOT_CONFIGURED' | 'REQUIRED' | 'SATISFIED' | 'UNKNOWN';
  readonly stateUpdateEventTimestampMs?: number;
}

export interface AccessStateShadow {
  readonly source?: AccessStateSource;
  readonly state?: AccessState;
  readonly stateUpdateEventTimestampMs?: number;
}

/** The owner device's report about a landing's state. */
export interface LandingShadowFields {
  readonly authFirstIn?: FirstInShadow;
  readonly scheduleFirstIn?: FirstInShadow;
  readonly state?: AccessStateShadow;
}

/** The name is the resource's, and the location its parent: landings are looked up by it. */
export interface LandingBody extends Omit<LandingFields, 'name'> {
  readonly ownerDeviceUuid: Ruuid;
  readonly labels: readonly string[];
  /** null: no state has been reported yet. */
  readonly shadow:
    | (LandingShadowFields & { readonly createdAtMs: number; readonly updatedAtMs: number })
    | null;
}

export const LANDINGS: ResourceKind<LandingBody> = resourceKind('elevatorLanding');
export type Landing = Resource<LandingBody>;
