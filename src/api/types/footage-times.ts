/** Times of footage in requests: epoch seconds, though clients send milliseconds too. */

/** From here on, a time makes sense in milliseconds only. */
const FIRST_LIKELY_TIME_MS = 100_000_000_000;

/** `time`: epoch seconds, or milliseconds. */
export function epochMsOf(time: number): number {
  return time < FIRST_LIKELY_TIME_MS ? time * 1_000 : time;
}
