/**
 * Child module: viewers of one low-latency stream. Each has two connections: one waits with a blocking playlist
 * request, the other with a request for the part that the preload hint names. Both name the next part before it
 * exists.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { answerParent, hrtimeMs, type ProcessUsage, processUsage } from '../support/child-module.ts';
import { HttpLink } from '../support/http-link.ts';
import { HINT_TAIL_CHARS, type PartNumber, readPreloadHint } from '../support/preload-hint.ts';

export interface SwarmTarget {
  readonly port: number;
  /** For each viewer, where its media playlist and parts are, with a slash at the end. */
  readonly mediaPaths: readonly string[];
}

/** When viewers had both the playlist with the part and the part itself, `hrtimeMs`, in order. */
export interface ServedPart extends PartNumber {
  readonly doneAtMs: readonly number[];
}

export interface SwarmViewerCalls {
  /** Resolves when every viewer has its first playlist and is waiting for the next part. */
  start(target: SwarmTarget): Promise<void>;
  /** What was served since the last call. */
  take(nothing: null): { parts: ServedPart[]; errors: Record<string, number>; usage: ProcessUsage };
  stop(nothing: null): void;
}

const VIEWERS_PER_STEP = 50;
const STEP_INTERVAL_MS = 20;
const POLL_INTERVAL_MS = 50;
const START_TIMEOUT_MS = 60_000;
class Swarm {
  readonly #target: SwarmTarget;
  readonly #viewers: Viewer[] = [];
  #served = new Map<string, { msn: number; part: number; doneAtMs: number[] }>();
  #errors: Record<string, number> = {};
  #started = 0;

  constructor(target: SwarmTarget) {
    this.#target = target;
  }

  async start(): Promise<void> {
    const { port, mediaPaths } = this.#target;
    for (const [viewer, mediaPath] of mediaPaths.entries()) {
      this.#viewers.push(new Viewer(port, mediaPath, this));
      if (viewer % VIEWERS_PER_STEP === 0) await delay(STEP_INTERVAL_MS);
    }
    const deadlineMs = hrtimeMs() + START_TIMEOUT_MS;
    while (this.#started < mediaPaths.length) {
      if (hrtimeMs() > deadlineMs) {
        throw new Error(
          `${this.#started} of ${mediaPaths.length} viewers play: ${JSON.stringify(this.#errors)}`,
        );
      }
      await delay(POLL_INTERVAL_MS);
    }
  }

  viewerStarted(): void {
    this.#started++;
  }

  viewerServed({ msn, part }: PartNumber): void {
    const name = `${msn}.${part}`;
    let served = this.#served.get(name);
    if (served === undefined) {
      served = { msn, part, doneAtMs: [] };
      this.#served.set(name, served);
    }
    served.doneAtMs.push(hrtimeMs());
  }

  failed(reason: string): void {
    this.#errors[reason] = (this.#errors[reason] ?? 0) + 1;
  }

  take(): { parts: ServedPart[]; errors: Record<string, number>; usage: ProcessUsage } {
    const parts = [...this.#served.values()];
    const errors = this.#errors;
    this.#served = new Map();
    this.#errors = {};
    return { parts, errors, usage: processUsage() };
  }

  stop(): void {
    for (const viewer of this.#viewers) viewer.close();
  }
}

class Viewer {
  readonly #swarm: Swarm;
  /** Of every request: everything except the requested name, which is between the two. */
  readonly #requestStart: string;
  readonly #requestEnd: string;
  readonly #playlistLink: HttpLink;
  readonly #partLink: HttpLink;
  /** What both requests ask for; null until the first playlist has come. */
  #asked: PartNumber | null = null;
  #next: PartNumber | null = null;
  #hasPart = false;

  constructor(port: number, mediaPath: string, swarm: Swarm) {
    this.#swarm = swarm;
    this.#requestStart = `GET ${mediaPath}`;
    this.#requestEnd = ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const onBroken = (reason: string) => swarm.failed(reason);
    this.#playlistLink = new HttpLink(port, HINT_TAIL_CHARS, {
      onAnswer: (status, tail) => this.#onPlaylist(status, tail),
      onBroken,
    });
    this.#partLink = new HttpLink(port, 0, { onAnswer: (status) => this.#onPart(status), onBroken });
    this.#send(this.#playlistLink, 'file.m3u8');
  }

  close(): void {
    this.#playlistLink.close();
    this.#partLink.close();
  }

  #onPlaylist(status: number, tail: string): void {
    this.#next = status === 200 ? readPreloadHint(tail) : null;
    if (this.#next === null) this.#giveUp(`playlist ${status}`);
    else if (this.#asked === null) this.#ask(this.#next);
    else if (this.#hasPart) this.#served(this.#asked, this.#next);
  }

  #onPart(status: number): void {
    this.#hasPart = true;
    if (status !== 200) this.#swarm.failed(`part ${status}`);
    if (this.#asked !== null && this.#next !== null) this.#served(this.#asked, this.#next);
  }

  #served(asked: PartNumber, next: PartNumber): void {
    this.#swarm.viewerServed(asked);
    this.#ask(next);
  }

  #ask(wanted: PartNumber): void {
    if (this.#asked === null) this.#swarm.viewerStarted();
    this.#asked = wanted;
    this.#next = null;
    this.#hasPart = false;
    const { msn, part } = wanted;
    this.#send(this.#playlistLink, `file.m3u8?_HLS_msn=${msn}&_HLS_part=${part}`);
    this.#send(this.#partLink, `seg_${msn}.${part}.m4v`);
  }

  #send(link: HttpLink, name: string): void {
    link.send(this.#requestStart + name + this.#requestEnd);
  }

  /** A viewer whose playlist fails is out: what follows would measure its retries. */
  #giveUp(reason: string): void {
    this.#swarm.failed(reason);
    this.close();
  }
}

let swarm: Swarm | null = null;

const calls: SwarmViewerCalls = {
  start: (target) => {
    swarm = new Swarm(target);
    return swarm.start();
  },
  take: () => swarm!.take(),
  stop: () => swarm?.stop(),
};

answerParent(calls);
