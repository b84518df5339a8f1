/**
 * A network between a page and the gateway that can be slowed down, for what browsers do not throttle themselves:
 * WebSockets. All connections share its bandwidth towards the page; it holds little, so the gateway feels it.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const STEP_MS = 20;
const MAX_HELD_BYTES = 64 * 1_024;

interface Link {
  readonly page: Socket;
  readonly gateway: Socket;
  held: Buffer[];
  heldBytes: number;
}

export class SlowNetwork {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #timer: NodeJS.Timeout;
  #bytesPerStep = Number.POSITIVE_INFINITY;

  private constructor(targetPort: number) {
    this.#server = createServer((page) => this.#join(page, connect(targetPort, '127.0.0.1')));
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  /** To the server at `targetUrl`. */
  static async to(targetUrl: string): Promise<SlowNetwork> {
    const network = new SlowNetwork(Number(new URL(targetUrl).port));
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  /** `url` as it is reached through this network. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String((this.#server.address() as AddressInfo).port);
    return changed.href;
  }

  limit(bitsPerSec: number): void {
    this.#bytesPerStep = (bitsPerSec / 8_000) * STEP_MS;
    this.#step();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const { page, gateway } of this.#links) {
      page.destroy();
      gateway.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(page: Socket, gateway: Socket): void {
    const link: Link = { page, gateway, held: [], heldBytes: 0 };
    this.#links.add(link);
    page.pipe(gateway);
    gateway.on('data', (chunk: Buffer) => {
      link.held.push(chunk);
      link.heldBytes += chunk.length;
      if (link.heldBytes > MAX_HELD_BYTES) gateway.pause();
      if (this.#bytesPerStep === Number.POSITIVE_INFINITY) this.#pass(link, link.heldBytes);
    });
    const end = () => {
      this.#links.delete(link);
      this.#pass(link, link.heldBytes);
      page.end();
      gateway.destroy();
    };
    gateway.on('close', end);
    page.on('close', end);
    for (const socket of [page, gateway]) socket.on('error', () => socket.destroy());
  }

  #step(): void {
    let leftBytes = this.#bytesPerStep;
    for (const link of this.#links) {
      if (leftBytes <= 0) return;
      leftBytes -= this.#pass(link, leftBytes);
    }
  }

  /** Returns how much was passed on. */
  #pass(link: Link, maxBytes: number): number {
    const bytes = Buffer.concat(link.held);
    const passedBytes = Math.min(bytes.length, Math.floor(maxBytes));
    if (passedBytes > 0) link.page.write(bytes.subarray(0, passedBytes));
    link.held = passedBytes < bytes.length ? [bytes.subarray(passedBytes)] : [];
    link.heldBytes = bytes.length - passedBytes;
    if (link.heldBytes <= MAX_HELD_BYTES) link.gateway.resume();
    return passedBytes;
  }
}
