/** Leases in their table. Each call is one statement, so two simultaneous calls cannot both take the same lease. */

import { type RawBuilder, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Lease, LeaseRepository } from '../lease.ts';
import type { SqlDatabase } from '../sql-executor.ts';

export class LeaseTable implements LeaseRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get isShared(): boolean {
    return this.#database.isShared;
  }

  async take(name: string, owner: Ruuid, ttlMs: number): Promise<Lease | null> {
    const { build, executor, nowMs } = this.#database;
    const statement = build
      .insertInto('leases')
      // Not a counter: a lease that was given back and is taken again has a higher fence than before.
      .values({ name, owner, fence: nowMs, until_ms: this.#after(ttlMs) })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({
            owner,
            fence: sql<number>`case when leases.owner = ${owner} then leases.fence else ${this.#nextFence()} end`,
            until_ms: this.#after(ttlMs),
          })
          .where(sql<boolean>`leases.owner = ${owner} or leases.until_ms <= ${nowMs}`),
      )
      .returning('fence');
    const [{ rows }] = await executor.run(statement.compile());
    const [taken] = rows;
    return taken === undefined ? null : { name, owner, fence: taken.fence };
  }

  async takeExpired(prefix: string, owner: Ruuid, ttlMs: number, limit: number): Promise<Lease[]> {
    const { build, executor, nowMs, isShared } = this.#database;
    const expired = build
      .selectFrom('leases')
      .select('name')
      .where('name', '>=', prefix)
      .where('name', '<', `${prefix}\u{10ffff}`)
      .where('until_ms', '<=', nowMs)
      .orderBy('until_ms')
      .limit(limit);
    const statement = build
      .updateTable('leases')
      .set({ owner, fence: this.#nextFence(), until_ms: this.#after(ttlMs) })
      .where('name', 'in', isShared ? expired.forUpdate().skipLocked() : expired)
      .returning(['name', 'fence']);
    const [{ rows }] = await executor.run(statement.compile());
    return rows.map(({ name, fence }) => ({ name, owner, fence }));
  }

  async keep({ name, owner, fence }: Lease, ttlMs: number): Promise<boolean> {
    const { build, executor } = this.#database;
    const statement = build
      .updateTable('leases')
      .set({ until_ms: this.#after(ttlMs) })
      .where('name', '=', name)
      .where('owner', '=', owner)
      .where('fence', '=', fence);
    const [{ changes }] = await executor.run(statement.compile());
    return changes === 1;
  }

  async release({ name, owner, fence }: Lease): Promise<boolean> {
    const { build, executor } = this.#database;
    const statement = build
      .deleteFrom('leases')
      .where('name', '=', name)
      .where('owner', '=', owner)
      .where('fence', '=', fence);
    const [{ changes }] = await executor.run(statement.compile());
    return changes === 1;
  }

  async releaseAll(owner: Ruuid): Promise<void> {
    const { build, executor } = this.#database;
    await executor.run(build.deleteFrom('leases').where('owner', '=', owner).compile());
  }

  #after(ttlMs: number): RawBuilder<number> {
    return sql<number>`${this.#database.nowMs} + ${Math.ceil(ttlMs)}`;
  }

  /** Higher than the last one, even if the server's clock was set back. */
  #nextFence(): RawBuilder<number> {
    const { nowMs } = this.#database;
    return sql<number>`case when leases.fence < ${nowMs} then ${nowMs} else leases.fence + 1 end`;
  }
}
