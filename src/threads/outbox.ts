/**
 * One thread's reports to another, sent without waiting: in order, one batch in flight at a time, so that a busy thread
 * gets a few large messages instead of many small ones. Limited where external input decides how much there is to report.
 */

/** When more than this are waiting, droppable ones are dropped. */
export const MAX_WAITING = 10_000;
const MAX_BATCH = 500;

export interface OutboxOptions<Item> {
  /** Resolves when the other thread has accepted them. Rejects if it has ended: then nothing more is sent. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  readonly mayDrop: (item: Item) => boolean;
  /** Called before the next batch if something was dropped. */
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
