/**
 * The largest time that any caller may use: the end of the year 9999, the last that dates can still show (RFC 3339).
 */

/** Epoch seconds. */
export const MAX_TIME_SEC = 253_402_300_799;
/** Epoch milliseconds. */
export const MAX_TIME_MS = 253_402_300_799_999;
