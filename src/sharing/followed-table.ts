/**
 * The rows of one repository in memory, kept up to date by the store's change events. The newest event of a row wins,
 * whatever the order in which reads complete.
 */

import { type Clock, pause } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ChangeEvent } from '../store/store.ts';

/** The part of a repository that is followed. */
export interface FollowedRepository<Entity> {
  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Entity | null>;
  listEverywhere(): Promise<Entity[]>;
}

export interface FollowedTableOptions<Entity extends { readonly uuid: Ruuid }, Row> {
  readonly repository: FollowedRepository<Entity>;
  /** The row to store for an entity. */
  readonly rowOf: (entity: Entity) => Row;
  /** A row was put, replaced or removed. Not called by `load`. */
  readonly onRow: (uuid: Ruuid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const READ_RETRY_MS = 250;
/** A row that cannot be read this many times is forgotten until it can: an old rule must not stay in force. */
const READS_BEFORE_FORGETTING = 4;

export class FollowedTable<Entity extends { readonly uuid: Ruuid }, Row> {
  readonly #options: FollowedTableOptions<Entity, Row>;
  readonly #rows = new Map<Ruuid, Row>();
  /** The read that may set a row, for rows that are being read. */
  readonly #reads = new Map<Ruuid, symbol>();
  /** First attempts of reads. */
  readonly #attempts = new Set<Promise<void>>();
  /** Rows that changed while all were being listed: the list is older. null if not listing. */
  #changedWhileListing: Set<Ruuid> | null = null;
  #isClosed = false;

  constructor(options: FollowedTableOptions<Entity, Row>) {
    this.#options = options;
  }

  get(uuid: Ruuid): Row | undefined {
    return this.#rows.get(uuid);
  }

  uuids(): Iterable<Ruuid> {
    return this.#rows.keys();
  }

  rows(): Iterable<Row> {
    return this.#rows.values();
  }

  /** Resolves when everything that has changed so far was read, or could not be. */
  async settled(): Promise<void> {
    if (this.#attempts.size > 0) await Promise.all(this.#attempts);
  }

  /** Reads all rows, and forgets those that no longer exist. Events may arrive in the meantime. Run one at a time. */
  async load(): Promise<void> {
    const changed = new Set<Ruuid>();
    this.#changedWhileListing = changed;
    try {
      const { repository, rowOf } = this.#options;
      const gone = new Set(this.#rows.keys());
      for (const entity of await repository.listEverywhere()) {
        gone.delete(entity.uuid);
        if (!changed.has(entity.uuid)) this.#rows.set(entity.uuid, rowOf(entity));
      }
      for (const uuid of gone) if (!changed.has(uuid)) this.#rows.delete(uuid);
    } finally {
      this.#changedWhileListing = null;
    }
  }

  /** An entity that was just written, before its event arrives. */
  put(entity: Entity): void {
    this.#reads.delete(entity.uuid);
    this.#set(entity.uuid, this.#options.rowOf(entity));
  }

  /** Fields of a row that were just written, before the event arrives. */
  patch(uuid: Ruuid, fields: Partial<Row>): void {
    const row = this.#rows.get(uuid);
    if (row === undefined) return;
    this.#reads.delete(uuid);
    this.#set(uuid, { ...row, ...fields });
  }

  remove(uuid: Ruuid): void {
    this.#reads.delete(uuid);
    this.#set(uuid, null);
  }

  follow(event: ChangeEvent): void {
    if (event.type === 'DELETE') this.remove(event.uuid);
    // A foreign removal may be older than what this process has put since.
    if (event.type !== 'DELETE' || event.isForeign) this.#readOf(event);
  }

  close(): void {
    this.#isClosed = true;
    this.#reads.clear();
  }

  #readOf(event: ChangeEvent): void {
    const attempt = new Promise<void>((resolve) => void this.#read(event, resolve).finally(resolve)).finally(
      () => this.#attempts.delete(attempt),
    );
    this.#attempts.add(attempt);
  }

  async #read({ orgUuid, uuid }: ChangeEvent, onAttempt: () => void): Promise<void> {
    const read = Symbol('read');
    this.#reads.set(uuid, read);
    this.#changedWhileListing?.add(uuid);
    const { repository, rowOf, clock, log } = this.#options;
    for (let attempt = 1; this.#reads.get(uuid) === read && !this.#isClosed; attempt++) {
      try {
        const entity = await repository.find(orgUuid, uuid);
        if (this.#reads.get(uuid) !== read) return;
        this.#reads.delete(uuid);
        this.#set(uuid, entity === null ? null : rowOf(entity));
        return;
      } catch (thrown) {
        log.warn({ err: toGatewayError(thrown), uuid, attempt }, 'changed access rule not readable');
        onAttempt();
        if (attempt === READS_BEFORE_FORGETTING && this.#reads.get(uuid) === read) this.#set(uuid, null);
        await pause(clock, READ_RETRY_MS);
      }
    }
  }

  #set(uuid: Ruuid, row: Row | null): void {
    this.#changedWhileListing?.add(uuid);
    if (row !== null) {
      // The stored row is the same: only the entity's name changed, for example.
      if (this.#rows.get(uuid) === row) return;
      this.#rows.set(uuid, row);
    } else if (!this.#rows.delete(uuid)) return;
    this.#options.onRow(uuid);
  }
}
