/** IANA time zone names. */

/** Offsets such as `+02:00` are no zones although Intl takes them: they know no daylight saving. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError: a name that Intl does not know.
    return false;
  }
}
