/**
 * A connection to a camera: TCP, or TLS. All plain connections read into one shared buffer, so that
 * reading allocates no lasting objects: the bytes passed to `onBytes` are overwritten as soon as it returns.
 *
 * As long as reads are full, libuv reads up to 32 times before it looks at any other socket. A camera that sends
 * without pause would make every viewer wait for millions of bytes to be parsed. So a connection that has filled the
 * buffer yields: it continues in the next turn of the event loop, after all others.
 */

import net from 'node:net';
import tls from 'node:tls';
import { GatewayError } from '../../core/errors.ts';
import {
  type AddressRule,
  addressRefused,
  cameraLookup,
  isAllowedAddress,
} from '../network/camera-address.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';
import { isOutdatedTls, type TlsTrust, trustFault } from '../network/tls-trust.ts';
import { type CameraConnection, type ConnectionEvents, MAX_UNSENT_BYTES } from './camera-connection.ts';
import type { UdpEndpoints } from './udp-port-pair.ts';

export interface ConnectionTarget {
  /** Host name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** null: no TLS. */
  readonly tls: TlsTrust | null;
  /** The name in the certificate, if `host` is an address that was found by it. Default: `host`. */
  readonly tlsName?: string;
  readonly addressRule: AddressRule;
}

/**
 * Limit on what one connection may read in a turn of the event loop. A frame takes one turn or a few; of the smallest
 * packets, it is as many as can be parsed in a few milliseconds.
 */
const MAX_TURN_BYTES = 32 * 1024;
/** Node calls back synchronously, hence one buffer for all connections. */
const SHARED_READ_BUFFER = Buffer.allocUnsafeSlow(MAX_TURN_BYTES);

export class RtspConnection implements CameraConnection {
  readonly #socket: net.Socket;
  readonly #events: ConnectionEvents;
  readonly #closed: Promise<void>;
  #isConnected = false;
  #isOver = false;
  #isPaused = false;
  /** Over TLS: bytes since it last yielded. */
  #turnBytes = 0;

  constructor(target: ConnectionTarget, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = this.#open(target);
    this.#socket.setNoDelay(true);
    this.#closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#lost(error.code ?? error.name, error));
    this.#socket.on('close', () => this.#lost('closed'));
  }

  get addresses(): UdpEndpoints | null {
    const { remoteAddress: remote, localAddress: local } = this.#socket;
    if (remote === undefined || local === undefined) return null;
    return { remote, local, family: net.isIPv6(remote) ? 'udp6' : 'udp4' };
  }

  write(bytes: Uint8Array): boolean {
    if (this.#socket.destroyed || !this.#isConnected) return true;
    if (this.#socket.writableLength + bytes.length > MAX_UNSENT_BYTES) return false;
    this.#socket.write(bytes);
    return true;
  }

  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Reads nothing more until `resume`, apart from what was read already: the host then has to wait. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#readOn();
  }

  /** Closes the connection as soon as everything is sent; nothing is called anymore. */
  finish(): void {
    this.#isOver = true;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #open(target: ConnectionTarget): net.Socket {
    const { host, addressRule, tls: trust } = target;
    // Numeric addresses need no lookup.
    if (net.isIP(host) !== 0 && !isAllowedAddress(host, addressRule)) {
      return new net.Socket().destroy(addressRefused(host, addressRule));
    }
    return trust === null ? this.#openPlain(target) : this.#openTls(target, trust);
  }

  #openPlain({ host, port, addressRule }: ConnectionTarget): net.Socket {
    const onread = {
      buffer: SHARED_READ_BUFFER,
      callback: (length: number, buffer: Uint8Array) => {
        this.#received(buffer.subarray(0, length));
        if (length === MAX_TURN_BYTES) setImmediate(this.#readOn);
        return length < MAX_TURN_BYTES;
      },
    };
    const socket = net.connect({ host, port, onread, lookup: cameraLookup(addressRule) });
    return socket.once('connect', () => this.#connected());
  }

  #openTls({ host, port, addressRule, tlsName = host }: ConnectionTarget, trust: TlsTrust): net.Socket {
    const socket = tls.connect({
      host,
      port,
      lookup: cameraLookup(addressRule),
      // `trustFault` verifies.
      rejectUnauthorized: false,
      // RFC 6066 §3: an address is not a server name.
      ...(net.isIP(tlsName) === 0 ? { servername: tlsName } : {}),
    });
    // tls has no onread; its chunks are its own, one record each, and equally good to borrow.
    socket.on('data', (chunk: Buffer) => {
      // Nothing counts before the certificate has been judged.
      if (!this.#isConnected) return;
      this.#received(chunk);
      this.#turnBytes += chunk.length;
      if (this.#turnBytes < MAX_TURN_BYTES) return;
      this.#turnBytes = 0;
      socket.pause();
      setImmediate(this.#readOn);
    });
    return socket.once('secureConnect', () => {
      const fault = trustFault(socket, trust);
      if (fault === null) this.#connected();
      else socket.destroy(new GatewayError(DIRECT_ERRORS.DIRECT_CERTIFICATE_REFUSED, { ...fault }));
    });
  }

  readonly #readOn = (): void => {
    if (!this.#socket.destroyed && !this.#isPaused) this.#socket.resume();
  };

  #connected(): void {
    this.#isConnected = true;
    if (!this.#isOver) this.#events.onConnected();
  }

  #received(chunk: Uint8Array): void {
    if (!this.#isOver) this.#events.onBytes(chunk);
  }

  #lost(reason: string, cause?: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (cause instanceof GatewayError) {
      this.#events.onLost(cause);
      return;
    }
    const isTls =
      this.#socket instanceof tls.TLSSocket && cause?.syscall === undefined && cause !== undefined;
    const definition = this.#isConnected
      ? DIRECT_ERRORS.DIRECT_DISCONNECTED
      : isTls
        ? isOutdatedTls(reason)
          ? DIRECT_ERRORS.DIRECT_TLS_OUTDATED
          : DIRECT_ERRORS.DIRECT_TLS_FAILED
        : DIRECT_ERRORS.DIRECT_UNREACHABLE;
    this.#events.onLost(new GatewayError(definition, { reason }, cause));
  }
}
