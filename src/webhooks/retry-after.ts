/** Whether and when a host wants a call again. */

/** `value`: seconds or a date (RFC 9110 §10.2.3). null: it requests none. */
export function retryAfterMsOf(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/** Whether the same call may succeed later: the host was busy, or failed itself. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
