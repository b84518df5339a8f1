/**
 * The order of a store's requests when several connections run them. Callers can rely on what one connection would
 * guarantee: writes run one after the other, a read sees every write that was requested before it, and promises settle so
 * that no older read overtakes code that acts on a committed write.
 */

/** Reads between two writes. The second write settles after them. */
interface ReadGroup {
  open: number;
  onEmpty: (() => void) | null;
}

export class RequestOrder {
  /** Never rejects: the newest write has run. */
  #lastWriteRan: Promise<unknown> = Promise.resolve();
  /** Never rejects: the newest write and all before it have settled. */
  #lastWriteSettled: Promise<unknown> = Promise.resolve();
  #reads: ReadGroup = { open: 0, onEmpty: null };

  /** Starts when every earlier write has run; runs in parallel with other reads and later writes. */
  async read<T>(execute: () => Promise<T>): Promise<T> {
    const group = this.#reads;
    group.open += 1;
    try {
      await this.#lastWriteRan;
      return await execute();
    } finally {
      group.open -= 1;
      if (group.open === 0) group.onEmpty?.();
    }
  }

  /** Starts when every earlier write has run; settles when all earlier requests have settled. */
  write<T>(execute: () => Promise<T>): Promise<T> {
    const ran = this.#lastWriteRan.then(execute);
    const settled = settledAfter(ran, this.#lastWriteSettled, untilEmpty(this.#reads));
    this.#reads = { open: 0, onEmpty: null };
    this.#lastWriteRan = ran.catch(() => undefined);
    this.#lastWriteSettled = settled.catch(() => undefined);
    return settled;
  }
}

async function settledAfter<T>(
  ran: Promise<T>,
  earlierWrites: Promise<unknown>,
  earlierReads: Promise<void>,
): Promise<T> {
  const [outcome] = await Promise.allSettled([ran, earlierWrites, earlierReads]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

function untilEmpty(group: ReadGroup): Promise<void> {
  if (group.open === 0) return Promise.resolve();
  return new Promise((resolve) => {
    group.onEmpty = resolve;
  });
}
