/** The camera's UDP ports: an even one for RTP and the odd one above it for RTCP, for all clients (RFC 3550 §11). */

import dgram from 'node:dgram';
import { once } from 'node:events';
import { GatewayError } from '../core/errors.ts';
import type { RtpRtcpPair } from '../rtsp/transport.ts';
import { SYNTHETIC_CAMERA_ERRORS } from './errors.ts';

/** The kernel hands out random ports: each try succeeds unless the neighboring port happens to be taken. */
const MAX_BIND_TRIES = 16;

export class UdpPorts {
  readonly ports: RtpRtcpPair;
  readonly #rtp: dgram.Socket;
  readonly #rtcp: dgram.Socket;

  private constructor(
    rtp: dgram.Socket,
    rtcp: dgram.Socket,
    onRtcp: (address: string, port: number) => void,
  ) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.ports = { rtp: rtp.address().port, rtcp: rtcp.address().port };
    rtcp.on('message', (_datagram, from) => onRtcp(from.address, from.port));
    // A client's closed port shows up as an error here (ICMP); its RTSP connection shows when it has left.
    rtp.on('error', () => undefined);
    rtcp.on('error', () => undefined);
  }

  /** `onRtcp`: a client's report arrived. Fails with SYNTHETIC_CAMERA_NO_PORTS. */
  static async bind(host: string, onRtcp: (address: string, port: number) => void): Promise<UdpPorts> {
    let cause: unknown;
    for (let attempt = 0; attempt < MAX_BIND_TRIES; attempt++) {
      const first = await bindSocket(host, 0);
      const port = first.address().port;
      try {
        const second = await bindSocket(host, port ^ 1);
        const [rtp, rtcp] = port % 2 === 0 ? [first, second] : [second, first];
        return new UdpPorts(rtp, rtcp, onRtcp);
      } catch (error) {
        cause = error;
        first.close();
      }
    }
    throw new GatewayError(SYNTHETIC_CAMERA_ERRORS.SYNTHETIC_CAMERA_NO_PORTS, { host }, cause);
  }

  /** `bytes` must not change afterwards. What cannot be sent is lost, as UDP allows. */
  send(kind: keyof RtpRtcpPair, bytes: Buffer, address: string, port: number): void {
    const socket = kind === 'rtp' ? this.#rtp : this.#rtcp;
    socket.send(bytes, port, address, () => undefined);
  }

  /** Call once. Resolves when both ports are free. */
  async close(): Promise<void> {
    const closed = [once(this.#rtp, 'close'), once(this.#rtcp, 'close')];
    this.#rtp.close();
    this.#rtcp.close();
    await Promise.all(closed);
  }
}

async function bindSocket(host: string, port: number): Promise<dgram.Socket> {
  const socket = dgram.createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' });
  try {
    const listening = once(socket, 'listening');
    socket.bind({ port, address: host, exclusive: true });
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
