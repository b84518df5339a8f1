/** Whether the gateway can do its work: what /readyz returns. */

import type { ClusterAbsence } from '../cluster/cluster.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Readiness } from '../core/readiness.ts';
import type { Counters } from '../counters/counters.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { Store } from '../store/store.ts';

/** Writing is tested at most this often, no matter how often readiness is requested. */
export const WRITE_CHECK_INTERVAL_MS = 5_000;
/** A disk with less room than this is full: the next write may be the one that fails. */
export const MIN_FREE_BYTES = 1_048_576;

export interface ReadinessOptions {
  readonly store: Pick<Store, 'ping' | 'checkWriting'>;
  readonly counters: Pick<Counters, 'status'>;
  /** null: no other process can change the database. */
  readonly foreignChanges: { readonly isUp: boolean | null };
  readonly clock: Clock;
  /** While it is not null, the node's storage does not matter. Absent: it has no other nodes. */
  readonly absence?: () => ClusterAbsence | null;
  /** Room on the database's disk. null: the database is on a server, which knows for itself. */
  readonly freeBytes: (() => Promise<number>) | null;
}

/** Redis and the changes of other nodes are reported but do not decide: viewers keep watching without them. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { store, counters, foreignChanges, clock, absence = () => null } = options;
  let checkedMonoMs = Number.NEGATIVE_INFINITY;
  let written: Promise<string> = Promise.resolve('ok');
  const writeState = (): Promise<string> => {
    const nowMonoMs = clock.monoMs();
    if (nowMonoMs - checkedMonoMs >= WRITE_CHECK_INTERVAL_MS) {
      checkedMonoMs = nowMonoMs;
      written = stateOf(checkWriting(options));
    }
    return written;
  };
  return async () => {
    const cluster = absence();
    if (cluster !== null) return { ready: false, checks: { cluster } };
    const result = await stateOf(store.ping());
    const storeState = result === 'ok' ? await writeState() : result;
    const redis = counters.status() === 'up' ? 'ok' : 'down; counts come from memory';
    const checks = { store: storeState, counters: redis };
    const { isUp } = foreignChanges;
    const changes = isUp ? 'ok' : 'down; changes of other nodes come later';
    return { ready: storeState === 'ok', checks: isUp === null ? checks : { ...checks, changes } };
  };
}

/** A write that happens to find room in the log reveals little about the next one: the disk is checked as well. */
async function checkWriting({ store, freeBytes }: ReadinessOptions): Promise<void> {
  await store.checkWriting();
  if (freeBytes !== null && (await freeBytes()) < MIN_FREE_BYTES) {
    throw new GatewayError(STORE_ERRORS.STORE_DISK_FULL);
  }
}

function stateOf(check: Promise<void>): Promise<string> {
  return check.then(
    () => 'ok',
    (thrown: unknown) => toGatewayError(thrown).code,
  );
}
