/**
 * Calls to a thread that takes plain messages, by their numbers: each waits until the thread answers, its deadline passes, or the
 * thread ends. For threads whose messages move memory, which calls over birpc (thread-link.ts) cannot.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { errorOfWire, type WireError } from '../core/wire-error.ts';

export interface CallDeadline {
  readonly clock: Pick<Clock, 'after'>;
  readonly ms: number;
  /** The error with which the call fails after the deadline. */
  readonly onPassed: () => Error;
}

interface Pending<Value> {
  readonly deadline: CallDeadline | null;
  timer: TimerHandle | null;
  resolve(value: Value): void;
  reject(error: Error): void;
}

export class PendingCalls<Value> {
  readonly #calls = new Map<number, Pending<Value>>();
  #nextId = 0;

  get size(): number {
    return this.#calls.size;
  }

  /** Without a deadline, it waits as long as the thread lives. */
  add(deadline: CallDeadline | null = null): { readonly id: number; readonly result: Promise<Value> } {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    this.#calls.set(id, { deadline, timer: this.#arm(id, deadline), resolve, reject });
    return { id, result: promise };
  }

  /** The call makes progress: its deadline restarts. Returns false if the call is not pending. */
  extend(id: number): boolean {
    const call = this.#calls.get(id);
    if (call === undefined) return false;
    call.timer?.cancel();
    call.timer = this.#arm(id, call.deadline);
    return true;
  }

  /** Has no effect if the call is not pending. */
  resolve(id: number, value: Value): void {
    this.#take(id)?.resolve(value);
  }

  /** Fails with the error that the thread sent. Has no effect if the call is not pending. */
  fail(id: number, failure: WireError): void {
    this.#take(id)?.reject(errorOfWire(failure));
  }

  /** Has no effect if the call is not pending. */
  reject(id: number, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** The thread has ended. */
  rejectAll(errorOf: () => Error): void {
    for (const id of [...this.#calls.keys()]) this.reject(id, errorOf());
  }

  #arm(id: number, deadline: CallDeadline | null): TimerHandle | null {
    if (deadline === null) return null;
    // No longer among the calls: `onPassed` may end the thread, which fails the others.
    return deadline.clock.after(deadline.ms, () => this.#take(id)?.reject(deadline.onPassed()));
  }

  #take(id: number): Pending<Value> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.timer?.cancel();
    return call;
  }
}
