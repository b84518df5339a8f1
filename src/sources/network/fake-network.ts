/**
 * A network without sockets, for unit tests: it resolves names, notes the addresses that connections are opened to, and
 * lets hosts respond. It takes the place of `net.Socket.prototype.connect`, where every TCP connection of Node.js begins.
 */

import net, { isIP, isIPv4, type LookupFunction } from 'node:net';
import { vi } from 'vitest';
import { NameError, NameResolver } from '../../names/name-resolver.ts';

/** A host's answer to the bytes that it received; null: none yet. */
export type FakeHost = (request: string) => string | null;

/** Options that `net.connect`, `tls.connect`, and agents pass on. */
interface ConnectOptions {
  readonly host?: string;
  readonly lookup?: LookupFunction;
  readonly onread?: { readonly buffer: Uint8Array; callback(length: number, buffer: Uint8Array): boolean };
}

/** The parts of a socket that the fake replaces. */
interface SocketParts {
  connecting: boolean;
  _read(): void;
  _write(bytes: Buffer | string, encoding: BufferEncoding, done: () => void): void;
  _writev: null;
}

export class FakeNetwork {
  /** Addresses by name. A name that is missing does not exist. */
  readonly names = new Map<string, string>();
  /** By address. Others refuse connections. */
  readonly hosts = new Map<string, FakeHost>();
  #dialed: string[] = [];

  /** Takes the place of the machine's network until `vi.restoreAllMocks`. */
  install(): void {
    const { names } = this;
    vi.spyOn(NameResolver.prototype, 'addressesOf').mockImplementation(async (name) => {
      const address = names.get(name);
      if (address === undefined) throw new NameError('ENOTFOUND');
      return [{ address, family: isIPv4(address) ? 4 : 6 }];
    });
    const connect = (socket: net.Socket, args: unknown[]) => this.#connect(socket, args);
    vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (this: net.Socket, ...args) {
      connect(this, args);
      return this;
    });
  }

  /** A connection to this address begins, which nothing else than a socket opens. */
  dial(address: string): void {
    this.#dialed.push(address);
  }

  /** The addresses that connections were opened to since the last call, in order. */
  takeDialed(): readonly string[] {
    const dialed = this.#dialed;
    this.#dialed = [];
    return dialed;
  }

  #connect(socket: net.Socket, args: unknown[]): void {
    // `net.connect` passes on a list.
    const [first] = args.flat() as [ConnectOptions];
    const parts = socket as unknown as SocketParts;
    parts.connecting = true;
    const { host = 'localhost', lookup } = first;
    if (isIP(host) !== 0) queueMicrotask(() => this.#arrive(socket, first, host));
    else if (lookup === undefined) throw new Error(`${host} is resolved by the system`);
    else {
      lookup(host, { all: true }, (error, found) => {
        if (error !== null) socket.destroy(error);
        else this.#arrive(socket, first, (found as { address: string }[])[0]!.address);
      });
    }
  }

  #arrive(socket: net.Socket, { onread }: ConnectOptions, address: string): void {
    if (socket.destroyed) return;
    this.dial(address);
    const host = this.hosts.get(address);
    if (host === undefined) {
      socket.destroy(
        Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
      );
      return;
    }
    const parts = socket as unknown as SocketParts;
    parts.connecting = false;
    parts._read = () => undefined;
    parts._writev = null;
    parts._write = (bytes, _encoding, done) => {
      done();
      const response = host(bytes.toString());
      if (response === null) return;
      const sent = Buffer.from(response);
      if (onread === undefined) socket.push(sent);
      else {
        onread.buffer.set(sent);
        onread.callback(sent.length, onread.buffer);
      }
    };
    socket.emit('connect');
    socket.emit('ready');
  }
}
