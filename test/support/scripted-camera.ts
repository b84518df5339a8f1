/** Servers on a camera's port that are not a camera, or a broken or hostile one. */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** Plays one connection. Timers started with `every` end with it. */
export type ConnectionScript = (socket: net.Socket, every: (ms: number, act: () => void) => void) => void;

export class ScriptedCamera {
  /** Connections accepted so far. */
  connections = 0;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  private constructor(script: ConnectionScript) {
    this.#server = net.createServer((socket) => this.#accept(socket, script));
  }

  static async listen(script: ConnectionScript): Promise<ScriptedCamera> {
    const camera = new ScriptedCamera(script);
    camera.#server.listen(0, '127.0.0.1');
    await once(camera.#server, 'listening');
    return camera;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stream`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: net.Socket, script: ConnectionScript): void {
    this.connections++;
    this.#sockets.add(socket);
    const timers: NodeJS.Timeout[] = [];
    // These tests want the gateway to close on a hostile peer: it shows as a reset here.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const timer of timers) clearInterval(timer);
      this.#sockets.delete(socket);
    });
    script(socket, (ms, act) => timers.push(setInterval(act, ms)));
  }
}

/** Writes `bytes` over and over, as fast as the reader takes them. */
export function flood(socket: net.Socket, bytes: Buffer): void {
  const pump = (): void => {
    while (!socket.destroyed && socket.write(bytes)) {
      // Until the buffer is full; 'drain' continues.
    }
  };
  socket.on('drain', pump);
  pump();
}
