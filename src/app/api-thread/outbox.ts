/**
 * What one thread tells the other without waiting: in order, one batch under way at a time, so that a thread which is
 * busy gets few large messages, not many small ones. Bounded where the outside decides how much there is to tell.
 */

/** Beyond so many that wait, those that may be dropped are. */
export const MAX_WAITING = 10_000;
const MAX_BATCH = 500;

export interface OutboxOptions<Item> {
  /** Resolves when the other thread has taken them. Rejects when it is gone: then nothing more is sent. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  readonly mayDrop: (item: Item) => boolean;
  /** Called before the next batch, when something was dropped. */
  readonly onDropped: (count: number) => void;
}

export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>;
  #waiting: Item[] = [];
  #dropped = 0;
  #state: 'idle' | 'sending' | 'ended' = 'idle';

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#state === 'ended') return;
    if (this.#waiting.length >= MAX_WAITING && this.#options.mayDrop(item)) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(item);
    if (this.#state === 'idle') void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#state = 'sending';
    try {
      while (this.#waiting.length > 0) {
        if (this.#dropped > 0) this.#options.onDropped(this.#dropped);
        this.#dropped = 0;
        await this.#options.send(this.#waiting.splice(0, MAX_BATCH));
      }
      this.#state = 'idle';
    } catch {
      this.#state = 'ended';
      this.#waiting = [];
    }
  }
}
