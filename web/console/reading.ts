/** Something read from the API that stays current: read once, again when a change says so, and when changes may have been missed. */

import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { CallError } from './api.ts';
import { type Change, onChange, onLive } from './changes.ts';

export type Reading<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: CallError }
  /** `error`: the last attempt to read it again failed, so that it may be outdated. */
  | { readonly kind: 'read'; readonly value: Value; readonly error: CallError | null };

export interface ReadingHandle<Value> {
  readonly state: ReadonlySignal<Reading<Value>>;
  /** Reads it again. */
  readonly refresh: () => void;
  /** Shows a value that is known before the gateway is asked again. */
  readonly put: (update: (value: Value) => Value) => void;
}

/** Changes come in bursts: one more reading serves all of them. */
const GATHER_MS = 250;

/**
 * Calls `read` again whenever `keys` differ. `concerns` decides which changes make the reading outdated. A failure leaves
 * the earlier reading.
 */
export function useReading<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  concerns: (change: Change) => boolean = () => false,
): ReadingHandle<Value> {
  const source = useMemo(() => new Source(read), keys);
  useEffect(() => {
    source.refresh();
    const ends = [
      onLive(() => source.refreshSoon()),
      onChange((change) => {
        if (concerns(change)) source.refreshSoon();
      }),
    ];
    return () => {
      for (const end of ends) end();
      source.close();
    };
  }, [source]);
  return source;
}

export class Source<Value> implements ReadingHandle<Value> {
  readonly state = signal<Reading<Value>>({ kind: 'loading' });
  readonly #read: (signal: AbortSignal) => Promise<Value>;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** A change came while it was being read. */
  #isOutdated = false;

  constructor(read: (signal: AbortSignal) => Promise<Value>) {
    this.#read = read;
  }

  readonly refresh = (): void => {
    this.#cancelTimer();
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#isOutdated = false;
    this.#read(running.signal)
      .then(
        (value) => {
          if (this.#running === running) this.state.value = { kind: 'read', value, error: null };
        },
        (thrown: unknown) => {
          if (this.#running === running) this.#failed(thrown);
        },
      )
      .finally(() => {
        if (this.#running !== running) return;
        this.#running = null;
        if (this.#isOutdated) this.refreshSoon();
      });
  };

  /**
   * Reads after the current reading: otherwise a long list that takes longer to read than the time between changes would
   * never be read.
   */
  refreshSoon(): void {
    if (this.#running !== null) this.#isOutdated = true;
    else this.#timer ??= setTimeout(this.refresh, GATHER_MS);
  }

  readonly put = (update: (value: Value) => Value): void => {
    const current = this.state.value;
    if (current.kind === 'read') this.state.value = { ...current, value: update(current.value) };
  };

  close(): void {
    this.#cancelTimer();
    this.#isOutdated = false;
    this.#running?.abort();
    this.#running = null;
  }

  #failed(thrown: unknown): void {
    const error = thrown instanceof CallError ? thrown : new CallError(String(thrown), { status: 0 });
    const current = this.state.value;
    this.state.value = current.kind === 'read' ? { ...current, error } : { kind: 'failed', error };
  }

  #cancelTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
