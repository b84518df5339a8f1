/**
 * A network between a page and the gateway that can be made slow and far, for what browsers do not emulate themselves:
 * they throttle no WebSockets, and add their latency to requests, not to bytes. All connections share its bandwidth
 * toward the page, in the order in which bytes arrive; it holds little, so the gateway notices.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const STEP_MS = 5;
const MAX_HELD_BYTES = 64 * 1_024;
/** Bytes that a network sends without a break. A late timer costs no bandwidth, up to this long. */
const PIECE_BYTES = 1_500;
const MAX_LATE_MS = 250;

interface Link {
  readonly page: Socket;
  readonly gateway: Socket;
  /** Bytes for the page that wait for bandwidth. */
  heldBytes: number;
  /** The page's first bytes wait for the handshake, too. */
  isNew: boolean;
  readonly toPage: Direction;
  readonly toGateway: Direction;
}

/** No byte overtakes another when the network becomes nearer. */
interface Direction {
  lastDueMonoMs: number;
}

interface Waiting {
  readonly link: Link;
  readonly bytes: Buffer;
}

interface Traveling {
  readonly dueMonoMs: number;
  readonly arrive: () => void;
}

export class SlowNetwork {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #timer: NodeJS.Timeout;
  #waiting: Waiting[] = [];
  #traveling: Traveling[] = [];
  #bytesPerMs = Number.POSITIVE_INFINITY;
  #oneWayMs = 0;
  #steppedMonoMs = performance.now();
  #creditBytes = 0;
  #passedBytes = 0;

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

  /** Limits traffic from now on. `roundTripMs`: half of it in each direction, and once more for each new connection. */
  limit(bitsPerSec: number, roundTripMs = 0): void {
    this.#bytesPerMs = bitsPerSec / 8_000;
    this.#creditBytes = 0;
    this.#oneWayMs = roundTripMs / 2;
    this.#step();
  }

  /** Toward the page, since the start. */
  get passedBytes(): number {
    return this.#passedBytes;
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
    const link: Link = {
      page,
      gateway,
      heldBytes: 0,
      isNew: true,
      toPage: { lastDueMonoMs: 0 },
      toGateway: { lastDueMonoMs: 0 },
    };
    this.#links.add(link);
    // The limits are those of the network, not of timers that join small packets.
    page.setNoDelay(true);
    gateway.setNoDelay(true);
    page.on('data', (chunk: Buffer) => {
      const ways = link.isNew ? 3 : 1;
      link.isNew = false;
      this.#travel(link.toGateway, ways * this.#oneWayMs, () => gateway.write(chunk));
    });
    gateway.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        this.#waiting.push({ link, bytes: chunk.subarray(at, at + PIECE_BYTES) });
      }
      link.heldBytes += chunk.length;
      if (link.heldBytes > MAX_HELD_BYTES) gateway.pause();
      this.#step();
    });
    page.on('close', () => {
      this.#links.delete(link);
      gateway.destroy();
    });
    gateway.on('close', () => {
      this.#links.delete(link);
      this.#send(link, link.heldBytes);
      this.#travel(link.toPage, this.#oneWayMs, () => page.end());
    });
    for (const socket of [page, gateway]) socket.on('error', () => socket.destroy());
  }

  #step(): void {
    const nowMonoMs = performance.now();
    const passedMs = Math.min(MAX_LATE_MS, nowMonoMs - this.#steppedMonoMs);
    this.#steppedMonoMs = nowMonoMs;
    // Unused bandwidth is lost.
    const unusedBytes = this.#waiting.length === 0 ? 0 : this.#creditBytes;
    // No time times no limit is not a number.
    const isLimited = this.#bytesPerMs !== Number.POSITIVE_INFINITY;
    this.#creditBytes = isLimited ? unusedBytes + passedMs * this.#bytesPerMs : this.#bytesPerMs;
    while (this.#waiting.length > 0 && this.#creditBytes >= this.#waiting[0]!.bytes.length) {
      const { link, bytes } = this.#waiting.shift()!;
      this.#creditBytes -= bytes.length;
      this.#pass(link, bytes);
    }
    const isDue = ({ dueMonoMs }: Traveling) => dueMonoMs <= nowMonoMs;
    while (this.#traveling.length > 0 && isDue(this.#traveling[0]!)) this.#traveling.shift()!.arrive();
  }

  /** Passes on the bytes that a gateway sent before it closed its connection. */
  #send(link: Link, maxBytes: number): void {
    if (maxBytes === 0) return;
    const own = this.#waiting.filter((waiting) => waiting.link === link);
    this.#waiting = this.#waiting.filter((waiting) => waiting.link !== link);
    for (const { bytes } of own) this.#pass(link, bytes);
  }

  #pass(link: Link, bytes: Buffer): void {
    link.heldBytes -= bytes.length;
    this.#passedBytes += bytes.length;
    if (link.heldBytes <= MAX_HELD_BYTES && link.gateway.isPaused()) link.gateway.resume();
    this.#travel(link.toPage, this.#oneWayMs, () => link.page.write(bytes));
  }

  #travel(direction: Direction, delayMs: number, arrive: () => void): void {
    const nowMonoMs = performance.now();
    const dueMonoMs = Math.max(nowMonoMs + delayMs, direction.lastDueMonoMs);
    if (delayMs === 0 && direction.lastDueMonoMs === 0) {
      arrive();
      return;
    }
    direction.lastDueMonoMs = dueMonoMs;
    const after = this.#traveling.findIndex((other) => other.dueMonoMs > dueMonoMs);
    if (after === -1) this.#traveling.push({ dueMonoMs, arrive });
    else this.#traveling.splice(after, 0, { dueMonoMs, arrive });
  }
}
