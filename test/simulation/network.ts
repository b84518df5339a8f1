/**
 * The network between the processes of a simulation: messages arrive in order, after a while, or not at all. A partition
 * holds messages under way, as TCP does, and ends the connection after some time.
 */

import { type Hold, type Moment, type MomentListener, NO_HOLD } from './moment.ts';
import { ARRIVALS, type Host, type World } from './world.ts';

/** How often a sender behind a partition tries again. */
const RETRANSMIT_MS = 200;
/** How long it tries. */
const GIVE_UP_MS = 16_000;
const LATENCY_MS = 0.2;
const JITTER_MS = 1.5;

export class Network {
  readonly world: World;
  /** Hears what processes are about to do; null: nothing does. */
  moments: MomentListener | null = null;
  /** `from>to`: nothing arrives. */
  readonly #blocked = new Set<string>();
  /** By host: added to each message from or to it. */
  readonly #slowMs = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
  }

  /** null: nothing that others rely on. */
  about(moment: Moment | null, host: Host, to: string): Hold {
    return moment === null || this.moments === null ? NO_HOLD : this.moments.about(moment, host, to);
  }

  block(from: string, to: string): void {
    this.#blocked.add(`${from}>${to}`);
  }

  unblock(from: string, to: string): void {
    this.#blocked.delete(`${from}>${to}`);
  }

  /** Milliseconds that each message from or to `host` takes longer; 0: none. */
  slow(host: string, byMs: number): void {
    this.#slowMs.set(host, byMs);
  }

  isSlow(host: string): boolean {
    return (this.#slowMs.get(host) ?? 0) > 0;
  }

  heal(): void {
    this.#blocked.clear();
    this.#slowMs.clear();
  }

  isBlocked(from: Host, to: Host): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(`${from.name}>${to.name}`);
  }

  /** Whatever the size: V8 writes the same state in more or fewer bytes, depending on what it has compiled. */
  latencyMs(from: Host, to: Host): number {
    const slowMs = (this.#slowMs.get(from.name) ?? 0) + (this.#slowMs.get(to.name) ?? 0);
    const { random } = this.world;
    return LATENCY_MS + random.next() * JITTER_MS + slowMs * (0.5 + random.next());
  }
}

/** One direction of a connection. */
export class Pipe {
  readonly #network: Network;
  readonly #from: Host;
  readonly #to: Host;
  readonly #onBroken: () => void;
  readonly #held: (() => void)[] = [];
  #lastArrivalMs = 0;
  #blockedSinceMs: number | null = null;
  #isOver = false;

  /** `onBroken`: the sender has given up. */
  constructor(network: Network, from: Host, to: Host, onBroken: () => void) {
    this.#network = network;
    this.#from = from;
    this.#to = to;
    this.#onBroken = onBroken;
  }

  /** `deliver` is called in the receiving process, after all that was sent before. `heldMs`: so much later, unless a partition holds it. */
  send(deliver: () => void, heldMs = 0): void {
    if (this.#isOver) return;
    const isBlocked = this.#network.isBlocked(this.#from, this.#to);
    if (!isBlocked && this.#held.length === 0) {
      this.#carry(deliver, heldMs);
      return;
    }
    this.#held.push(deliver);
    if (this.#blockedSinceMs !== null) return;
    this.#blockedSinceMs = this.#network.world.nowMs;
    this.#retryLater();
  }

  /** Nothing more arrives. */
  end(): void {
    this.#isOver = true;
    this.#held.length = 0;
  }

  #carry(deliver: () => void, heldMs = 0): void {
    const { world } = this.#network;
    const atMs = world.nowMs + this.#network.latencyMs(this.#from, this.#to) + heldMs;
    this.#lastArrivalMs = Math.max(atMs, this.#lastArrivalMs);
    world.after(
      this.#lastArrivalMs - world.nowMs,
      () => {
        if (!this.#isOver) deliver();
      },
      ARRIVALS,
      this.#to,
    );
  }

  #retryLater(): void {
    this.#network.world.after(RETRANSMIT_MS, () => this.#retry());
  }

  /** The sender's kernel does this, also for a frozen process. */
  #retry(): void {
    if (this.#isOver || this.#blockedSinceMs === null) return;
    if (this.#network.isBlocked(this.#from, this.#to)) {
      if (this.#network.world.nowMs - this.#blockedSinceMs < GIVE_UP_MS) this.#retryLater();
      else this.#break();
      return;
    }
    this.#blockedSinceMs = null;
    for (const deliver of this.#held.splice(0)) this.#carry(deliver);
  }

  #break(): void {
    this.end();
    if (this.#from.isAlive) this.#network.world.after(0, this.#onBroken, ARRIVALS, this.#from);
  }
}
