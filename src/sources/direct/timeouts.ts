/** How long a direct source waits for a camera. */

export interface DirectTimeouts {
  /**
   * Limits the TCP connection alone. An offline camera may return just after the first SYN: the kernel retries after 1, 3
   * and 7 s, the next attempt sooner.
   */
  readonly reachMs: number;
  /** Limits the TCP connection, including the TLS handshake. */
  readonly connectMs: number;
  /** Limits the response to one request before playing. */
  readonly stepMs: number;
  /** Limits the time from the connection to the response to PLAY, over all requests: ends a camera that trickles its bytes. */
  readonly handshakeMs: number;
  /** Without a media packet while playing, including the time before the first. */
  readonly silenceMs: number;
  /** Limits the response to TEARDOWN while closing. */
  readonly teardownMs: number;
}

export const DEFAULT_DIRECT_TIMEOUTS: DirectTimeouts = {
  reachMs: 3_500,
  connectMs: 5_000,
  stepMs: 8_000,
  handshakeMs: 15_000,
  silenceMs: 10_000,
  teardownMs: 500,
};
