/** The values that SQLite accepts and returns. */

export type SqliteValue = string | number | null;

/** A row in the order of the columns: half the cost of an object when it is copied between threads. */
export type WireRow = readonly SqliteValue[];
