/** The states of doors and elevator landings, and who set them (docs/spec/conventions.md#access-states). */

import type { Ruuid } from '../../core/ruuid.ts';

export const ACCESS_STATES = ['UNLOCKED', 'ACCESS_CONTROLLED'] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

export type OriginatorType =
  | 'USER'
  | 'SUPPORT_AUTHORITY'
  | 'API_TOKEN'
  | 'RULE'
  | 'COMPONENT_COMPOSITE_EVENT'
  | 'UNKNOWN';

/** The requester of a state. */
export interface Originator {
  readonly type?: OriginatorType;
  /** The user, key or rule that requested it. */
  readonly grantedToInternalEntityUuid?: Ruuid;
  readonly grantedToName?: string;
  readonly supportAuthorityUuid?: Ruuid;
  readonly supportUserEmail?: string;
  readonly supportUsername?: string;
}

interface StateRequest {
  readonly originator?: Originator;
  /** Epoch milliseconds. */
  readonly requestedAtMillis?: number;
}

/** Whether someone must still come in first. */
export interface FirstInState extends StateRequest {
  readonly state?: 'REQUIRED' | 'SATISFIED';
}

/** A state that overrides the schedule of a door or a landing. */
export interface AccessStateOverride extends StateRequest {
  readonly type?: 'DOOR_STATE_OVERRIDE' | 'CANCELLED_DOOR_STATE_OVERRIDE';
  readonly state?: AccessState;
  /** Epoch milliseconds; absent if it does not end. */
  readonly expiresAtMillis?: number;
}
