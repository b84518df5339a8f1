/**
 * Events: what devices and integrations reported, each once, read by time. Only the body of an event can be changed
 * later, such as when an alert is saved. The reporter gives each event an id, so a report that is sent again adds
 * nothing. Crossings and occupancy have their own tables (crossing.ts).
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { UseBound } from './stored-use.ts';

export const EVENT_KINDS = ['componentEvent', 'deviceHealth', 'policyAlert', 'posEvent'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Kinds whose events trigger something, besides being read. */
export const EFFECTIVE_EVENT_KINDS: ReadonlySet<EventKind> = new Set([
  'componentEvent',
  'deviceHealth',
  'policyAlert',
]);

export interface StoredEvent {
  readonly orgUuid: Ruuid;
  readonly kind: EventKind;
  /** The reporter's id for it; unique within organization and kind. At most 128 characters. */
  readonly id: string;
  readonly deviceUuid: Ruuid;
  /** Where it happened, for queries by location. */
  readonly locationUuid?: Ruuid;
  /** Epoch milliseconds at which it happened. */
  readonly atMs: number;
  /** Must survive JSON. */
  readonly body: object;
  /** The credential that reported it. Absent: not known. Not read back. */
  readonly reporterUuid?: Ruuid;
  /** Absent: it has not been acknowledged. */
  readonly acknowledgement?: Acknowledgement;
  /** Absent: no one has taken it. */
  readonly taking?: Taking;
}

/** The acknowledgement of an alert. The first one holds. */
export interface Acknowledgement {
  readonly atMs: number;
  readonly actorUuid: Ruuid;
  readonly actorName: string;
  /** Empty: none. */
  readonly note: string;
}

/** Who looks after an alert that is not acknowledged yet. The first one holds. */
export interface Taking {
  readonly atMs: number;
  readonly actorUuid: Ruuid;
  readonly actorName: string;
}

/** Where a page begins: after this event, in the order of the query. */
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
  /** Half-open: `fromMs` is inclusive, `toMs` exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only those that have not been acknowledged. */
  readonly isOpen?: boolean;
  readonly order: 'oldest-first' | 'newest-first';
  readonly after: EventMark | null;
  readonly limit: number;
}

/** `limit`: it stops counting there. Default: none. */
export interface EventCount extends Pick<EventQuery, 'kind' | 'deviceUuid' | 'fromMs' | 'toMs' | 'isOpen'> {
  readonly limit?: number;
}

/** The one of several gateways that makes events take effect, and how long the others leave them alone. */
export interface ClaimTime {
  /** UUID of one run of a process. */
  readonly owner: Ruuid;
  readonly ttlMs: number;
}

export interface EventRepository {
  /**
   * Adds those that are not known yet, in one transaction; at most 1,000. Alerts and component events are announced as changes.
   * Resolves with how many were new.
   */
  add(events: readonly StoredEvent[]): Promise<number>;
  /** The same, resolving with those that were new. */
  addNew(events: readonly StoredEvent[]): Promise<StoredEvent[]>;
  /** Notified of new events after their commit. Returns the function that ends it. Listeners must not throw. */
  onAdded(listener: (events: readonly StoredEvent[]) => void): () => void;
  /**
   * Makes new events of EFFECTIVE_EVENT_KINDS unfinished from their commit until `finish`, no matter what happens to the process.
   * `listener` is notified after the commit, and must not throw. Returns the function that ends it.
   */
  follow(listener: () => void): () => void;
  /** Every organization's unfinished events, the oldest first. */
  unfinished(limit: number): Promise<StoredEvent[]>;
  /**
   * Unfinished events of one organization, the oldest first, claimed in the same statement: those that no other gateway has
   * claimed, or whose claim has expired by the database's clock. Alone with its database, a gateway claims nothing. `served`: the
   * organization that had the last turn; the next one in the order of their UUIDs has this one. Default: the first. Within an
   * organization, the credentials that reported the events take turns in the same way.
   */
  claimUnfinished(limit: number, claim: ClaimTime, served?: Ruuid | null): Promise<StoredEvent[]>;
  /** Extends the claims. False: one has expired, and another gateway has it. */
  keepClaims(events: readonly StoredEvent[], claim: ClaimTime): Promise<boolean>;
  /** Leaves what the owner has claimed to others. */
  releaseClaims(owner: Ruuid): Promise<void>;
  /** All in one transaction; at most 1,000. Events that another gateway has claimed in the meantime stay unfinished. */
  finish(events: readonly StoredEvent[], owner: Ruuid): Promise<void>;
  find(orgUuid: Ruuid, kind: EventKind, id: string): Promise<StoredEvent | null>;
  /** Those of the ids that exist, at most 1,000, in no particular order. */
  findAll(orgUuid: Ruuid, kind: EventKind, ids: readonly string[]): Promise<StoredEvent[]>;
  page(orgUuid: Ruuid, query: EventQuery): Promise<StoredEvent[]>;
  /**
   * Replaces only the body of a known event. An alert with other footage than `event` has is announced as a change. Resolves with
   * whether there is such an event.
   */
  amend(event: StoredEvent, body: object): Promise<boolean>;
  /**
   * Acknowledges the event if its acknowledgement is still `before` (null: none), or reopens it (`after` null), and announces that as
   * a change of `alertAcknowledgement`. Resolves with whether it did.
   */
  acknowledge(
    event: StoredEvent,
    before: Acknowledgement | null,
    after: Acknowledgement | null,
  ): Promise<boolean>;
  /** The same for who has taken the event, announced as a change of `alertTaking`. `after` null: they release it. */
  take(event: StoredEvent, before: Taking | null, after: Taking | null): Promise<boolean>;
  /** Removes the oldest events from before `beforeMs`, at most `limit`. Resolves with how many. Does not notify. */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  /**
   * Removes events beyond the organization's bound, at most `limit`: the oldest of the credential that reported most of them.
   * Resolves with how many; 0: the rest is within the bound. Does not notify.
   */
  removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number>;
  count(orgUuid: Ruuid, query: EventCount): Promise<number>;
}
