/** Work that must end in time. */

import type { Clock } from './clock.ts';

/** The reason of a signal whose deadline has passed. */
export class DeadlinePassed extends Error {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no result in ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** Whether `signal` was aborted by its deadline, and not by its owner. */
export function isLate(signal: AbortSignal): boolean {
  return signal.reason instanceof DeadlinePassed;
}

/** `work` ends with its signal: after `timeoutMs`, or when `ending` is aborted. */
export async function withDeadline<T>(
  clock: Pick<Clock, 'after'>,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  ending?: AbortSignal,
): Promise<T> {
  const deadline = new AbortController();
  const timer = clock.after(timeoutMs, () => deadline.abort(new DeadlinePassed(timeoutMs)));
  try {
    return await work(ending === undefined ? deadline.signal : AbortSignal.any([deadline.signal, ending]));
  } finally {
    timer.cancel();
  }
}

/** Rejects with the signal's reason if that is aborted first: for work that has no signal of its own. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
