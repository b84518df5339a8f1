/** A viewer that plays as hls.js does, without decoding: blocking reloads, each new part fetched, every failure kept. */

import { readPlaylistText } from './playlist-text.ts';

export class TestViewer {
  readonly failures: string[] = [];
  parts = 0;
  discontinuities = 0;
  readonly #playlistUrl: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  /** `playlistUrl`: of the Media Playlist, grant included. */
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
      // The hinted part may turn out not to come, when its segment ends before it: that is no failure.
      if ((await this.#fetch(new URL(hint.uri, this.#playlistUrl).href, 404)) !== null) this.parts++;
    }
  }

  /** null: it failed, or the viewer was stopped, or `tolerated` was answered. */
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
