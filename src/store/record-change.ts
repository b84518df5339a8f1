/** Changes of one record that nobody comes between, in this process or another. */

/** What becomes of a record. `removed`, where there is none, is `unchanged`. */
export type NextRecord<T> = T | 'unchanged' | 'removed';

/**
 * Decides from a record as it is now; null: there is none. It runs again whenever somebody else changed the record
 * before its answer was stored, so it must do nothing but decide. It may read from the store, but must not wait for
 * another change of the same record. What it throws fails the change, and nothing is stored.
 */
export type DecideRecord<T> = (known: T | null) => NextRecord<T> | Promise<NextRecord<T>>;

/** How many records there may be. Exact, however many are added at once, and by whichever process. */
export interface Room {
  readonly atMost: number;
  /** What adding one more fails with. */
  readonly full: () => Error;
}

/** What a change found and what it left; null: nothing. The same object twice: nothing was stored. */
export interface RecordChange<T> {
  readonly before: T | null;
  readonly after: T | null;
}
