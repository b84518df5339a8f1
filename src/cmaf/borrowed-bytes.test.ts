import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockLender } from './block-lender.ts';
import { BorrowedBytes, SharedSlabs } from './borrowed-bytes.ts';
import { ByteQueue } from './byte-queue.ts';
import { BLOCK_BYTES, mediaBlockBytes, slabWatchers } from './media-blocks.ts';
import { PartBytes } from './part-bytes.ts';

let before: number;
let slabs: SharedSlabs;
let lender: BlockLender;
let released: number[];
/** Slabs that this thread no longer has. */
let forgotten: number[];
const watch = (slabId: number): void => void forgotten.push(slabId);

beforeEach(() => {
  before = mediaBlockBytes().used;
  [released, forgotten] = [[], []];
  slabs = new SharedSlabs();
  lender = new BlockLender(slabs);
  slabWatchers.add(watch);
});
afterEach(() => {
  slabWatchers.delete(watch);
  lender.close();
  expect(mediaBlockBytes().used).toBe(before);
});

function partOf(text: string): PartBytes {
  const queue = new ByteQueue();
  queue.append(Buffer.from(text));
  const run = queue.share(queue.byteLength);
  queue.clear();
  return new PartBytes([run]);
}

function borrow(text: string): BorrowedBytes {
  const lent = lender.lend(partOf(text));
  return BorrowedBytes.of(lent, slabs, (hold) => void released.push(hold));
}

describe('bytes in blocks of another thread', () => {
  it('are read where they lie, and given back when the last user has left', () => {
    const text = 'abc'.repeat(BLOCK_BYTES);
    const bytes = borrow(text);
    const again = bytes.again();
    bytes.release();
    bytes.release();
    expect(released).toEqual([]);
    expect(again.join().toString()).toBe(text);
    expect(Buffer.concat(again.views()).toString()).toBe(text);
    again.release();
    expect(released).toEqual([0]);
    lender.release(released);
    expect([lender.holds, mediaBlockBytes().used]).toEqual([0, before]);
  });

  it('can be lent to a third thread, which knows the slabs by other numbers', () => {
    const bytes = borrow('part');
    const third = new SharedSlabs();
    const second = new BlockLender(third);
    const lent = second.lend(bytes);
    const there = BorrowedBytes.of(lent, third, (hold) => second.release([hold]));
    expect(there.join().toString()).toBe('part');
    expect(lent.places[0]).not.toBe(lender.lend(partOf('other')).places[0]);
    there.release();
    expect(released).toEqual([0]);
    second.close();
  });

  it('outlive that thread, and its slabs are forgotten with the last of them', () => {
    const [one, other] = [borrow('one'), borrow('other')];
    // Two, if the first part took the last block that was free in a slab of earlier tests.
    const slabCount = slabs.size;
    slabs.close();
    one.release();
    expect([slabs.size, forgotten]).toEqual([slabCount, []]);
    expect(other.join().toString()).toBe('other');
    other.release();
    expect([slabs.size, forgotten.length]).toEqual([0, slabCount]);
  });
});
