/** How much an organization has stored of what it can add without bound (0033-stored-use.ts). */

import type { Ruuid } from '../core/ruuid.ts';
import type { ResourceKindName } from './resource.ts';

/** The counted kinds: events of all kinds together, resources by their kind. */
export type CountedKind = 'event' | 'crossing' | 'occupancyCount' | ResourceKindName;

export interface StoredUse {
  readonly rows: number;
  /** About: with what indexes take. */
  readonly bytes: number;
}

/** How much there can be of a kind. */
export interface UseBound {
  readonly rows: number;
  readonly bytes: number;
}

export interface StoredUseRepository {
  /** As of the last commit, exact, no matter which process added and removed rows. */
  of(orgUuid: Ruuid, kind: CountedKind): Promise<StoredUse>;
  /** Bytes of all kinds, by organization. */
  bytesByOrganization(): Promise<ReadonlyMap<Ruuid, number>>;
}

/** Whether anything has to go. */
export function isBeyond(use: StoredUse, bound: UseBound): boolean {
  return use.rows > bound.rows || use.bytes > bound.bytes;
}
