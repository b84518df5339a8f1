/**
 * A viewer that plays like hls.js, without decoding: blocking reloads, every new part fetched, every failure
 * recorded.
 */

import { readPlaylistText } from './playlist-text.ts';

export class TestViewer {
  readonly failures: string[] = [];
  parts = 0;
  discontinuities = 0;
  readonly #playlistUrl: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  /** `playlistUrl`: of the Media Playlist, including the grant. */
  constructor(playlistUrl: string) {
    this.#playlistUrl = playlistUrl;
    this.#done = this.#play();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #play(): Promise<void> {
    const { signal } = this.#stop;
    let query = '';
    let lastMsn = -1;
    while (!signal.aborted) {
      const text = await this.#fetch(this.#playlistUrl + query);
      if (text === null) return;
      const { hint, segments } = readPlaylistText(text.toString());
      query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
      for (const segment of segments) {
        if (lastMsn >= 0 && segment.msn > lastMsn && segment.hasDiscontinuity) this.discontinuities++;
      }
      lastMsn = segments.at(-1)?.msn ?? lastMsn;
      // The hinted part may never come, if its segment ends first: that is not a failure.
      if ((await this.#fetch(new URL(hint.uri, this.#playlistUrl).href, 404)) !== null) this.parts++;
    }
  }

  /** null: it failed, the viewer was stopped, or the response was `tolerated`. */
  async #fetch(url: string, tolerated = 200): Promise<Buffer | null> {
    try {
      const response = await fetch(url, { signal: this.#stop.signal });
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status === 200) return body;
      if (response.status !== tolerated)
        this.failures.push(`${response.status} ${body.toString().slice(0, 200)}`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failures.push(String((error as Error).cause ?? error));
    }
    return null;
  }
}
