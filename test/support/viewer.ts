/**
 * A viewer that plays like hls.js, without decoding: blocking reloads, every new part fetched, every failure
 * recorded.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { readPlaylistText } from './playlist-text.ts';

/** How long a viewer that does not give up waits before it asks again for a camera that is offline. */
const ASK_AGAIN_MS = 100;

export class TestViewer {
  readonly failures: string[] = [];
  parts = 0;
  discontinuities = 0;
  /** Requests that were refused because the camera was offline. */
  refusals = 0;
  readonly #isPatient: boolean;
  readonly #playlistUrl: string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  /**
   * `playlistUrl`: of the Media Playlist, including the grant. `isPatient`: while the camera is offline, it asks again, as
   * players do; otherwise that is a failure.
   */
  constructor(playlistUrl: string, { isPatient = false }: { readonly isPatient?: boolean } = {}) {
    this.#playlistUrl = playlistUrl;
    this.#isPatient = isPatient;
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
      if (text === null && (this.failures.length > 0 || signal.aborted)) return;
      if (text === null) {
        query = '';
        await pause(ASK_AGAIN_MS);
        continue;
      }
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

  /** null: it failed, the viewer was stopped, the camera is offline, or the response was `tolerated`. */
  async #fetch(url: string, tolerated = 200): Promise<Buffer | null> {
    try {
      const response = await fetch(url, { signal: this.#stop.signal });
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status === 200) return body;
      if (this.#isPatient && response.status === 503) this.refusals++;
      else if (response.status !== tolerated)
        this.failures.push(`${response.status} ${body.toString().slice(0, 200)}`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failures.push(String((error as Error).cause ?? error));
    }
    return null;
  }
}
