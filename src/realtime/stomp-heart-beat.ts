/** Heart-beats of STOMP 1.2 ("Heart-beating"): who sends how often, once both sides have said what they can and want. */

/** What the server can do and wants, in the terms of its CONNECTED frame: as often as a client asks, but not more often. */
export const SERVER_HEART_BEAT_MS = 1_000;
/** Longer promises are as good as none: such a client is asked by WebSocket pings. */
const LONGEST_USEFUL_MS = 60_000;

const HEADER = /^([0-9]{1,9}),([0-9]{1,9})$/;

export interface HeartBeats {
  /** The server sends something at least this often; null: it need not. */
  readonly outgoingMs: number | null;
  /** The client sends something at least this often; null: it did not promise. */
  readonly incomingMs: number | null;
}

/** What comes of a client's `heart-beat` header; absent means `0,0`. null for a header that is none. */
export function negotiateHeartBeats(header: string | undefined): HeartBeats | null {
  const match = HEADER.exec(header ?? '0,0');
  if (match === null) return null;
  const [canMs, wantsMs] = [Number(match[1]), Number(match[2])];
  const incomingMs = canMs === 0 ? null : Math.max(canMs, SERVER_HEART_BEAT_MS);
  return {
    outgoingMs: wantsMs === 0 ? null : Math.max(wantsMs, SERVER_HEART_BEAT_MS),
    incomingMs: incomingMs !== null && incomingMs > LONGEST_USEFUL_MS ? null : incomingMs,
  };
}
