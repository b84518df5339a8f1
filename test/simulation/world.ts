/**
 * The world of a simulation: virtual time, one queue of events, one seeded source of chance. It runs one event, lets all
 * promises settle, then runs the next; so the seed alone decides the course (docs/design/simulation.md).
 */

import type { Clock, TimerHandle } from '../../src/core/clock.ts';
import { Random } from './random.ts';
import { Trace } from './trace.ts';

/** Within one instant, as in Node's event loop: timers, then what arrived, then setImmediate. */
export type Phase = 0 | 1 | 2;

export const TIMERS: Phase = 0;
export const ARRIVALS: Phase = 1;
export const IMMEDIATES: Phase = 2;

/** When every simulation begins: a Thursday. The next minute of the week begins while things go wrong. */
export const BEGIN_EPOCH_MS = Date.UTC(2026, 0, 1, 0, 0, 25);

interface WorldEvent {
  atMs: number;
  readonly phase: Phase;
  readonly sequence: number;
  /** null: no process can be frozen or killed that has it. */
  readonly host: Host | null;
  fn: (() => void) | null;
}

/** A process: events that are due while it is frozen happen when it continues, and none after it was killed. */
export class Host {
  readonly name: string;
  isAlive = true;
  isFrozen = false;
  /** Events that were due while it was frozen. */
  readonly parked: WorldEvent[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

const TIMER_LATE_MS = 0.3;
const MAX_EVENTS_PER_SECOND = 20_000;

/** Real ones, which the simulation keeps for itself. */
const realImmediate = setImmediate;

function turn(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}

export class World {
  readonly seed: number;
  readonly random: Random;
  readonly trace: Trace;
  /** The process whose event runs; null: no process's. */
  current: Host | null = null;
  events = 0;
  #nowMs = 0;
  #sequence = 0;
  #eventsOfSecond = 0;
  readonly #queue: WorldEvent[] = [];
  #failure: unknown = null;

  constructor(seed: number) {
    this.seed = seed;
    this.random = new Random(seed);
    this.trace = new Trace(() => this.#nowMs);
  }

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** The wall clock of a machine whose clock is right. */
  get epochMs(): number {
    return this.epochMsAt(this.#nowMs);
  }

  /** The same, at another time of the world. */
  epochMsAt(worldMs: number): number {
    return Math.floor(BEGIN_EPOCH_MS + worldMs);
  }

  after(delayMs: number, fn: () => void, phase: Phase = TIMERS, host: Host | null = null): TimerHandle {
    const event: WorldEvent = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      phase,
      sequence: this.#sequence++,
      host,
      fn,
    };
    this.#push(event);
    return {
      cancel: () => {
        event.fn = null;
      },
    };
  }

  /** Runs everything that is due until then. Rejects with the first failure. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      const event = this.#queue[0];
      if (event === undefined || event.atMs > untilMs) break;
      this.#pop();
      const { fn, host } = event;
      if (fn === null || host?.isAlive === false) continue;
      if (host?.isFrozen === true) {
        host.parked.push(event);
        continue;
      }
      this.#countEvent(event.atMs);
      this.#nowMs = event.atMs;
      this.trace.mix(event.atMs, event.sequence);
      this.current = host;
      fn();
      await turn();
      this.current = null;
      if (this.#failure !== null) throw this.#failure;
    }
    this.#nowMs = untilMs;
  }

  freeze(host: Host): void {
    host.isFrozen = true;
  }

  /** Late timers fire first, then arrived messages are read. */
  thaw(host: Host): void {
    host.isFrozen = false;
    for (const event of host.parked.splice(0)) {
      event.atMs = this.#nowMs;
      this.#push(event);
    }
  }

  kill(host: Host): void {
    host.isAlive = false;
    host.parked.length = 0;
  }

  /** Ends the run with this failure. The first one counts. */
  fail(failure: unknown): void {
    this.#failure ??= failure;
  }

  /** The first one; null: none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** A process that never rests would keep the simulation from its end. */
  #countEvent(atMs: number): void {
    this.events++;
    if (Math.floor(atMs / 1_000) !== Math.floor(this.#nowMs / 1_000)) this.#eventsOfSecond = 0;
    if (++this.#eventsOfSecond === MAX_EVENTS_PER_SECOND)
      this.fail(new Error(`${MAX_EVENTS_PER_SECOND} events within a second`));
  }

  #push(event: WorldEvent): void {
    const queue = this.#queue;
    let at = queue.length;
    queue.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, queue[parent]!)) break;
      queue[at] = queue[parent]!;
      at = parent;
    }
    queue[at] = event;
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop()!;
    if (queue.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && isBefore(queue[child + 1]!, queue[child]!)) child++;
      if (!isBefore(queue[child]!, last)) break;
      queue[at] = queue[child]!;
      at = child;
    }
    queue[at] = last;
  }
}

function isBefore(a: WorldEvent, b: WorldEvent): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.phase !== b.phase) return a.phase < b.phase;
  return a.sequence < b.sequence;
}

/** The clocks of one process. */
export class HostClock implements Clock {
  readonly #world: World;
  readonly #host: Host;
  readonly #beganMs: number;
  /** How fast it runs: 1 is right. */
  readonly #rate: number;
  #wallOffsetMs: number;
  /** When the wall clock last stepped, world time. */
  steppedMs = Number.NEGATIVE_INFINITY;

  constructor(world: World, host: Host, options: { readonly rate: number; readonly wallOffsetMs: number }) {
    this.#world = world;
    this.#host = host;
    this.#beganMs = world.nowMs;
    this.#rate = options.rate;
    this.#wallOffsetMs = options.wallOffsetMs;
  }

  monoMs(): number {
    // Not 0 at the start: a process's clock has an arbitrary beginning.
    return 1_000 + (this.#world.nowMs - this.#beganMs) * this.#rate;
  }

  /** Offset of the wall clock from a correct one. */
  get wallOffsetMs(): number {
    return this.#wallOffsetMs;
  }

  epochMs(): number {
    return Math.floor(this.#world.epochMs + this.#wallOffsetMs);
  }

  /** As Node's timers: whole milliseconds, at least one, and a little late. */
  after(delayMs: number, fn: () => void): TimerHandle {
    const wholeMs = Math.max(1, Math.trunc(delayMs));
    const lateMs = this.#world.random.next() * TIMER_LATE_MS;
    return this.#world.after(wholeMs / this.#rate + lateMs, fn, TIMERS, this.#host);
  }

  /** Steps the wall clock alone, as NTP or an operator does. */
  stepWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
    this.steppedMs = this.#world.nowMs;
  }
}
