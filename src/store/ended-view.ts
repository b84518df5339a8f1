/** Views that an organization ended, and addresses that it blocks from a link, as they are stored. */

import type { Ruuid } from '../core/ruuid.ts';

export interface EndedViewRecord {
  readonly orgUuid: Ruuid;
  readonly linkUuid: Ruuid;
  readonly kind: 'viewer' | 'address';
  /** The viewer's ID, or the address. */
  readonly subject: string;
  readonly untilMs: number;
}

export interface EndedViewRepository {
  /** All or none; replaces earlier ends. Vital: it ends access. Removes records that were over before `nowMs`. */
  put(records: readonly EndedViewRecord[], nowMs: number): Promise<void>;
  remove(record: Omit<EndedViewRecord, 'untilMs'>): Promise<void>;
  /** Records of one link that are not over; without `linkUuid`, of all organizations. */
  list(nowMs: number, linkUuid?: Ruuid): Promise<EndedViewRecord[]>;
}
