/**
 * A low-latency viewer that plays from a buffer, as a player does. Blocking reloads, every part that playlists list, in
 * order, over a connection that is kept. When its buffer is empty, it stalls. Hundreds fit in one process.
 */

import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { REQUESTED_NODES } from './load-balancer.ts';
import { type ListedPart, type PlaylistText, readPlaylistText } from './playlist-text.ts';

/** After a request that failed. */
const ASK_AGAIN_MS = 100;
/** How much faster it plays while it is further behind than its playlist asks. */
const CATCH_UP_RATE = 1.25;
const PART_NAME = /seg_(\d+)\.(\d+)\./;

/** Media that a player can fetch, in order: parts while they are listed, whole segments before. */
interface Piece {
  readonly uri: string;
  readonly ms: number;
  readonly msn: number;
  /** null: the whole segment. */
  readonly part: number | null;
}

interface Answer {
  /** Or what went wrong. */
  readonly status: number | string;
  /** That were asked, in order. */
  readonly nodes: string;
  readonly body: Buffer;
}

export interface Stall {
  readonly atMs: number;
  readonly ms: number;
}

export class BufferedViewer {
  /** Requests without a response 200: when they were made, the response, and the nodes that were asked. */
  readonly failures: string[] = [];
  /** Pieces that do not follow those before. */
  readonly gaps: string[] = [];
  readonly stalls: Stall[] = [];
  readonly #playlistUrl: URL;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** The newest segment, as far as it has arrived. */
  #last: { readonly msn: number; readonly part: number; readonly ms: number } | null = null;
  #holdBackMs = 0;
  #startMs = 0;
  /** When its buffer will be empty; null: it has not begun to play. */
  #emptyAtMs: number | null = null;

  /** `playlistUrl`: of the Media Playlist, including the grant. */
  constructor(playlistUrl: string) {
    this.#playlistUrl = new URL(playlistUrl);
    this.#done = this.#play();
  }

  get isPlaying(): boolean {
    return this.#emptyAtMs !== null;
  }

  /** Between two times of `performance.now`, the second one not in the future. */
  longestStallMs(fromMs: number, toMs: number): number {
    const within = this.stalls.filter(({ atMs, ms }) => atMs + ms >= fromMs && atMs <= toMs);
    const lasting = performance.now() - (this.#emptyAtMs ?? performance.now());
    return Math.max(0, ...within.map(({ ms }) => ms), lasting);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    this.#agent.destroy();
  }

  async #play(): Promise<void> {
    let query = '';
    while (!this.#stop.signal.aborted) {
      const text = await this.#fetch(this.#playlistUrl.pathname + query);
      query = text === null ? '' : await this.#take(readPlaylistText(text.toString()));
    }
  }

  /** Returns the query that waits for the next playlist. */
  async #take(playlist: PlaylistText): Promise<string> {
    const { hint, partHoldBack } = playlist;
    this.#holdBackMs = partHoldBack * 1_000;
    const pieces = piecesOf(playlist);
    const first = this.#last === null ? startOf(pieces, this.#holdBackMs) : 0;
    for (const piece of pieces.slice(first)) {
      if (!this.#isNew(piece)) continue;
      const path = new URL(piece.uri, this.#playlistUrl).pathname;
      let bytes: Buffer | null = null;
      while (bytes === null && !this.#stop.signal.aborted) bytes = await this.#fetch(path);
      if (bytes !== null) this.#buffer(piece);
    }
    return `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
  }

  /** A segment of which it has some parts, and the others are no longer listed, is fetched as a whole. */
  #isNew({ msn, part }: Piece): boolean {
    if (this.#last === null) return true;
    return msn > this.#last.msn || (msn === this.#last.msn && orAll(part) > this.#last.part);
  }

  #buffer({ ms, uri, msn, part }: Piece): void {
    const last = this.#last ?? { msn, part: (part ?? 0) - 1, ms: 0 };
    const isSame = msn === last.msn;
    const follows = isSame
      ? part === null || part === last.part + 1
      : msn === last.msn + 1 && (part ?? 0) === 0;
    if (!follows) this.gaps.push(`${uri} follows seg_${last.msn}.${last.part}`);
    const newMs = isSame && part === null ? ms - last.ms : ms;
    this.#last = { msn, part: orAll(part), ms: isSame ? last.ms + newMs : ms };
    this.#playLater(newMs);
  }

  #playLater(ms: number): void {
    const nowMs = performance.now();
    if (this.#emptyAtMs === null) {
      this.#startMs += ms;
      if (this.#startMs >= this.#holdBackMs) this.#emptyAtMs = nowMs + this.#startMs;
      return;
    }
    const stalledMs = nowMs - this.#emptyAtMs;
    if (stalledMs > 0) this.stalls.push({ atMs: this.#emptyAtMs, ms: stalledMs });
    this.#emptyAtMs = Math.max(nowMs, this.#emptyAtMs);
    const isBehind = this.#emptyAtMs - nowMs > this.#holdBackMs;
    this.#emptyAtMs += isBehind ? ms / CATCH_UP_RATE : ms;
  }

  /** null: it failed, or the viewer was stopped. */
  async #fetch(path: string): Promise<Buffer | null> {
    const atMs = performance.now();
    const { status, nodes, body } = await this.#request(path);
    if (status === 200) return body;
    if (this.#stop.signal.aborted) return null;
    const name = path.slice(path.lastIndexOf('/') + 1);
    this.failures.push(`${Math.round(atMs)} ms: ${status} for ${name} from ${nodes}`);
    await pause(ASK_AGAIN_MS);
    return null;
  }

  #request(path: string): Promise<Answer> {
    const { hostname: host, port } = this.#playlistUrl;
    const options = { host, port, path, agent: this.#agent, signal: this.#stop.signal };
    return new Promise((resolve) => {
      const fail = ({ message }: Error): void =>
        resolve({ status: message, nodes: 'no one', body: Buffer.alloc(0) });
      const request = http.get(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const nodes = String(response.headers[REQUESTED_NODES]);
          resolve({ status: response.statusCode ?? 0, nodes, body: Buffer.concat(chunks) });
        });
      });
      request.on('error', fail);
    });
  }
}

function orAll(part: number | null): number {
  return part ?? Number.POSITIVE_INFINITY;
}

function piecesOf({ segments, openParts }: PlaylistText): Piece[] {
  const pieces = segments.flatMap(({ msn, uri, extinf, parts }): Piece[] =>
    parts.length > 0 ? parts.map(pieceOf) : [{ uri, ms: Number(extinf) * 1_000, msn, part: null }],
  );
  return [...pieces, ...openParts.map(pieceOf)];
}

function pieceOf({ uri, duration }: ListedPart): Piece {
  const [msn, part] = (PART_NAME.exec(uri) ?? []).slice(1).map(Number) as [number, number];
  return { uri, ms: duration * 1_000, msn, part };
}

/** The last piece from which on there is that much. */
function startOf(pieces: readonly Piece[], ms: number): number {
  let behindMs = 0;
  return Math.max(
    0,
    pieces.findLastIndex((piece) => {
      behindMs += piece.ms;
      return behindMs >= ms;
    }),
  );
}
