/** A viewer with its own connection, for tests: writes any requests, and reads only on demand. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawViewer {
  readonly socket: Socket;
  /** Everything that was read. */
  text = '';
  bytesRead = 0;
  /** Why the connection ended; null while it is open, '' after an orderly end. */
  end: string | null = null;

  private constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk) => {
      this.bytesRead += chunk.length;
      if (this.text.length < 10_000) this.text += chunk.toString('latin1', 0, 2_000);
    });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.end = error.code ?? 'error';
    });
    this.socket.on('close', () => {
      this.end ??= '';
    });
  }

  static async connect(port: number): Promise<RawViewer> {
    const viewer = new RawViewer(port);
    await once(viewer.socket, 'connect');
    return viewer;
  }

  /** Sends the requests one after the other without waiting for responses. */
  ask(...paths: readonly string[]): this {
    for (const path of paths) this.send('GET', path);
    return this;
  }

  send(method: string, path: string): this {
    this.socket.write(`${method} ${path} HTTP/1.1\r\nHost: media\r\n\r\n`);
    return this;
  }

  stopReading(): this {
    this.socket.pause();
    return this;
  }

  goOn(): this {
    this.socket.resume();
    return this;
  }

  leave(): void {
    this.socket.destroy();
  }
}
