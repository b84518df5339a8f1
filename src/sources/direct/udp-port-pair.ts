/**
 * An even UDP port for RTP and the odd one above it for RTCP (RFC 3550 §11), or the two of a multicast group. Passes on only
 * datagrams from the camera's own address, because anyone can send to an open port.
 */

import dgram from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { GatewayError } from '../../core/errors.ts';
import type { MulticastGroup } from '../../rtsp/multicast-group.ts';
import type { RtpRtcpPair } from '../../rtsp/transport.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';

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
  /** Where our packets go. */
  readonly #target: string;

  private constructor(rtp: dgram.Socket, rtcp: dgram.Socket, remote: string, target: string) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#remote = remote;
    this.#target = target;
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
          return new UdpPortPair(rtp, rtcp, endpoints.remote, endpoints.remote);
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

  /**
   * Joins a multicast group on the interface that leads to the camera. Other cameras, and other programs, may be in the
   * group and on its ports. Closing the sockets leaves it. Fails with DIRECT_MULTICAST_FAILED.
   */
  static async join(endpoints: UdpEndpoints, group: MulticastGroup): Promise<UdpPortPair> {
    const { address, ports } = group;
    try {
      const rtp = await joinedSocket(endpoints, group, ports.rtp);
      try {
        const rtcp = await joinedSocket(endpoints, group, ports.rtcp);
        return new UdpPortPair(rtp, rtcp, sourceOf(endpoints, group), address);
      } catch (error) {
        rtp.close();
        throw error;
      }
    } catch (error) {
      const context = { group: address, rtpPort: ports.rtp };
      throw new GatewayError(DIRECT_ERRORS.DIRECT_MULTICAST_FAILED, context, error);
    }
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
    socket.send(packet, port, this.#target, () => undefined);
  }
}

/** The only accepted sender: anyone could send to the group. */
function sourceOf({ remote }: UdpEndpoints, { source }: MulticastGroup): string {
  return source ?? remote;
}

async function joinedSocket(
  endpoints: UdpEndpoints,
  group: MulticastGroup,
  port: number,
): Promise<dgram.Socket> {
  // Bound to the group itself, a socket hears no other group on the same port.
  const socket = await bindSocket({ ...endpoints, local: group.address }, port, true);
  try {
    const via = endpoints.family === 'udp4' ? endpoints.local : interfaceOf(endpoints.local);
    if (group.isSourceSpecific) {
      socket.addSourceSpecificMembership(sourceOf(endpoints, group), group.address, via);
    } else socket.addMembership(group.address, via);
    socket.setMulticastInterface(via);
    if (group.ttl !== null) socket.setMulticastTTL(group.ttl);
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

/** IPv6 names an interface by its zone (RFC 4007 §11), on Linux the interface's name. */
function interfaceOf(local: string): string {
  const [address, zone] = local.split('%', 2);
  if (zone !== undefined) return `::%${zone}`;
  const found = Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some((candidate) => candidate.address === address),
  );
  return found === undefined ? '::' : `::%${found[0]}`;
}

function bindSocket(endpoints: UdpEndpoints, port: number, reuseAddr = false): Promise<dgram.Socket> {
  const type = endpoints.family;
  const socket = dgram.createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES, reuseAddr });
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
