/**
 * A viewer of one share that keeps everything: polls the playlist like players without blocking reloads, fetches each
 * segment once, and records when it arrived.
 */

import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BoxCursor, fourCc } from '../../../src/isobmff/box-reader.ts';
import { type ListedSegment, readPlaylistText } from '../../../test/support/playlist-text.ts';

/** As it was served. */
export interface WatchedSegment {
  readonly atMs: number;
  readonly bytes: Buffer;
  /** Name of the init segment that it needs. */
  readonly map: string;
  /** Duration in the playlist. */
  readonly durationSec: number;
  /** The playlist marks it as a discontinuity. */
  readonly isSeam: boolean;
}

export interface Watched {
  readonly segments: readonly WatchedSegment[];
  readonly inits: ReadonlyMap<string, Buffer>;
  /** Responses other than 200 since the first segment, with their counts. */
  readonly refusals: ReadonlyMap<string, number>;
  /** null: no response. */
  readonly firstAtMs: number | null;
  readonly endMs: number;
}

const POLL_MS = 400;
const REOPEN_MS = 300;
const MOOF = fourCc('moof');
const TRAF = fourCc('traf');
const TFDT = fourCc('tfdt');
const TFHD = fourCc('tfhd');

export class Watcher {
  readonly #m3u8Url: string;
  /** Its own connections: those of a viewer whose share ends are reset. */
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #segments: WatchedSegment[] = [];
  readonly #inits = new Map<string, Buffer>();
  readonly #refusals = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #playlistUrl: string | null = null;
  #newest = -1;

  constructor(m3u8Url: string) {
    this.#m3u8Url = m3u8Url;
    this.#done = this.#watch();
  }

  get firstAtMs(): number | null {
    return this.#segments[0]?.atMs ?? null;
  }

  /** Stops, and returns the observations. */
  async finish(): Promise<Watched> {
    const endMs = performance.now();
    this.#stop.abort();
    await this.#done;
    this.#agent.destroy();
    const { firstAtMs } = this;
    return { segments: this.#segments, inits: this.#inits, refusals: this.#refusals, firstAtMs, endMs };
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#playlistUrl ??= await this.#open();
        if (this.#playlistUrl !== null) await this.#look(this.#playlistUrl);
      } catch (error) {
        if (!signal.aborted) this.#count(String((error as Error).cause ?? error));
      }
      await delay(this.#playlistUrl === null ? REOPEN_MS : POLL_MS);
    }
  }

  /** The first variant's. */
  async #open(): Promise<string | null> {
    const text = await this.#fetch(this.#m3u8Url);
    const name = text
      ?.toString()
      .split('\n')
      .find((line) => line !== '' && !line.startsWith('#'));
    return name === undefined ? null : new URL(name, this.#m3u8Url).href;
  }

  async #look(playlistUrl: string): Promise<void> {
    const text = (await this.#fetch(playlistUrl))?.toString();
    if (text === undefined || !text.includes('#EXT-X-PRELOAD-HINT')) return;
    for (const segment of readPlaylistText(text).segments) {
      if (segment.msn > this.#newest && segment.map !== null)
        await this.#take(playlistUrl, segment, segment.map);
    }
  }

  async #take(playlistUrl: string, segment: ListedSegment, map: string): Promise<void> {
    if (!this.#inits.has(map)) {
      const init = await this.#fetch(new URL(map, playlistUrl).href);
      if (init !== null) this.#inits.set(map, init);
    }
    const bytes = await this.#fetch(new URL(segment.uri, playlistUrl).href);
    if (bytes === null) return;
    this.#newest = segment.msn;
    this.#segments.push({
      atMs: performance.now(),
      bytes,
      map,
      durationSec: Number(segment.extinf),
      isSeam: segment.hasDiscontinuity,
    });
  }

  async #fetch(url: string): Promise<Buffer | null> {
    const request = http.get(url, { agent: this.#agent, signal: this.#stop.signal });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (response.statusCode === 200) return body;
    const reason = /"reason":"([^"]+)"/.exec(body.toString('latin1'))?.[1] ?? '';
    this.#count(`${response.statusCode} ${reason}`);
    return null;
  }

  #count(what: string): void {
    if (this.#segments.length === 0) return;
    this.#refusals.set(what, (this.#refusals.get(what) ?? 0) + 1);
  }
}

/** Ticks per second of the first track. §8.4.2 */
export function videoTimescaleHz(init: Buffer): number {
  const at = init.indexOf('mdhd') + 4;
  const times = init[at] === 1 ? 16 : 8;
  return init.readUInt32BE(at + 4 + times);
}

/** Base media decode time of a segment's video, which is the first track fragment. ISO/IEC 14496-12 §8.8.12. */
export function videoDecodeTime(segment: Buffer): number | null {
  const cursor = new BoxCursor(segment, 0, segment.length);
  while (cursor.next()) {
    if (cursor.type !== MOOF) continue;
    const inMoof = cursor.children();
    while (inMoof.next()) {
      if (inMoof.type !== TRAF) continue;
      const inTraf = inMoof.children();
      let trackId = 0;
      while (inTraf.next()) {
        if (inTraf.type === TFHD) {
          inTraf.skip(4);
          trackId = inTraf.u32();
        } else if (inTraf.type === TFDT && trackId === 1) {
          const version = inTraf.u8();
          inTraf.skip(3);
          return version === 1 ? inTraf.u64() : inTraf.u32();
        }
      }
    }
  }
  return null;
}
