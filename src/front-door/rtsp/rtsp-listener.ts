/**
 * The listener for RTSP clients, with and without TLS. Clients that have not opened a link make room for others; the viewers among them
 * take from the limits of the desk.
 */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { HostPort } from '../../core/host-port.ts';
import { Arrivals } from '../../core/limits/arrivals.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { DatagramPorts } from './datagram-ports.ts';
import type { RtspConnection } from './rtsp-connection.ts';
import type { RtspDesk } from './rtsp-desk.ts';
import { RtspSocket } from './rtsp-socket.ts';
import { RtspTunnels } from './rtsp-tunnels.ts';

const LOOK_INTERVAL_MS = 1_000;

export interface RtspListenerOptions {
  readonly desk: RtspDesk;
  readonly clock: Clock;
  /** Absent or null: no media by UDP. */
  readonly datagrams?: DatagramPorts | null;
}

export class RtspListener {
  readonly #options: RtspListenerOptions;
  readonly #sockets = new Set<RtspSocket>();
  readonly #connections = new Set<RtspConnection>();
  readonly #tunnels = new RtspTunnels();
  readonly #arrivals = new Arrivals(LIMITS.rtspArrivals);
  readonly #servers: Server[] = [];
  /** Of new connections with TLS; null: there are none. */
  #context: SecureContext | null = null;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: RtspListenerOptions) {
    this.#options = options;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves with the port. Rejects like Node. */
  listen(at: HostPort): Promise<number> {
    return this.#open(
      createServer((socket) => this.#accept(socket, socket)),
      at,
    );
  }

  /** The same with TLS. */
  listenSecurely(
    at: HostPort,
    certificate: Pick<ListenerCertificate, 'certPem' | 'keyPem'>,
  ): Promise<number> {
    this.setCertificate(certificate);
    const server = createServer((socket) => {
      const secure = new TLSSocket(socket, { isServer: true, secureContext: this.#context! });
      this.#accept(secure, socket);
    });
    return this.#open(server, at);
  }

  /** For new connections. */
  setCertificate(certificate: Pick<ListenerCertificate, 'certPem' | 'keyPem'>): void {
    const { certPem: cert, keyPem: key } = certificate;
    this.#context = createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    this.#options.desk.dismiss();
    for (const socket of [...this.#sockets]) socket.end();
    await Promise.all(closed);
  }

  async #open(server: Server, { host, port }: HostPort): Promise<number> {
    this.#servers.push(server);
    server.listen({ host, port });
    await once(server, 'listening');
    this.#look();
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  #look(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(LOOK_INTERVAL_MS, () => {
      this.#options.desk.look();
      for (const connection of [...this.#connections]) connection.look();
      if (!this.#isClosed) this.#look();
    });
  }

  /** `socket`: carries RTSP, perhaps by TLS over `raw`. The time for a handshake is that for opening a link. */
  #accept(socket: Socket, raw: Socket): void {
    const { desk, clock, datagrams = null } = this.#options;
    for (const each of new Set([socket, raw])) each.on('error', () => undefined);
    if (this.#isClosed) {
      raw.destroy();
      return;
    }
    raw.setNoDelay(true);
    const arrival = this.#arrivals.add(raw.remoteAddress ?? '', () => opened.close());
    const opened: RtspSocket = new RtspSocket(socket, raw, {
      desk,
      clock,
      arrival,
      tunnels: this.#tunnels,
      datagrams: socket === raw ? datagrams : null,
      onConnection: (connection) => this.#connections.add(connection),
      onClose: (connection) => {
        this.#sockets.delete(opened);
        if (connection !== null) this.#connections.delete(connection);
      },
    });
    this.#sockets.add(opened);
  }
}
