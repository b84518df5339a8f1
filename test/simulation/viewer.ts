/**
 * A simulated player: it opens a link, polls the Media Playlist, and fetches each part by its name, at one node, and after
 * a failure or by chance at another one. It checks the media as a person would see them.
 */

import type { Share } from '../../src/store/entities.ts';
import { type FrameId, framesIn } from './camera.ts';
import type { SimulatedNode } from './node.ts';
import type { Credential } from './rights.ts';
import type { Simulation } from './simulation.ts';
import { ARRIVALS, Host, TIMERS } from './world.ts';

const REQUEST_TIMEOUT_MS = 3_000;
/** Timeout of a request that waits for the next part. */
const WAIT_TIMEOUT_MS = 8_000;
const POLL_MS = 600;
const RETRY_MS = 500;
/** Refusals of a password, after which someone leaves: all together have ten guesses a minute. */
const GIVES_UP_AFTER = 4;

const NO_GRANT: Credential = { kind: 'grant', sentMs: 0, respondedMs: 0, isDoubtful: true };

export interface Response {
  readonly status: number;
  readonly body: Buffer;
}

/** null: no response. */
export type Answer = Response | null;

export class SimulatedViewer {
  readonly name: string;
  readonly host: Host;
  readonly share: Share;
  readonly camera: number;
  readonly #simulation: Simulation;
  #password: string | null;
  #node: SimulatedNode | null = null;
  /** The folder of its media; null: it has no grant. */
  #folder: string | null = null;
  /** The credential that it showed to get its media; then the grant that it got. */
  #grant: Credential = NO_GRANT;
  /** Refusals of its password in a row. */
  #refusals = 0;
  #lastMsn = -1;
  #lastPart = -1;
  #lastFrame: FrameId | null = null;
  #isGone = false;
  /** Breaks off the request that is under way. */
  #waiting: AbortController | null = null;
  /** The load balancer sends each of its requests anywhere. */
  readonly #isRoaming: boolean;
  /** It requests the next part, and waits. */
  readonly #isBlocking: boolean;
  readonly beganMs: number;
  /** When it last got a frame, world time; null: never. */
  lastFrameMs: number | null = null;
  frames = 0;
  missing = 0;
  repeated = 0;

  constructor(simulation: Simulation, name: string, share: Share, camera: number, password: string | null) {
    this.#simulation = simulation;
    this.name = name;
    this.host = new Host(name);
    this.share = share;
    this.camera = camera;
    this.#password = password;
    this.beganMs = simulation.world.nowMs;
    this.#isRoaming = simulation.world.random.chance(0.3);
    this.#isBlocking = simulation.world.random.chance(0.5);
  }

  /** null: it has no grant. */
  get folder(): string | null {
    return this.#folder;
  }

  get isWatching(): boolean {
    return !this.#isGone && this.#folder !== null;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get password(): string | null {
    return this.#password;
  }

  /** The viewer knows the password. */
  learn(password: string | null): void {
    this.#password = password;
    this.#refusals = 0;
  }

  begin(): void {
    void this.#watch();
  }

  /** In seeds with moments, its browser breaks off pending requests. */
  leave(): void {
    this.#isGone = true;
    if (this.#simulation.moments !== null) this.#waiting?.abort();
  }

  /** Whether it sent its last request there. */
  isAt(node: SimulatedNode): boolean {
    return !this.#isGone && this.#node === node;
  }

  /** Its requests go elsewhere from now on, with the same grant. */
  move(): void {
    this.#node = null;
  }

  async #watch(): Promise<void> {
    const { world } = this.#simulation;
    while (!this.#isGone) {
      const isFine = this.#folder === null ? await this.#open() : await this.#poll();
      if (!isFine) this.#node = null;
      await this.#pause(isFine ? POLL_MS : RETRY_MS + world.random.next() * RETRY_MS);
    }
  }

  async #open(): Promise<boolean> {
    const { simulation, share } = { simulation: this.#simulation, share: this.share };
    const node = this.#pickNode();
    if (node === null) return false;
    const path = `/share/${simulation.tokenOf(share)}/open`;
    const { world, rights, invariants } = simulation;
    const sentMs = world.nowMs;
    const password = this.#password;
    const response = await this.#request(node, 'POST', path, JSON.stringify({ password }));
    invariants.opened(this, { credential: { kind: 'password', password }, node, sentMs }, response);
    if (response?.status === 401 || response?.status === 429) this.#refusals++;
    if (this.#refusals === GIVES_UP_AFTER) this.leave();
    if (response?.status !== 200) return false;
    this.#refusals = 0;
    const isDoubtful = rights.isDoubtful(share.uuid, node, sentMs);
    this.#grant = { kind: 'grant', sentMs, respondedMs: world.nowMs, isDoubtful };
    const { playlistUrl } = JSON.parse(response.body.toString()) as { playlistUrl: string };
    this.#folder = new URL(playlistUrl, 'http://media.example').pathname.replace(/[^/]*$/, '');
    return true;
  }

  async #poll(): Promise<boolean> {
    const node = this.#pickNode();
    if (node === null) return false;
    const { world, invariants } = this.#simulation;
    const isWaiting = this.#isBlocking && this.#lastMsn >= 0 && world.random.chance(0.7);
    const query = isWaiting ? `?_HLS_msn=${this.#lastMsn}&_HLS_part=${this.#lastPart + 1}` : '';
    const playlist = await this.#get(
      node,
      `file.m3u8${query}`,
      isWaiting ? WAIT_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
    );
    // If the segment ended with the last part, this part does not exist.
    if (isWaiting && playlist?.status === 400) return true;
    if (playlist?.status !== 200) return false;
    const parts = partsOf(playlist.body.toString());
    invariants.listed(this, parts);
    let before: NamedPart | null = null;
    for (const listed of parts) {
      const { msn, part, name } = listed;
      const isNext: boolean = before?.msn === this.#lastMsn && before.part === this.#lastPart;
      before = listed;
      if (msn < this.#lastMsn || (msn === this.#lastMsn && part <= this.#lastPart)) continue;
      const from = this.#isRoaming ? (this.#pickNode() ?? node) : node;
      const media = await this.#get(from, name, REQUEST_TIMEOUT_MS);
      if (this.#isGone) return true;
      if (media?.status !== 200) return false;
      this.#take(from, listed, media.body, isNext);
    }
    return true;
  }

  /** `isNext`: the playlist lists nothing between it and the last part taken. */
  #take(node: SimulatedNode, { msn, part }: NamedPart, media: Buffer, isNext: boolean): void {
    const { invariants, world } = this.#simulation;
    // Walls have streams without audio, whose parts are others.
    const variant = this.share.streamType === 'USER' ? '' : 'silent ';
    invariants.published(this.camera, `${variant}${msn}.${part}`, media, `${this.name} at ${node.name}`);
    for (const frame of framesIn(media)) {
      invariants.seen(this, node, this.#lastFrame, frame, isNext);
      this.#lastFrame = frame;
      this.frames++;
    }
    this.#lastMsn = msn;
    this.#lastPart = part;
    this.lastFrameMs = world.nowMs;
  }

  async #get(node: SimulatedNode, name: string, timeoutMs: number): Promise<Answer> {
    const { world, invariants } = this.#simulation;
    const sentMs = world.nowMs;
    const folder = this.#folder;
    const credential = this.#grant;
    const response = await this.#request(node, 'GET', `${folder}${name}`, null, timeoutMs);
    if (folder !== null) invariants.view(this.name, folder, node, sentMs, response);
    invariants.responded(this, { credential, node, sentMs }, name, response);
    if (folder === this.#folder && (response?.status === 403 || response?.status === 401))
      this.#folder = null;
    return response;
  }

  async #request(
    node: SimulatedNode,
    method: Method,
    url: string,
    payload: string | null,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<Answer> {
    this.#waiting = this.#simulation.moments === null ? null : new AbortController();
    const signal = this.#waiting?.signal ?? null;
    return await requestOf(this.#simulation, this.host, { node, method, url, payload, timeoutMs, signal });
  }

  /** A load balancer knows which nodes are ready. */
  #pickNode(): SimulatedNode | null {
    const { world } = this.#simulation;
    const isSticky = !this.#isRoaming || world.random.chance(0.5);
    const known = this.#node;
    if (isSticky && known?.host.isAlive && !known.isStopping) return known;
    const ready = this.#simulation.nodes.filter(
      ({ host, running, isStopping }) => host.isAlive && running !== null && !isStopping,
    );
    this.#node = ready.length === 0 ? null : world.random.pick(ready);
    return this.#node;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#simulation.world.after(ms, resolve, TIMERS, this.host));
  }
}

type Method = 'GET' | 'POST';

interface Sent {
  readonly node: SimulatedNode;
  readonly method: Method;
  readonly url: string;
  readonly payload?: string | null;
  readonly timeoutMs?: number;
  /** Closes its connection; null: nothing does. */
  readonly signal?: AbortSignal | null;
}

/** One request from `from`. null: no answer in time. */
export function requestOf(
  { world, network }: Simulation,
  from: Host,
  { node, method, url, payload = null, timeoutMs = REQUEST_TIMEOUT_MS, signal = null }: Sent,
): Promise<Answer> {
  return new Promise((resolve) => {
    const deadline = world.after(timeoutMs, () => resolve(null), TIMERS, from);
    const arrive = (response: Answer): void => {
      world.after(
        network.latencyMs(node.host, from),
        () => {
          deadline.cancel();
          resolve(response);
        },
        ARRIVALS,
        from,
      );
    };
    const ask = (): void => {
      const { running } = node;
      if (running === null || node.isStopping) {
        arrive(null);
        return;
      }
      const headers = { 'content-type': 'application/json', 'user-agent': 'simulated' };
      const body = payload === null ? {} : { payload };
      const broken = signal === null ? {} : { signal: closingAt(node, signal) };
      running.frontDoor.inject({ method, url, headers, ...body, ...broken }).then(
        ({ statusCode, rawPayload }) => {
          if (node.host.isAlive) arrive({ status: statusCode, body: Buffer.from(rawPayload) });
        },
        () => arrive(null),
      );
    };
    world.after(network.latencyMs(from, node.host), ask, ARRIVALS, node.host);

    /** The node hears of it a while later. */
    function closingAt({ host }: SimulatedNode, left: AbortSignal): AbortSignal {
      const closing = new AbortController();
      const close = (): void => closing.abort();
      left.addEventListener(
        'abort',
        () => void world.after(network.latencyMs(from, host), close, ARRIVALS, host),
      );
      return closing.signal;
    }
  });
}

export interface NamedPart {
  readonly msn: number;
  readonly part: number;
  readonly name: string;
}

const PART_LINE = /#EXT-X-PART:[^\n]*URI="((?:[^"]*\/)?seg_(\d+)\.(\d+)\.m4v)"[^\n]*/g;

/** The parts that a Media Playlist lists, in order. */
export function partsOf(text: string): NamedPart[] {
  const parts: NamedPart[] = [];
  for (const [line, name, msn, part] of text.matchAll(PART_LINE)) {
    // An entry that marks a time before the camera began must be left out.
    if (!line.includes('GAP=YES')) parts.push({ name: name!, msn: Number(msn), part: Number(part) });
  }
  return parts;
}
