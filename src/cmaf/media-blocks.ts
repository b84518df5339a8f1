/**
 * Memory for samples, in blocks of one size that all cameras of the thread share: one copy puts a frame where it stays
 * until it leaves the live window, and blocks that one camera returns fit every other. A block is free again when its
 * last user has released it. Viewers never get a block: sent bytes have been copied out of it.
 *
 * Blocks are cut from slabs. Small pieces would stay with malloc after they are freed; a slab is mapped on its own, and
 * goes back to the system. It is shared memory, which V8's collector does not count: otherwise it would begin a collection
 * for every few megabytes while the windows of many cameras fill. So this module reports slabs to collect.
 */

export const BLOCK_BYTES = 65_536;
const BLOCKS_PER_SLAB = 16;
const SLAB_BYTES = BLOCK_BYTES * BLOCKS_PER_SLAB;
/** Slabs without users that are kept: 64 MiB. Beyond this limit, they go back to the system. */
export const MAX_SPARE_SLABS = 64;
/**
 * Bytes per report to the collector: less does not make it begin (V8's kExternalAllocationSoftLimit is 64 MiB).
 */
const TOLD_BYTES = 96 * 1_048_576;

export interface MediaBlock {
  readonly bytes: Buffer;
  users: number;
  readonly slab: Slab;
}

let slabs = 0;

/** A slab of another thread, in which this one reads. */
export interface ImportedSlab {
  /** Never used again: other slabs of this thread have other ones. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly bytes: Buffer;
}

class Slab {
  /** Never used again. */
  readonly id = slabs++;
  readonly free: MediaBlock[] = [];
  /** Position in `partial`, if it is there. */
  place = 0;

  constructor() {
    // Growable memory is mapped on its own, whatever its size.
    const memory = new SharedArrayBuffer(SLAB_BYTES, { maxByteLength: SLAB_BYTES });
    collected.register(memory, null);
    for (let at = 0; at < SLAB_BYTES; at += BLOCK_BYTES) {
      this.free.push({ bytes: Buffer.from(memory, at, BLOCK_BYTES), users: 0, slab: this });
    }
  }
}

/** Called with the ID of each slab that goes back to the system: it has no users, and will have none. */
export const slabWatchers = new Set<(slabId: number) => void>();

/** With used and free blocks: new users come here first, so that other slabs become free as a whole. */
const partial: Slab[] = [];
/** With free blocks only. */
const spare: Slab[] = [];
let usedBlocks = 0;
let freeBlocks = 0;
/** Bytes of slabs that were given up and are not collected yet. */
let forgottenBytes = 0;
/** How many of them were reported to the collector. */
let toldBytes = 0;
let isCounting = false;
/** Called for each slab that a collection found. */
const collected = new FinalizationRegistry(() => {
  forgottenBytes -= SLAB_BYTES;
  if (isCounting) return;
  isCounting = true;
  queueMicrotask(remindAgain);
});

/** Memory of this thread's blocks. `used`: by samples. `free`: kept for others. */
export function mediaBlockBytes(): { readonly used: number; readonly free: number } {
  return { used: usedBlocks * BLOCK_BYTES, free: freeBlocks * BLOCK_BYTES };
}

/** A block with one user. Its bytes are arbitrary. */
export function takeBlock(): MediaBlock {
  const slab = partial[partial.length - 1] ?? beginSlab();
  const block = slab.free.pop()!;
  // It is the last one.
  if (slab.free.length === 0) partial.length--;
  usedBlocks++;
  freeBlocks--;
  block.users = 1;
  return block;
}

/** The user must not touch the block anymore. */
export function releaseBlock(block: MediaBlock): void {
  block.users--;
  if (block.users > 0) return;
  usedBlocks--;
  freeBlocks++;
  const { slab } = block;
  slab.free.push(block);
  if (slab.free.length === 1) enter(slab);
  if (slab.free.length === BLOCKS_PER_SLAB) retire(slab);
}

function beginSlab(): Slab {
  let slab = spare.pop();
  if (slab === undefined) {
    slab = new Slab();
    freeBlocks += BLOCKS_PER_SLAB;
  }
  enter(slab);
  return slab;
}

function enter(slab: Slab): void {
  slab.place = partial.length;
  partial.push(slab);
}

/** The slab has no users. */
function retire(slab: Slab): void {
  const last = partial.pop()!;
  if (last !== slab) {
    partial[slab.place] = last;
    last.place = slab.place;
  }
  if (spare.length < MAX_SPARE_SLABS) {
    spare.push(slab);
    return;
  }
  freeBlocks -= BLOCKS_PER_SLAB;
  forgetSlab(slab.id);
}

/** `memory`: a slab of another thread. */
export function importSlab(memory: SharedArrayBuffer): ImportedSlab {
  collected.register(memory, null);
  return { id: slabs++, memory, bytes: Buffer.from(memory) };
}

/** This thread does not use the slab, and will not use it again. */
export function forgetSlab(slabId: number): void {
  forgottenBytes += SLAB_BYTES;
  for (const watch of slabWatchers) watch(slabId);
  remindCollector();
}

/** A collection does not find slabs that were given up after it had begun: another one has to follow. */
function remindAgain(): void {
  isCounting = false;
  toldBytes = 0;
  remindCollector();
}

/**
 * V8 begins an incremental collection when this much memory is added, even if it is freed immediately. Nothing touches it,
 * so it costs address space only.
 */
function remindCollector(): void {
  if (forgottenBytes - toldBytes < TOLD_BYTES) return;
  toldBytes = forgottenBytes;
  try {
    new ArrayBuffer(TOLD_BYTES).transfer(0);
  } catch {
    // No address space for it: the slabs are found when the collector begins by itself.
  }
}

/** Where a run lies, for other threads of the process: valid as long as someone in this thread uses the blocks. */
export interface SharedRun {
  readonly blocks: readonly SharedBlock[];
  /** Position of its first byte in the first block. */
  readonly startBytes: number;
  readonly byteLength: number;
}

export interface SharedBlock {
  /** The ID of the slab, whose memory is `memory`. */
  readonly slabId: number;
  readonly memory: SharedArrayBuffer;
  /** Position of the block in the slab. */
  readonly atBytes: number;
}

/** Bytes that span blocks, which it uses until `release`. */
export class BlockRun {
  readonly byteLength: number;
  readonly #startBytes: number;
  #blocks: MediaBlock[];

  /** Begins at `startBytes` of the first block. The blocks get one more user. */
  constructor(blocks: MediaBlock[], startBytes: number, byteLength: number) {
    this.byteLength = byteLength;
    this.#startBytes = startBytes;
    this.#blocks = blocks;
    for (const block of blocks) block.users++;
  }

  /** The same bytes for one more user, who releases them on their own. */
  again(): BlockRun {
    return new BlockRun([...this.#blocks], this.#startBytes, this.byteLength);
  }

  where(): SharedRun {
    const blocks = this.#blocks.map(({ bytes, slab }) => ({
      slabId: slab.id,
      memory: bytes.buffer as unknown as SharedArrayBuffer,
      atBytes: bytes.byteOffset,
    }));
    return { blocks, startBytes: this.#startBytes, byteLength: this.byteLength };
  }

  /** The bytes where they lie, in order: not to be read after `release`. */
  views(): Uint8Array[] {
    let from = this.#startBytes;
    let left = this.byteLength;
    return this.#blocks.map(({ bytes }) => {
      const view = bytes.subarray(from, from + left);
      left -= view.length;
      from = 0;
      return view;
    });
  }

  /** Copies all of it to `position` of `target`. */
  copyTo(target: Buffer, position: number): void {
    let from = this.#startBytes;
    let left = this.byteLength;
    for (const { bytes } of this.#blocks) {
      const copied = bytes.copy(target, position + this.byteLength - left, from, from + left);
      left -= copied;
      from = 0;
    }
  }

  /** Idempotent. */
  release(): void {
    for (const block of this.#blocks) releaseBlock(block);
    this.#blocks = [];
  }
}
