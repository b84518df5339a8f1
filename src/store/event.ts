/**
 * Events: what devices and integrations reported, each once, never changed afterwards, read by time. The reporter
 * names each event, so that a report that is sent again adds nothing. Crossings and occupancy have tables of their own
 * (crossing.ts).
 */

import type { Ruuid } from '../core/ruuid.ts';

export type EventKind = 'componentEvent' | 'deviceHealth' | 'policyAlert' | 'posEvent';

export interface StoredEvent {
  readonly orgUuid: Ruuid;
  readonly kind: EventKind;
  /** As the reporter named it; unique within organisation and kind. At most 128 characters. */
  readonly id: string;
  readonly deviceUuid: Ruuid;
  /** Where it happened, for queries by location. */
  readonly locationUuid?: Ruuid;
  /** Epoch milliseconds at which it happened. */
  readonly atMs: number;
  /** Must survive JSON. */
  readonly body: object;
}

/** Where a page begins: behind this event in the order of the query. */
export interface EventMark {
  readonly atMs: number;
  readonly id: string;
}

export interface EventQuery {
  readonly kind: EventKind;
  /** Only those of this device. */
  readonly deviceUuid?: Ruuid;
  /** Only those of one of these devices. */
  readonly deviceUuids?: readonly Ruuid[];
  /** Only those at one of these locations. */
  readonly locationUuids?: readonly Ruuid[];
  /** Half-open: `fromMs` belongs to it, `toMs` does not. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly after: EventMark | null;
  readonly limit: number;
}

export interface EventRepository {
  /** Adds those that are not known yet, all in one transaction; at most 1,000. Resolves with how many were new. */
  add(events: readonly StoredEvent[]): Promise<number>;
  /** The same, resolving with those that were new. */
  addNew(events: readonly StoredEvent[]): Promise<StoredEvent[]>;
  /** Told of new events after their commit. Returns the function that ends it. Listeners must not throw. */
  onAdded(listener: (events: readonly StoredEvent[]) => void): () => void;
  find(orgUuid: Ruuid, kind: EventKind, id: string): Promise<StoredEvent | null>;
  page(orgUuid: Ruuid, query: EventQuery): Promise<StoredEvent[]>;
  count(orgUuid: Ruuid, query: Pick<EventQuery, 'kind' | 'deviceUuid' | 'fromMs' | 'toMs'>): Promise<number>;
}
