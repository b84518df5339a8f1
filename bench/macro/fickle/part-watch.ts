/** A viewer of one share who never gives up: looks for new parts, fetches them, and notes when each was there. */

import { setTimeout as delay } from 'node:timers/promises';
import { openShare } from '../../../test/support/hls.ts';
import { readPlaylistText } from '../../../test/support/playlist-text.ts';

const POLL_MS = 250;

export class PartWatch {
  readonly #m3u8Url: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #playlistUrl: string | null = null;
  /** Name of the newest part. */
  #newest = '';
  #newestAtMs = Number.NEGATIVE_INFINITY;
  #longestGapMs = 0;
  parts = 0;

  constructor(m3u8Url: string) {
    this.#m3u8Url = m3u8Url;
    this.#done = this.#watch();
  }

  /** When the newest part was seen, at most `POLL_MS` after it was published; -Infinity: none was. */
  get newestAtMs(): number {
    return this.#newestAtMs;
  }

  /** The longest time without a new part since this was called last. */
  takeLongestGapMs(): number {
    const longestMs = Math.max(this.#longestGapMs, performance.now() - this.#newestAtMs);
    this.#longestGapMs = 0;
    return longestMs;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#playlistUrl ??= await openShare(this.#m3u8Url);
        await this.#look(this.#playlistUrl);
      } catch {
        // The camera is offline: this benchmark is about that.
        this.#playlistUrl = null;
      }
      await delay(POLL_MS);
    }
  }

  async #look(playlistUrl: string): Promise<void> {
    const response = await fetch(playlistUrl, { signal: this.#stop.signal });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}`);
    const { openParts, segments } = readPlaylistText(text);
    const newest = openParts.at(-1)?.uri ?? segments.at(-1)?.parts.at(-1)?.uri;
    if (newest === undefined || newest === this.#newest) return;
    const nowMs = performance.now();
    // The first playlist may be an old one: only a change shows a new part.
    if (this.#newest !== '') {
      if (this.#newestAtMs > 0) this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#newestAtMs);
      this.#newestAtMs = nowMs;
      this.parts++;
    }
    this.#newest = newest;
    const part = await fetch(new URL(newest, playlistUrl), { signal: this.#stop.signal });
    await part.arrayBuffer();
  }
}
