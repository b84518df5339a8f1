/** Nodes of a test's cluster, and ways to be something else than a node. */

import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { type FrameHeader, type Greeting, LINK_VERSION, PREFIX_BYTES } from './frame-header.ts';
import type { NodeIdentity } from './greeting.ts';
import { connectingTls, linkKeyOf } from './link-tls.ts';
import type { LinkTarget } from './node-link.ts';
import { NodeLinks } from './node-links.ts';

export const CLUSTER_SECRET = Buffer.from('the secret of the cluster, never in a log');
export const KEY = linkKeyOf(CLUSTER_SECRET);

/** Keeps the lines that it gets. */
export class KeptLog implements Log {
  readonly lines: Record<string, unknown>[];
  readonly #fields: object;

  constructor(lines: Record<string, unknown>[] = [], fields: object = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(fields: object, message: string): void {
    this.#keep('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#keep('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#keep('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#keep('error', fields, message);
  }

  child(fields: object): Log {
    return new KeptLog(this.lines, { ...this.#fields, ...fields });
  }

  /** The codes in the lines with this message, including those of their errors. */
  codes(message: string): unknown[] {
    const found = this.lines.filter((line) => line.message === message);
    return found.map(({ code, err }) => code ?? (err as { code?: unknown } | undefined)?.code);
  }

  #keep(level: string, fields: object, message: string): void {
    this.lines.push({ level, message, ...this.#fields, ...fields });
  }
}

export interface TestNode {
  readonly links: NodeLinks;
  readonly log: KeptLog;
  readonly target: LinkTarget;
}

interface NodeSettings extends Partial<NodeIdentity> {
  readonly key?: Buffer;
  readonly clock?: Clock;
}

/** Nodes and servers of one test; `close` ends them all. */
export class TestCluster {
  readonly #closes: (() => Promise<void> | void)[] = [];

  async node(name: string, settings: NodeSettings = {}): Promise<TestNode> {
    const {
      key = KEY,
      clock = systemClock,
      cluster = 'test',
      nodeId = name,
      runId = `${name}-run`,
    } = settings;
    const log = new KeptLog();
    const links = new NodeLinks({ identity: { cluster, nodeId, runId }, key, clock, log });
    this.#closes.push(() => links.close());
    const port = await links.listen({ host: '127.0.0.1', port: 0 });
    return { links, log, target: { nodeId, runId, address: { host: '127.0.0.1', port } } };
  }

  /** A server on loopback that is not a node. */
  async server(onConnection: (socket: Socket) => void): Promise<number> {
    const server: Server = createServer(onConnection).listen(0, '127.0.0.1');
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await once(server, 'listening');
    this.#closes.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return (server.address() as AddressInfo).port;
  }

  /** A TCP connection to a node, from another address of the loopback range if one is given. */
  tcp({ address }: LinkTarget, localAddress?: string): Socket {
    const socket = connectTcp(localAddress === undefined ? address : { ...address, localAddress });
    socket.on('error', () => undefined);
    this.#closes.push(() => void socket.destroy());
    return socket;
  }

  /** A TLS connection to a node with the right key, after the handshake. */
  async tls({ address }: LinkTarget, key = KEY): Promise<TLSSocket> {
    const socket = connectTls({ ...connectingTls(key), ...address });
    socket.on('error', () => undefined);
    this.#closes.push(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  }

  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).reverse()) await close();
  }
}

export function greetingOf(nodeId: string, changes: Partial<Greeting> = {}): FrameHeader {
  const own = { version: LINK_VERSION, cluster: 'test', nodeId, runId: `${nodeId}-run` };
  return { type: 'greeting', ...own, ...changes, expected: null };
}

/** A frame whose header is any text. */
export function rawFrame(header: string | Buffer): Buffer {
  const text = Buffer.from(header);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(text.length);
  return Buffer.concat([prefix, text]);
}
