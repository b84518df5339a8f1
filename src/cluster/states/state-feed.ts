/** What this node tells one other node of its cameras: all of it when a link opens, then what changes, one word per camera. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeLink } from '../links/node-link.ts';
import { packed } from '../mirror/mirror-messages.ts';
import type { StateBoard } from './state-board.ts';
import { type CameraWords, STATES } from './state-messages.ts';

/** Changes of this time are one message. */
export const GATHER_MS = 50;
/** Of one message. */
export const MAX_WORDS = 200;
/** More waits until the link has sent that. */
const MAX_WAITING_BYTES = 4 * 1_048_576;
/** Before another attempt; the links themselves pause longer after failures. */
const RETRY_MS = 250;

export interface StateFeedOptions {
  readonly board: Pick<StateBoard, 'own' | 'ownWord'>;
  /** Rejects while the node cannot be reached. */
  readonly linkTo: () => Promise<NodeLink>;
  readonly clock: Clock;
}

export class StateFeed {
  readonly #options: StateFeedOptions;
  /** In order; each with what holds when it is sent. */
  readonly #changed = new Set<Ruuid>();
  #link: NodeLink | null = null;
  #release: (() => void) | null = null;
  #isComplete = false;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: StateFeedOptions) {
    this.#options = options;
    void this.#open();
  }

  /** Without a link, the next one begins with everything. */
  changed(cameraUuid: Ruuid): void {
    if (this.#link === null) return;
    this.#changed.add(cameraUuid);
    this.#arm(GATHER_MS);
  }

  linkClosed(link: NodeLink): void {
    if (link !== this.#link) return;
    this.#lose();
    this.#retry();
  }

  close(): void {
    this.#isClosed = true;
    this.#lose();
  }

  async #open(): Promise<void> {
    try {
      const link = await this.#options.linkTo();
      if (this.#isClosed) return;
      if (link.ended !== null) throw link.ended;
      this.#link = link;
      this.#release = link.hold();
      this.#isComplete = false;
      for (const cameraUuid of this.#options.board.own()) this.#changed.add(cameraUuid);
      this.#send();
    } catch {
      // The links have logged it.
      this.#retry();
    }
  }

  #retry(): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(RETRY_MS, () => {
      this.#timer = null;
      void this.#open();
    });
  }

  #lose(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#release?.();
    this.#release = null;
    this.#link = null;
    this.#changed.clear();
  }

  #arm(delayMs: number): void {
    this.#timer ??= this.#options.clock.after(delayMs, () => {
      this.#timer = null;
      this.#send();
    });
  }

  #send(): void {
    while (this.#link !== null && this.#changed.size > 0) {
      if (this.#link.waitingBytes > MAX_WAITING_BYTES) {
        this.#arm(GATHER_MS);
        return;
      }
      this.#link.send({ kind: STATES.said, body: null, bytes: [packed(this.#nextWords())] });
    }
    if (this.#link === null || this.#isComplete) return;
    this.#isComplete = true;
    this.#link.send({ kind: STATES.complete, body: null });
  }

  #nextWords(): CameraWords {
    const next = [...this.#changed.values().take(MAX_WORDS)];
    for (const cameraUuid of next) this.#changed.delete(cameraUuid);
    return next.map((cameraUuid) => [cameraUuid, this.#options.board.ownWord(cameraUuid)]);
  }
}
