/** What carries the bytes of an RTSP connection: a socket, or the two connections of a tunnel. */

import type { RtpRtcpPair } from '../../rtsp/transport.ts';

/** Sends datagrams to the client. */
export interface RtspDatagrams {
  /** Ports that they are sent from. */
  readonly ports: RtpRtcpPair;
  /** `bytes` must not change before `onSent`. `port`: the client's. */
  send(kind: keyof RtpRtcpPair, bytes: Uint8Array, port: number, onSent: () => void): void;
}

export interface RtspCarrier {
  /** The client's address. */
  readonly address: string;
  /** Takes over `bytes`. */
  send(bytes: Buffer): void;
  /** Sent, but not yet with the operating system. */
  bufferedBytes(): number;
  /** null: the client gets no media by UDP. */
  readonly datagrams: RtspDatagrams | null;
  /** Closes after the sent bytes. */
  end(): void;
  /** Closes immediately: bytes that have not left the machine are discarded. */
  reset(): void;
}
