/**
 * A connection within a connection: over it, Node's server gets those requests of a client that nothing else answers, one at a time. Its
 * bytes go to the client's socket, and count as sent when the kernel has them.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

interface Chunk {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

export interface InnerOwner {
  /** A request has come over it. */
  onResponse(response: ServerResponse): void;
}

type Done = (error?: Error | null) => void;

export class InnerConnection extends Duplex {
  readonly owner: InnerOwner;
  /** The client's; null once Node's server has that itself. */
  #socket: Socket | null;

  constructor(socket: Socket, owner: InnerOwner) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.owner = owner;
    this.#socket = socket;
  }

  /** As sockets of TLS have it. */
  get encrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket?.remotePort;
  }

  get remoteFamily(): string | undefined {
    return this.#socket?.remoteFamily;
  }

  /** Ends without the client's socket. */
  release(): void {
    this.#socket = null;
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#socket?.write(chunk, encoding, done);
  }

  override _writev(chunks: Chunk[], done: Done): void {
    const last = chunks.length - 1;
    this.#socket?.cork();
    chunks.forEach(({ chunk, encoding }, index) => {
      this.#socket?.write(chunk, encoding, index === last ? done : undefined);
    });
    this.#socket?.uncork();
  }

  override _final(done: Done): void {
    this.#socket?.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket?.destroy();
    done(error);
  }
}
