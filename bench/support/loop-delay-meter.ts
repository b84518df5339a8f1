/**
 * How long this thread's event loop was blocked, measured by a timer that should fire every millisecond. A busy
 * machine makes a thread wait as well, so the thread's processor time is read at each tick: its own work
 * (JavaScript, garbage collection) accounts for the part of the delay in which it was running. Some kernels count
 * that time in steps of a scheduler tick, up to 4 ms: then the result is too long by that much.
 */

export interface LoopDelay {
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** The longest time that the thread's own work blocked it. */
  readonly ownMaxMs: number;
  readonly ownP999Ms: number;
}

const TICK_MS = 1;

export class LoopDelayMeter {
  #delaysMs: number[] = [];
  #ownMs: number[] = [];
  #lastMonoMs = 0;
  #lastCpuMs = 0;

  start(): void {
    this.#lastMonoMs = performance.now();
    this.#lastCpuMs = threadCpuMs();
    setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Since the previous reading. */
  read(): LoopDelay {
    const delaysMs = this.#delaysMs.sort((a, b) => a - b);
    const ownMs = this.#ownMs.sort((a, b) => a - b);
    this.#delaysMs = [];
    this.#ownMs = [];
    return {
      p99Ms: at(delaysMs, 0.99),
      p999Ms: at(delaysMs, 0.999),
      maxMs: at(delaysMs, 1),
      ownMaxMs: at(ownMs, 1),
      ownP999Ms: at(ownMs, 0.999),
    };
  }

  #tick(): void {
    const monoMs = performance.now();
    const cpuMs = threadCpuMs();
    const delayMs = Math.max(0, monoMs - this.#lastMonoMs - TICK_MS);
    this.#delaysMs.push(delayMs);
    this.#ownMs.push(Math.min(delayMs, cpuMs - this.#lastCpuMs));
    this.#lastMonoMs = monoMs;
    this.#lastCpuMs = cpuMs;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
