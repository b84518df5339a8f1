/** The end of the year 9999: the last time that dates can still show. */

export const LAST_EPOCH_SEC = 253_402_300_799;
