/**
 * Connections whose peers have not authenticated. Anyone can open them, from many addresses, and then send nothing. So a newcomer is never
 * refused: if there are too many, from its address or in all, the one that has waited longest makes room. Peers that authenticate do so
 * within a moment; those that wait long have nothing to send.
 */

import { subscriberOf } from '../subscriber.ts';
import type { PoolLimit } from './shared-limit.ts';

/** Any pool that is shared out by address. */
export type ArrivalLimit = PoolLimit & {
  readonly levels: { readonly address: { readonly max: number } };
};

export interface Arrival {
  /** It has authenticated, or has ended. Idempotent. */
  leave(): void;
}

interface Waiting {
  readonly subscriber: string;
  readonly makeRoom: () => void;
}

export class Arrivals {
  readonly #limit: ArrivalLimit;
  /** In the order of arrival. */
  readonly #all = new Set<Waiting>();
  readonly #bySubscriber = new Map<string, Set<Waiting>>();
  #madeRoom = 0;

  constructor(limit: ArrivalLimit) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#all.size;
  }

  /** How many have made room so far. */
  get madeRoom(): number {
    return this.#madeRoom;
  }

  /** `makeRoom` is called at most once, after the arrival was removed: it has to end the connection. */
  add(address: string, makeRoom: () => void): Arrival {
    const { total, levels } = this.#limit;
    const waiting: Waiting = { subscriber: subscriberOf(address), makeRoom };
    const own = this.#bySubscriber.get(waiting.subscriber);
    if (own !== undefined && own.size >= levels.address.max) this.#endOldest(own);
    else if (this.#all.size >= total) this.#endOldest(this.#all);
    this.#all.add(waiting);
    const others = this.#bySubscriber.get(waiting.subscriber);
    if (others === undefined) this.#bySubscriber.set(waiting.subscriber, new Set([waiting]));
    else others.add(waiting);
    return { leave: () => this.#remove(waiting) };
  }

  #endOldest(among: ReadonlySet<Waiting>): void {
    const [oldest] = among;
    if (oldest === undefined) return;
    this.#remove(oldest);
    this.#madeRoom++;
    oldest.makeRoom();
  }

  #remove(waiting: Waiting): void {
    if (!this.#all.delete(waiting)) return;
    const own = this.#bySubscriber.get(waiting.subscriber)!;
    own.delete(waiting);
    if (own.size === 0) this.#bySubscriber.delete(waiting.subscriber);
  }
}
