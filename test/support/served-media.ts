/**
 * All media of one stream that the nodes of a cluster serve, by name: their permitted differences, and the parts that never
 * change.
 */

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestGateway } from './gateway.ts';
import { type PlaylistText, readPlaylistText } from './playlist-text.ts';

const ASK_AGAIN_MS = 100;

interface Served {
  readonly content: string;
  /** That served it, and when first. */
  readonly atMs: Map<TestGateway, number>;
}

export class ServedMedia {
  /** Names with two contents. */
  readonly conflicts: string[] = [];
  /** Where a node's playlist went back. */
  readonly stepsBack: string[] = [];
  readonly failures: string[] = [];
  readonly #served = new Map<string, Served>();
  readonly #edges = new Map<TestGateway, PlaylistText['hint']>();
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;

  /** `playlists`: the URL of the Media Playlist at each node. */
  constructor(playlists: ReadonlyMap<TestGateway, string>) {
    this.#done = Promise.all([...playlists].map(([node, url]) => this.#watch(node, url)));
  }

  /** The next part at the node, as far as it was seen. */
  edge(node: TestGateway): PlaylistText['hint'] {
    return this.#edges.get(node) ?? { msn: -1, part: -1, uri: '' };
  }

  /** Segments and parts that this node alone served, first after `sinceMs` (performance.now()). */
  onlyAt(node: TestGateway, sinceMs: number): string[] {
    const isOnly = ({ atMs }: Served) => atMs.size === 1 && (atMs.get(node) ?? 0) > sinceMs;
    return [...this.#served].filter(([, served]) => isOnly(served)).map(([name]) => name);
  }

  get count(): number {
    return this.#served.size;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #watch(node: TestGateway, playlistUrl: string): Promise<void> {
    const known = new Set<string>();
    let query = '';
    while (!this.#stop.signal.aborted) {
      const text = await this.#fetch(playlistUrl + query);
      if (text === null) {
        query = '';
        await pause(ASK_AGAIN_MS);
        continue;
      }
      const playlist = readPlaylistText(text.toString());
      this.#noteText(node, playlist);
      query = `?_HLS_msn=${playlist.hint.msn}&_HLS_part=${playlist.hint.part}`;
      const { segments, openParts, hint } = playlist;
      const listed = [...segments.flatMap((segment) => segment.parts), ...openParts];
      const parts = listed.map(({ uri }) => uri);
      const hasNews = segments.some(({ uri }) => !known.has(uri));
      const maps = hasNews ? new Set(segments.flatMap(({ map }) => map ?? [])) : [];
      for (const uri of [...maps, ...segments.map((each) => each.uri), ...parts, hint.uri]) {
        if (known.has(uri)) continue;
        const bytes = await this.#fetch(new URL(uri, playlistUrl).href);
        if (bytes === null) continue;
        if (uri.includes('seg_') && !uri.includes('init')) known.add(uri);
        this.#note(node, uri, createHash('sha256').update(bytes).digest('hex'));
      }
    }
  }

  #noteText(node: TestGateway, { segments, hint }: PlaylistText): void {
    const last = this.edge(node);
    if (hint.msn < last.msn || (hint.msn === last.msn && hint.part < last.part)) {
      this.stepsBack.push(`from ${last.uri} to ${hint.uri}`);
    }
    this.#edges.set(node, hint);
    for (const [at, { msn, extinf, dateTime, hasDiscontinuity, parts }] of segments.entries()) {
      this.#note(node, `EXTINF ${msn}`, `${extinf} ${dateTime}`);
      if (at > 0) this.#note(node, `DISCONTINUITY ${msn}`, String(hasDiscontinuity));
      for (const { uri, duration } of parts) this.#note(node, `PART ${uri}`, String(duration));
    }
  }

  #note(node: TestGateway, name: string, content: string): void {
    const served = this.#served.get(name) ?? { content, atMs: new Map() };
    if (served.content !== content) this.conflicts.push(`${name}: ${served.content} and ${content}`);
    if (!served.atMs.has(node)) served.atMs.set(node, performance.now());
    this.#served.set(name, served);
  }

  /** null: not there, or not now. */
  async #fetch(url: string): Promise<Buffer | null> {
    try {
      const response = await fetch(url, { signal: this.#stop.signal });
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status === 200) return body;
      if (![404, 503].includes(response.status)) this.failures.push(`${response.status} ${url} ${body}`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failures.push(`${url} ${(error as Error).cause ?? error}`);
    }
    return null;
  }
}
