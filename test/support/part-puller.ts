/** Pulls a live stream as a server does that passes it on: every part that its playlists list, in order, once. */

import { setTimeout as pause } from 'node:timers/promises';
import { REQUESTED_NODES } from './load-balancer.ts';
import { readPlaylistText } from './playlist-text.ts';

const PART_NAME = /seg_(\d+)\.(\d+)\.(?:m4v|mp4)$/;
const ASK_AGAIN_MS = 100;

export class PartPuller {
  /** The init segment, and all parts after it. */
  readonly media: Buffer[] = [];
  readonly failures: string[] = [];
  /** That answered, by address: behind a load balancer. */
  readonly nodes = new Set<string>();
  /** Responses 503. */
  refusals = 0;
  discontinuities = 0;
  readonly #playlistUrl: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #last: readonly [msn: number, part: number] | null = null;

  /** `playlistUrl`: of the Media Playlist, including the grant. */
  constructor(playlistUrl: string) {
    this.#playlistUrl = playlistUrl;
    this.#done = this.#pull();
  }

  get parts(): number {
    return Math.max(0, this.media.length - 1);
  }

  /** Number of the segment whose part came last. */
  get msn(): number {
    return this.#last?.[0] ?? -1;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #pull(): Promise<void> {
    let query = '';
    while (!this.#stop.signal.aborted && this.failures.length === 0) {
      const text = await this.#fetch(this.#playlistUrl + query);
      if (text === null) {
        query = '';
        continue;
      }
      query = await this.#take(text.toString());
    }
  }

  /** Returns the query that waits for the next playlist. */
  async #take(text: string): Promise<string> {
    const { segments, openParts, hint } = readPlaylistText(text);
    const newest = segments.at(-1);
    if (this.#last === null) {
      if (newest?.map == null) return '';
      const init = await this.#fetch(new URL(newest.map, this.#playlistUrl).href);
      if (init === null) return '';
      this.media.push(init);
      this.#last = [newest.msn - 1, Number.POSITIVE_INFINITY];
    }
    for (const { msn, hasDiscontinuity } of segments) {
      if (hasDiscontinuity && msn > this.msn) this.discontinuities++;
    }
    const listed = [...segments.flatMap(({ parts }) => parts), ...openParts];
    for (const { uri } of listed) {
      // Stopped in the middle of the list: the others are not missing.
      if (this.#stop.signal.aborted) break;
      await this.#takePart(uri);
    }
    return `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
  }

  async #takePart(uri: string): Promise<void> {
    const [msn, part] = (PART_NAME.exec(uri) ?? []).slice(1).map(Number) as [number, number];
    const [lastMsn, lastPart] = this.#last!;
    if (msn < lastMsn || (msn === lastMsn && part <= lastPart)) return;
    const isNext = part === 0 ? msn > lastMsn : msn === lastMsn && part === lastPart + 1;
    if (!isNext) this.failures.push(`${uri} follows seg_${lastMsn}.${lastPart}`);
    let bytes = await this.#fetch(new URL(uri, this.#playlistUrl).href);
    while (bytes === null && this.failures.length === 0 && !this.#stop.signal.aborted) {
      bytes = await this.#fetch(new URL(uri, this.#playlistUrl).href);
    }
    if (bytes === null) return;
    this.media.push(bytes);
    this.#last = [msn, part];
  }

  /** null: it is to be asked again, or it is over. */
  async #fetch(url: string): Promise<Buffer | null> {
    try {
      const response = await fetch(url, { signal: this.#stop.signal });
      const body = Buffer.from(await response.arrayBuffer());
      const node = response.headers.get(REQUESTED_NODES)?.split(', ').at(-1);
      if (node !== undefined) this.nodes.add(node);
      if (response.status === 200) return body;
      if (response.status !== 503) this.failures.push(`${response.status} ${url} ${body.toString()}`);
      else this.refusals++;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failures.push(`${url} ${(error as Error).cause ?? error}`);
    }
    if (this.failures.length === 0) await pause(ASK_AGAIN_MS, undefined, { ref: false });
    return null;
  }
}
