/**
 * Child module: low-latency viewers behind a cache. Each has two connections: one waits with a blocking playlist request, the
 * other fetches every part that a preload hint named, one after the other.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { HttpLink } from '../support/http-link.ts';

export interface CdnTarget {
  readonly port: number;
  /** Folder of the playlist for each new viewer, with a slash at the end. */
  readonly mediaPaths: readonly string[];
}

/** Since the start. */
export interface CdnViewerCounts {
  readonly parts: number;
  readonly bytes: number;
  readonly errors: Record<string, number>;
  readonly usage: ProcessUsage;
}

export interface CdnViewerCalls {
  /** Adds viewers; resolves when each has had a part. */
  add(target: CdnTarget): Promise<void>;
  counts(nothing: null): CdnViewerCounts;
  stop(nothing: null): void;
}

/** Longer than the line of the hint. */
const TAIL_CHARS = 400;
const HINT = /#EXT-X-PRELOAD-HINT:TYPE=PART,URI="(?:\.\.\/)+(cdn\/\S*?\/seg_(\d+)\.(\d+)\.m4v)"/;
/** A viewer that is further behind would stall. */
const MAX_QUEUED_PARTS = 12;
const VIEWERS_PER_STEP = 20;
const STEP_INTERVAL_MS = 20;
const POLL_INTERVAL_MS = 50;
const START_TIMEOUT_MS = 60_000;

let parts = 0;
const errors: Record<string, number> = {};
const viewers: Viewer[] = [];

function failed(reason: string): void {
  errors[reason] = (errors[reason] ?? 0) + 1;
}

class Viewer {
  parts = 0;
  readonly #mediaPath: string;
  readonly #requestEnd: string;
  readonly #playlistLink: HttpLink;
  readonly #partLink: HttpLink;
  readonly #queued: string[] = [];
  #isFetching = false;

  constructor(port: number, mediaPath: string) {
    this.#mediaPath = mediaPath;
    this.#requestEnd = ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    this.#playlistLink = new HttpLink(port, TAIL_CHARS, {
      onResponse: (status, tail) => this.#onPlaylist(status, tail),
      onBroken: failed,
    });
    this.#partLink = new HttpLink(port, 0, {
      onResponse: (status) => this.#onPart(status),
      onBroken: failed,
    });
    this.#send(this.#playlistLink, `${mediaPath}file.m3u8`);
  }

  get bytesRead(): number {
    return this.#partLink.bytesRead;
  }

  close(): void {
    this.#playlistLink.close();
    this.#partLink.close();
  }

  #onPlaylist(status: number, tail: string): void {
    const hint = HINT.exec(tail);
    if (status !== 200 || hint === null) {
      failed(`playlist ${status}`);
      this.close();
      return;
    }
    const [, path, msn, part] = hint;
    this.#queued.push(`/${path}`);
    if (this.#queued.length > MAX_QUEUED_PARTS) {
      failed('stalled');
      this.#queued.splice(0, MAX_QUEUED_PARTS);
    }
    if (!this.#isFetching) this.#fetchNext();
    this.#send(this.#playlistLink, `${this.#mediaPath}file.m3u8?_HLS_msn=${msn}&_HLS_part=${part}`);
  }

  #onPart(status: number): void {
    if (status === 200) {
      parts++;
      this.parts++;
    } else failed(`part ${status}`);
    this.#fetchNext();
  }

  #fetchNext(): void {
    const path = this.#queued.shift();
    this.#isFetching = path !== undefined;
    if (path !== undefined) this.#send(this.#partLink, path);
  }

  #send(link: HttpLink, path: string): void {
    link.send(`GET ${path}${this.#requestEnd}`);
  }
}

async function add({ port, mediaPaths }: CdnTarget): Promise<void> {
  const added: Viewer[] = [];
  for (const [index, mediaPath] of mediaPaths.entries()) {
    added.push(new Viewer(port, mediaPath));
    if (index % VIEWERS_PER_STEP === 0) await delay(STEP_INTERVAL_MS);
  }
  viewers.push(...added);
  for (let waitedMs = 0; added.some((viewer) => viewer.parts === 0); waitedMs += POLL_INTERVAL_MS) {
    if (waitedMs > START_TIMEOUT_MS) throw new Error(`not all viewers play: ${JSON.stringify(errors)}`);
    await delay(POLL_INTERVAL_MS);
  }
}

const calls: CdnViewerCalls = {
  add,
  counts: () => ({
    parts,
    bytes: viewers.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    errors,
    usage: processUsage(),
  }),
  stop: () => {
    for (const viewer of viewers) viewer.close();
  },
};

responseParent(calls);
