/** A viewer that fetches every segment of a Media Playlist once, so that a test can decode them afterwards. */

import { setTimeout as pause } from 'node:timers/promises';
import { decodedFrameNumbers } from './frame-numbers.ts';
import { readPlaylistText } from './playlist-text.ts';
import { until } from './until.ts';

const POLL_MS = 200;

interface CollectedRun {
  readonly media: Buffer[];
}

export class SegmentCollector {
  readonly failures: string[] = [];
  /** Numbers of the segments, in order. */
  readonly msns: number[] = [];
  /** Between discontinuities: the init segment, and what follows it. */
  readonly runs: CollectedRun[] = [];
  readonly #urls: () => string;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  /** `urls`: where the playlist is at this moment. */
  constructor(urls: () => string) {
    this.#urls = urls;
    this.#done = this.#collect();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Resolves when it has this many more segments. Fails with what failed. */
  async more(segments: number): Promise<void> {
    const before = this.msns.length;
    try {
      await until('more segments', () => this.msns.length >= before + segments);
    } catch (cause) {
      throw new Error(`no more segments; newest failures: ${this.failures.slice(-5).join('; ')}`, { cause });
    }
  }

  /** Number of each frame, in order. */
  async frameNumbers(picture: { widthPx: number; heightPx: number }): Promise<(number | null)[]> {
    const numbers: (number | null)[] = [];
    for (const { media } of this.runs) numbers.push(...(await decodedFrameNumbers(media, picture)));
    return numbers;
  }

  async #collect(): Promise<void> {
    const inits = new Map<string, string>();
    while (!this.#stop.signal.aborted) {
      const url = this.#urls();
      const text = await this.#fetch(url);
      if (text !== null) {
        const { segments } = readPlaylistText(text.toString());
        for (const { msn, uri, map, hasDiscontinuity } of segments) {
          if (map !== null) inits.set('newest', map);
          // 0 is the gap before the first segment.
          if (msn <= (this.msns.at(-1) ?? 0)) continue;
          const media = await this.#fetch(new URL(uri, url).href);
          if (media === null) break;
          if (this.runs.length === 0 || hasDiscontinuity) {
            const init = await this.#fetch(new URL(inits.get('newest')!, url).href);
            if (init === null) break;
            this.runs.push({ media: [init] });
          }
          this.msns.push(msn);
          this.runs.at(-1)!.media.push(media);
        }
      }
      await pause(POLL_MS);
    }
  }

  async #fetch(url: string): Promise<Buffer | null> {
    try {
      const response = await fetch(url);
      const body = Buffer.from(await response.arrayBuffer());
      if (response.status === 200) return body;
      this.failures.push(`${response.status} ${url} ${body.toString().slice(0, 200)}`);
    } catch (error) {
      this.failures.push(String((error as Error).cause ?? error));
    }
    return null;
  }
}

/** Describes faults in the order of a synthetic camera's frames: each number follows the one before. */
export function misplaced(numbers: readonly (number | null)[], clipFrames: number): string[] {
  return numbers.flatMap((number, index) => {
    const before = index === 0 ? null : numbers[index - 1]!;
    if (index === 0 || (number !== null && before !== null && number === (before + 1) % clipFrames))
      return [];
    return [`${number} after ${before}`];
  });
}
