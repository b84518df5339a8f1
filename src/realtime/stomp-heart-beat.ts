/** STOMP 1.2 heart-beats ("Heart-beating"): the intervals of both sides, once they have exchanged their abilities and wishes. */

/** The server's abilities and wishes, in the terms of its CONNECTED frame: as often as a client requests, but no more often than this. */
export const SERVER_HEART_BEAT_MS = 1_000;
/** Longer promises are worthless: such a client gets WebSocket pings. */
const LONGEST_USEFUL_MS = 60_000;

const HEADER = /^([0-9]{1,9}),([0-9]{1,9})$/;

export interface HeartBeats {
  /** The server sends something at least this often; null: it does not have to. */
  readonly outgoingMs: number | null;
  /** The client sends something at least this often; null: it made no promise. */
  readonly incomingMs: number | null;
}

/** The result of a client's `heart-beat` header; absent means `0,0`. null if the header is invalid. */
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
