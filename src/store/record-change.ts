/** Atomic changes of one record, within this process and between processes. */

/** The new record. `removed` means `unchanged` if there is none. */
export type NextRecord<T> = T | 'unchanged' | 'removed';

/**
 * Decides from the current record; null: there is none. It runs again whenever someone else changes the record before its
 * result is stored, so it must do nothing but decide. It can read from the store, but must not wait for another change of
 * the same record. If it throws, the change fails and nothing is stored.
 */
export type DecideRecord<T> = (known: T | null) => NextRecord<T> | Promise<NextRecord<T>>;

/** The number of records that there can be. Exact, no matter how many are added at the same time, and by which process. */
export interface Room {
  readonly atMost: number;
  /** The error when adding one more. */
  readonly full: () => Error;
}

/** The record before and after a change; null: no record. The same object twice: nothing was stored. */
export interface RecordChange<T> {
  readonly before: T | null;
  readonly after: T | null;
}
