/** Reads of the store that equal requests share for a moment. Anyone with a link can request as often as they like, which costs one read. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FewAtOnce } from '../../core/few-at-once.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';

/** How old a value can be. */
export const SAME_READ_MS = 500;
/** Values remembered; beyond it, the oldest are read again. */
export const MAX_KNOWN_READS = 256;
/** Concurrent lookups, and those that wait. */
const LOOKUPS_AT_ONCE = 8;
const MAX_WAITING_LOOKUPS = 10_000;

interface Known<Value> {
  readonly readAtMonoMs: number;
  readonly value: Promise<Value>;
}

export class RecentReads<Value> {
  readonly #clock: Pick<Clock, 'monoMs'>;
  readonly #known = new Map<Ruuid, Known<Value>>();

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.#clock = clock;
  }

  /** Rejects like `read`; a failure is not remembered. */
  get(uuid: Ruuid, read: () => Promise<Value>): Promise<Value> {
    const nowMonoMs = this.#clock.monoMs();
    const known = this.#known.get(uuid);
    if (known !== undefined && nowMonoMs - known.readAtMonoMs < SAME_READ_MS) return known.value;
    const value = read();
    this.#known.delete(uuid);
    this.#known.set(uuid, { readAtMonoMs: nowMonoMs, value });
    if (this.#known.size > MAX_KNOWN_READS) this.#known.delete(this.#known.keys().next().value!);
    value.catch(() => {
      if (this.#known.get(uuid)?.value === value) this.#known.delete(uuid);
    });
    return value;
  }
}

/** Takes turns at the store. Fails TOO_MANY_PAST_READS. */
export function storeTurns(): FewAtOnce {
  return new FewAtOnce(
    LOOKUPS_AT_ONCE,
    MAX_WAITING_LOOKUPS,
    () => new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS),
  );
}
