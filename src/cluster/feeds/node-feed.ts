/** The words that this node sends to one other node: all of them when a link opens, then the changed ones, one word per key. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { NodeLink } from '../links/node-link.ts';
import { packed } from '../mirror/mirror-messages.ts';

/** Changes of this time are one message. */
export const GATHER_MS = 50;
/** Words in one message. */
export const MAX_WORDS = 200;
/** Messages in one GATHER_MS: a node's first words may be more than the other node can pass on in one step. */
export const MAX_MESSAGES = 10;
/** Keys that can wait to be sent; beyond that, the link ends, and the next one begins with everything. */
export const MAX_CHANGED = 500_000;
/** More waits until the link has sent that. */
const MAX_WAITING_BYTES = 4 * 1_048_576;
/** Before another attempt; the links themselves pause longer after failures. */
const RETRY_MS = 250;

/** Kinds of messages. */
export interface FeedKinds {
  /** Attached: an array of words, in V8's format. */
  readonly said: string;
  /** Everything that the node has to say was said since the link opened. */
  readonly complete: string;
}

/** The words that a node has to send: one per key. */
export interface FeedWords<Key extends string, Word> {
  readonly kinds: FeedKinds;
  readonly own: () => Iterable<Key>;
  /** As it holds now; it also says so if there is nothing to say any longer. */
  readonly wordOf: (key: Key) => Word;
}

export interface NodeFeedOptions<Key extends string, Word> extends FeedWords<Key, Word> {
  /** Rejects while the node cannot be reached. */
  readonly linkTo: () => Promise<NodeLink>;
  readonly clock: Clock;
}

export class NodeFeed<Key extends string, Word> {
  readonly #options: NodeFeedOptions<Key, Word>;
  /** In order; each with what holds when it is sent. */
  readonly #changed = new Set<Key>();
  #link: NodeLink | null = null;
  #release: (() => void) | null = null;
  #isComplete = false;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: NodeFeedOptions<Key, Word>) {
    this.#options = options;
    void this.#open();
  }

  /** Without a link, the next one begins with everything. */
  changed(key: Key): void {
    if (this.#link === null) return;
    this.#changed.add(key);
    if (this.#changed.size > MAX_CHANGED) this.#link.close();
    else this.#arm(GATHER_MS);
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
      for (const key of this.#options.own()) this.#changed.add(key);
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
    const { kinds } = this.#options;
    for (let messages = 0; this.#link !== null && this.#changed.size > 0; messages++) {
      if (messages === MAX_MESSAGES || this.#link.waitingBytes > MAX_WAITING_BYTES) {
        this.#arm(GATHER_MS);
        return;
      }
      this.#link.send({ kind: kinds.said, body: null, bytes: [packed(this.#nextWords())] });
    }
    if (this.#link === null || this.#isComplete) return;
    this.#isComplete = true;
    this.#link.send({ kind: kinds.complete, body: null });
  }

  #nextWords(): Word[] {
    const next = [...this.#changed.values().take(MAX_WORDS)];
    for (const key of next) this.#changed.delete(key);
    return next.map((key) => this.#options.wordOf(key));
  }
}
