/** One socket of the RTSP listener: what it begins with says whether it speaks RTSP or carries half of a tunnel. */

import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Arrival } from '../../core/limits/arrivals.ts';
import { TunnelBody } from '../../rtsp/server/tunnel-body.ts';
import {
  isHttpStart,
  NO_TUNNEL_RESPONSE,
  TUNNEL_RESPONSE,
  TunnelHeadReader,
} from '../../rtsp/server/tunnel-head.ts';
import type { DatagramPorts } from './datagram-ports.ts';
import type { RtspCarrier, RtspDatagrams } from './rtsp-carrier.ts';
import { OPENING_TIMEOUT_MS, RtspConnection } from './rtsp-connection.ts';
import type { RtspDesk } from './rtsp-desk.ts';
import type { RtspTunnels } from './rtsp-tunnels.ts';

/** How long the last bytes have to reach a client. */
const LINGER_MS = 500;
const NO_BYTES = Buffer.alloc(0);

export interface RtspSocketOptions {
  readonly desk: RtspDesk;
  readonly tunnels: RtspTunnels;
  /** null: no media by UDP, as on connections with TLS, which it would leave in the clear. */
  readonly datagrams: DatagramPorts | null;
  readonly clock: Clock;
  readonly arrival: Arrival;
  /** Called with the connection that begins here. */
  readonly onConnection: (connection: RtspConnection) => void;
  /** Called once with the connection that began here, at its end; null: there was none. */
  readonly onClose: (connection: RtspConnection | null) => void;
}

export class RtspSocket {
  readonly #options: RtspSocketOptions;
  readonly #carrier: SocketCarrier;
  /** Until it is clear what it carries. */
  readonly #timer: TimerHandle;
  /** What reads the next bytes. */
  #read: (chunk: Buffer) => void = (chunk) => this.#readStart(chunk);
  /** The first bytes, before it is clear what they are. */
  #start: Buffer = NO_BYTES;
  #connection: RtspConnection | null = null;
  /** Of a tunnel whose GET this is. */
  #cookie: string | null = null;

  /** `socket`: carries RTSP, perhaps by TLS over `raw`. */
  constructor(socket: Socket, raw: Socket, options: RtspSocketOptions) {
    this.#options = options;
    const { clock, datagrams, arrival } = options;
    this.#carrier = new SocketCarrier(socket, raw, clock, datagrams);
    this.#timer = clock.after(OPENING_TIMEOUT_MS, () => this.#carrier.reset());
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => raw.destroy());
    raw.on('close', () => {
      this.#timer.cancel();
      arrival.leave();
      this.#connection?.lost();
      if (this.#cookie !== null) options.tunnels.end(this.#carrier.address, this.#cookie);
      options.onClose(this.#connection);
    });
  }

  /** Ends it after what was sent. */
  end(): void {
    this.#carrier.end();
  }

  /** Ends it now. */
  close(): void {
    this.#carrier.reset();
  }

  #readStart(chunk: Buffer): void {
    this.#start = this.#start.length === 0 ? chunk : Buffer.concat([this.#start, chunk]);
    const isHttp = isHttpStart(this.#start);
    if (isHttp === null) return;
    const bytes = this.#start;
    this.#start = NO_BYTES;
    if (isHttp) {
      const reader = new TunnelHeadReader();
      this.#read = (next) => this.#readHead(reader, next);
      this.#read(bytes);
      return;
    }
    const connection = this.#connect(this.#carrier);
    this.#read = (next) => connection.received(next);
    this.#read(bytes);
  }

  #connect(carrier: RtspCarrier): RtspConnection {
    const { desk, clock, arrival, onConnection } = this.#options;
    this.#timer.cancel();
    const connection = new RtspConnection({ desk, carrier, clock, onOpened: () => arrival.leave() });
    this.#connection = connection;
    onConnection(connection);
    return connection;
  }

  #readHead(reader: TunnelHeadReader, chunk: Buffer): void {
    const head = reader.push(chunk);
    if (head === null) return;
    if (head === 'refused') this.#refuse();
    else if (head.method === 'GET') this.#beginTunnel(head.cookie);
    else this.#joinTunnel(head.cookie, chunk.subarray(head.end));
  }

  #beginTunnel(cookie: string): void {
    const { address } = this.#carrier;
    const connection = this.#connect(this.#carrier.forTunnel());
    // The rest of a GET means nothing.
    this.#read = () => undefined;
    if (!this.#options.tunnels.begin(address, cookie, connection)) {
      this.#refuse();
      return;
    }
    this.#cookie = cookie;
    this.#carrier.send(TUNNEL_RESPONSE);
  }

  #joinTunnel(cookie: string, rest: Buffer): void {
    const { tunnels, arrival } = this.#options;
    const connection = tunnels.join(this.#carrier.address, cookie, () => this.#carrier.reset());
    if (connection === null) {
      this.#refuse();
      return;
    }
    this.#timer.cancel();
    arrival.leave();
    const body = new TunnelBody();
    this.#read = (chunk) => {
      const bytes = body.push(chunk);
      if (bytes === null) connection.close();
      else connection.received(bytes);
    };
    this.#read(rest);
  }

  #refuse(): void {
    this.#read = () => undefined;
    this.#carrier.send(NO_TUNNEL_RESPONSE);
    this.#carrier.end();
  }
}

class SocketCarrier implements RtspCarrier {
  readonly address: string;
  readonly datagrams: RtspDatagrams | null;
  readonly #socket: Socket;
  readonly #raw: Socket;
  readonly #clock: Clock;

  constructor(socket: Socket, raw: Socket, clock: Clock, datagrams: DatagramPorts | null) {
    this.address = raw.remoteAddress ?? '';
    this.#socket = socket;
    this.#raw = raw;
    this.#clock = clock;
    this.datagrams = datagrams === null ? null : new DatagramsTo(this.address, datagrams);
  }

  /** The same connection, without media by UDP, which a client that tunnels does not want. */
  forTunnel(): RtspCarrier {
    return new SocketCarrier(this.#socket, this.#raw, this.#clock, null);
  }

  send(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  bufferedBytes(): number {
    const below = this.#raw === this.#socket ? 0 : this.#raw.writableLength;
    return this.#socket.writableLength + below;
  }

  end(): void {
    this.#socket.end();
    this.#clock.after(LINGER_MS, () => this.reset());
  }

  reset(): void {
    if (!this.#raw.destroyed) this.#raw.resetAndDestroy();
  }
}

/** Datagrams to the address of a TCP connection. */
class DatagramsTo implements RtspDatagrams {
  readonly #address: string;
  readonly #datagrams: DatagramPorts;

  constructor(address: string, datagrams: DatagramPorts) {
    this.#address = address;
    this.#datagrams = datagrams;
  }

  get ports(): RtspDatagrams['ports'] {
    return this.#datagrams.ports;
  }

  send(kind: 'rtp' | 'rtcp', bytes: Uint8Array, port: number, onSent: () => void): void {
    this.#datagrams.send(kind, bytes, { host: this.#address, port }, onSent);
  }
}
