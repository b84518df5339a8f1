/** IANA time zone names. */

/** Offsets such as `+02:00` are not zones, although Intl accepts them: they have no daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // RangeError: a name that Intl does not know.
    return false;
  }
}
