/**
 * An even UDP port for RTP and the odd one above it for RTCP (RFC 3550 §11). Passes on only datagrams from the camera's
 * own address, because anyone can send to an open port.
 */

import dgram from 'node:dgram';
import { GatewayError } from '../../core/errors.ts';
import type { RtpRtcpPair } from '../../rtsp/transport.ts';
import { DIRECT_ERRORS } from './errors.ts';

/** The callee owns `datagram`. */
export interface UdpPortPairEvents {
  onRtp(datagram: Uint8Array): void;
  onRtcp(datagram: Uint8Array): void;
  onError(error: GatewayError): void;
}

export interface UdpEndpoints {
  readonly family: 'udp4' | 'udp6';
  /** Our own address for reaching the camera. */
  readonly local: string;
  readonly remote: string;
}

/** The kernel hands out random ports: each try succeeds unless the neighboring port happens to be taken. */
const MAX_BIND_TRIES = 16;
/** Room for about half a second of a 16 Mbit/s camera; the kernel may grant less. */
const RECEIVE_BUFFER_BYTES = 1024 * 1024;

export class UdpPortPair {
  readonly ports: RtpRtcpPair;
  readonly #rtp: dgram.Socket;
  readonly #rtcp: dgram.Socket;
  readonly #remote: string;

  private constructor(rtp: dgram.Socket, rtcp: dgram.Socket, remote: string) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#remote = remote;
    this.ports = { rtp: rtp.address().port, rtcp: rtcp.address().port };
  }

  /** Fails with DIRECT_UDP_FAILED. */
  static async bind(endpoints: UdpEndpoints): Promise<UdpPortPair> {
    let cause: unknown;
    for (let attempt = 0; attempt < MAX_BIND_TRIES; attempt++) {
      try {
        const first = await bindSocket(endpoints, 0);
        const port = first.address().port;
        try {
          const second = await bindSocket(endpoints, port ^ 1);
          const [rtp, rtcp] = port % 2 === 0 ? [first, second] : [second, first];
          return new UdpPortPair(rtp, rtcp, endpoints.remote);
        } catch (error) {
          first.close();
          throw error;
        }
      } catch (error) {
        cause = error;
      }
    }
    throw new GatewayError(DIRECT_ERRORS.DIRECT_UDP_FAILED, { tries: MAX_BIND_TRIES }, cause);
  }

  listen(events: UdpPortPairEvents): void {
    const onError = (error: Error): void =>
      events.onError(new GatewayError(DIRECT_ERRORS.DIRECT_UDP_FAILED, {}, error));
    this.#rtp.on('error', onError);
    this.#rtcp.on('error', onError);
    this.#rtp.on('message', (datagram, from) => {
      if (from.address === this.#remote) events.onRtp(datagram);
    });
    this.#rtcp.on('message', (datagram, from) => {
      if (from.address === this.#remote) events.onRtcp(datagram);
    });
  }

  /** Opens the way back through firewalls between us and the camera: sends an empty RTP and an empty RTCP packet. */
  punch(serverPort: RtpRtcpPair): void {
    this.#send(this.#rtp, Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), serverPort.rtp);
    this.#send(this.#rtcp, Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 0), serverPort.rtcp);
  }

  sendRtcp(packet: Uint8Array, serverPort: RtpRtcpPair): void {
    this.#send(this.#rtcp, packet, serverPort.rtcp);
  }

  /** Resolves when both ports are free again. Call once. */
  async close(): Promise<void> {
    await Promise.all(
      [this.#rtp, this.#rtcp].map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
    );
  }

  #send(socket: dgram.Socket, packet: Uint8Array, port: number): void {
    if (port === 0) return;
    // UDP may lose a datagram that cannot be sent: the callback only keeps the error from being thrown.
    socket.send(packet, port, this.#remote, () => undefined);
  }
}

function bindSocket(endpoints: UdpEndpoints, port: number): Promise<dgram.Socket> {
  const socket = dgram.createSocket({ type: endpoints.family, recvBufferSize: RECEIVE_BUFFER_BYTES });
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      socket.close();
      reject(error);
    };
    socket.once('error', onError);
    socket.bind({ port, address: endpoints.local, exclusive: true }, () => {
      socket.off('error', onError);
      resolve(socket);
    });
  });
}
