/** What carries the bytes of an RTSP connection: a socket, or the two connections of a tunnel. */

export interface RtspCarrier {
  /** The client's address. */
  readonly address: string;
  /** Takes over `bytes`. */
  send(bytes: Buffer): void;
  /** Sent, but not yet with the operating system. */
  bufferedBytes(): number;
  /** Closes after the sent bytes. */
  end(): void;
  /** Closes immediately: bytes that have not left the machine are discarded. */
  reset(): void;
}
