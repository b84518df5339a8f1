/**
 * The UDP ports that media is sent from: an even one for RTP and the odd one above it for RTCP (RFC 3550 §11), for all clients. Media goes
 * to the address of a client's TCP connection alone, so no one can direct it at others.
 */

import dgram from 'node:dgram';
import { once } from 'node:events';
import type { HostPort } from '../../core/host-port.ts';
import type { RtpRtcpPair } from '../../rtsp/transport.ts';

export class DatagramPorts {
  readonly ports: RtpRtcpPair;
  readonly #rtp: dgram.Socket;
  readonly #rtcp: dgram.Socket;

  private constructor(rtp: dgram.Socket, rtcp: dgram.Socket) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.ports = { rtp: rtp.address().port, rtcp: rtcp.address().port };
    // A client's closed port shows up as an error here (ICMP); its RTSP connection shows when it has left. Reports are not read.
    for (const socket of [rtp, rtcp]) socket.on('error', () => undefined).on('message', () => undefined);
  }

  /** `port`: that of RTP, even. Rejects like Node. */
  static async bind({ host, port }: HostPort): Promise<DatagramPorts> {
    const rtp = await bindSocket(host, port);
    try {
      return new DatagramPorts(rtp, await bindSocket(host, port + 1));
    } catch (error) {
      rtp.close();
      throw error;
    }
  }

  /** `bytes` must not change before `onSent`. What cannot be sent is lost, as UDP allows. */
  send(kind: keyof RtpRtcpPair, bytes: Uint8Array, to: HostPort, onSent: () => void): void {
    const socket = kind === 'rtp' ? this.#rtp : this.#rtcp;
    socket.send(bytes, to.port, to.host, onSent);
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
