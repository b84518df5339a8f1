/**
 * Time as a dependency. `monoMs` never goes back, so use it for durations; `epochMs` is the wall clock, which an
 * operator or NTP can change. Nothing outside this folder calls `Date.now` or `setTimeout`.
 */

/** A pending timer; `cancel` is idempotent and does nothing once the timer has fired. */
export interface TimerHandle {
  cancel(): void;
}

export interface Clock {
  /** Monotonic milliseconds (fractional) since an arbitrary start. */
  monoMs(): number;
  /** Wall clock, whole milliseconds since 1970-01-01T00:00Z. */
  epochMs(): number;
  /** Calls `fn` once, not before `delayMs` of monotonic time. Delays past 24.8 days are legal. Does not keep the process alive. */
  after(delayMs: number, fn: () => void): TimerHandle;
}

/** Resolves once, not before `ms` of monotonic time, or as soon as `signal` is aborted. Nothing else ends it sooner. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', end);
      resolve();
    });
    signal?.addEventListener('abort', end, { once: true });
  });
}

const LONGEST_NODE_TIMER_MS = 2 ** 31 - 1;

class SystemTimer implements TimerHandle {
  #timer: NodeJS.Timeout | null = null;

  constructor(delayMs: number, fn: () => void) {
    this.#arm(Math.max(0, delayMs), fn);
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(delayMs: number, fn: () => void): void {
    const stepMs = Math.min(delayMs, LONGEST_NODE_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (stepMs < delayMs) this.#arm(delayMs - stepMs, fn);
      else fn();
    }, stepMs);
    this.#timer.unref();
  }
}

/** The machine's clocks. */
export const systemClock: Clock = {
  monoMs: () => performance.now(),
  epochMs: () => Date.now(),
  after: (delayMs, fn) => new SystemTimer(delayMs, fn),
};
