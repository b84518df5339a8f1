/**
 * A camera that sends a key frame as soon as its first client plays, as most cameras do: it begins when the client
 * connects.
 */

import net, { type AddressInfo } from 'node:net';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { startCamera } from './synthetic.ts';

/** Between the connection and the key frame: longer than DESCRIBE, SETUP, and PLAY take. */
const LEAD_MS = 150;

export class PromptCamera {
  readonly #clip: Clip;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #camera: Promise<SyntheticCamera> | null = null;

  private constructor(clip: Clip) {
    this.#clip = clip;
    this.#server = net.createServer((socket) => {
      this.#join(socket).catch(() => socket.destroy());
    });
  }

  static async start(clip: Clip): Promise<PromptCamera> {
    const camera = new PromptCamera(clip);
    await new Promise<void>((resolve) => camera.#server.listen(0, '127.0.0.1', resolve));
    return camera;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stream`;
  }

  /** When its first key frame was sent, by the wall clock. */
  async keyEpochMs(): Promise<number> {
    if (this.#camera === null) throw new Error('no one has connected to the camera');
    return (await this.#camera).startEpochMs;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await (await this.#camera)?.close();
  }

  async #join(socket: net.Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    this.#camera ??= startCamera(0, { clip: this.#clip, startedAgoMs: -LEAD_MS });
    const { port } = await this.#camera;
    const onward = net.connect(port, '127.0.0.1');
    this.#sockets.add(onward);
    onward.on('error', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  }
}
