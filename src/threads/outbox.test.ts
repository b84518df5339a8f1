import { describe, expect, it } from 'vitest';
import { MAX_WAITING, Outbox } from './outbox.ts';

/** Accepts a batch when the test says so. */
class Receiver {
  readonly batches: (readonly string[])[] = [];
  readonly dropped: number[] = [];
  #taking = Promise.withResolvers<void>();
  readonly outbox = new Outbox<string>({
    send: (items) => {
      this.batches.push(items);
      return this.#taking.promise;
    },
    mayDrop: (item) => item.startsWith('viewer'),
    onDropped: (count) => this.dropped.push(count),
  });

  async take(): Promise<void> {
    const taking = this.#taking;
    this.#taking = Promise.withResolvers();
    taking.resolve();
    await taking.promise;
  }

  async goAway(): Promise<void> {
    const gone = this.#taking;
    gone.reject(new Error('gone'));
    await gone.promise.catch(() => undefined);
  }
}

describe('Outbox', () => {
  it('sends the first immediately, and what arrives meanwhile together, in order', async () => {
    const receiver = new Receiver();
    for (const item of ['a', 'b', 'c']) receiver.outbox.add(item);
    expect(receiver.batches).toEqual([['a']]);
    await receiver.take();
    expect(receiver.batches).toEqual([['a'], ['b', 'c']]);
    await receiver.take();
    receiver.outbox.add('d');
    expect(receiver.batches).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  it('drops what may be dropped when too much is waiting, and reports how much', async () => {
    const receiver = new Receiver();
    receiver.outbox.add('first');
    for (let i = 0; i < MAX_WAITING; i++) receiver.outbox.add('change');
    receiver.outbox.add('viewer 1');
    receiver.outbox.add('viewer 2');
    receiver.outbox.add('last');
    let sent = 0;
    while (receiver.batches.length > sent) {
      sent = receiver.batches.length;
      await receiver.take();
    }
    const items = receiver.batches.flat();
    expect(items).toHaveLength(MAX_WAITING + 2);
    expect(items.at(-1)).toBe('last');
    expect(receiver.dropped).toEqual([2]);
  });

  it('keeps nothing for a receiver that has ended', async () => {
    const receiver = new Receiver();
    receiver.outbox.add('a');
    receiver.outbox.add('b');
    await receiver.goAway();
    receiver.outbox.add('c');
    expect(receiver.batches).toEqual([['a']]);
  });
});
