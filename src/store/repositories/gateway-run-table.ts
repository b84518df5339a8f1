/** Runs of gateways in their table. */

import { GATEWAY_RUNS } from '../entity-tables.ts';
import type { GatewayRun, GatewayRunRepository } from '../gateway-run.ts';
import { MAX_GATEWAY_RUNS } from '../gateway-run.ts';
import type { SqlDatabase } from '../sql-executor.ts';

export class GatewayRunTable implements GatewayRunRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async note(run: GatewayRun): Promise<void> {
    const { build, executor } = this.#database;
    const { uuid, lastSeenAtMs } = run;
    const oldest = build
      .selectFrom('gateway_runs')
      .select('uuid')
      .orderBy('last_seen_at_ms', 'desc')
      .orderBy('uuid')
      .limit(MAX_GATEWAY_RUNS);
    await executor.run(
      build
        .insertInto('gateway_runs')
        .values(GATEWAY_RUNS.toRow(run))
        .onConflict((conflict) => conflict.column('uuid').doNothing())
        .compile(),
      build
        .updateTable('gateway_runs')
        .set({ last_seen_at_ms: lastSeenAtMs })
        .where('uuid', '=', uuid)
        .where('last_seen_at_ms', '<', lastSeenAtMs)
        .compile(),
      build.deleteFrom('gateway_runs').where('uuid', 'not in', oldest).compile(),
    );
  }

  async since(fromMs: number): Promise<GatewayRun[]> {
    const { build, executor } = this.#database;
    const runs = build.selectFrom('gateway_runs').selectAll();
    const [within, before] = await executor.run(
      runs.where('last_seen_at_ms', '>=', fromMs).orderBy('started_at_ms').orderBy('uuid').compile(),
      runs.where('last_seen_at_ms', '<', fromMs).orderBy('last_seen_at_ms', 'desc').limit(1).compile(),
    );
    return [...before.rows, ...within.rows].map(GATEWAY_RUNS.fromRow);
  }
}
