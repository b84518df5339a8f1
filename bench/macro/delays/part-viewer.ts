/** A viewer that waits for part after part, as players do, and notes when it had each, and when and why it was refused. */

import { refusalReason } from '../../../test/support/hls.ts';
import { readPlaylistText } from '../../../test/support/playlist-text.ts';

export interface Refused {
  readonly atMonoMs: number;
  readonly reason: string;
}

export class PartViewer {
  /** `performance.now()` when it had each part. */
  readonly partsAtMonoMs: number[] = [];
  /** The first refusal. */
  readonly refused: Promise<Refused>;
  #isStopped = false;

  /** `playlistUrl`: of the Media Playlist with parts, including the grant. */
  constructor(playlistUrl: string) {
    this.refused = this.#view(playlistUrl);
    // A stopped viewer was not refused.
    this.refused.catch(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Between one part and the next. */
  get intervalsMs(): number[] {
    return this.partsAtMonoMs.slice(1).map((atMonoMs, index) => atMonoMs - this.partsAtMonoMs[index]!);
  }

  async #view(playlistUrl: string): Promise<Refused> {
    let query = '';
    while (!this.#isStopped) {
      const response = await fetch(playlistUrl + query);
      const atMonoMs = performance.now();
      if (response.status === 403) return { atMonoMs, reason: await refusalReason(response) };
      if (!response.ok) throw new Error(`${response.status} for ${playlistUrl}`);
      const { hint } = readPlaylistText(await response.text());
      if (query !== '') this.partsAtMonoMs.push(atMonoMs);
      query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
    }
    throw new Error('stopped');
  }
}
