import { describe, expect, it } from 'vitest';
import { createRingMemory, RingFiller, RingReader } from './shared-ring.ts';

const SIZE = 4_096;

describe('shared ring', () => {
  it('has a power of two of bytes', () => {
    expect(createRingMemory(5_000).data.byteLength).toBe(8_192);
    expect(createRingMemory(SIZE).data.byteLength).toBe(SIZE);
  });

  it('passes bytes on in order, and never over bytes that are still there', () => {
    const memory = createRingMemory(SIZE);
    const [filler, reader] = [new RingFiller(memory), new RingReader(memory)];
    const waiting: { position: number; length: number; release: number; value: number }[] = [];
    let refused = 0;
    let passed = 0;
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let i = 0; i < 20_000; i++) {
      const length = 1 + random(1_500);
      const slot = filler.reserve(length);
      if (slot === null) refused++;
      else {
        filler.bytes.fill(i & 0xff, slot.position, slot.position + length);
        waiting.push({ ...slot, length, value: i & 0xff });
      }
      while (waiting.length > 0 && (slot === null || random(3) === 0)) {
        const { position, length: held, release, value } = waiting.shift()!;
        const view = reader.view(position, held);
        expect(view.every((byte) => byte === value)).toBe(true);
        reader.release(release);
        passed++;
        if (random(4) === 0) break;
      }
      expect(filler.usedBytes).toBeLessThanOrEqual(SIZE);
    }
    expect(refused).toBeGreaterThan(100);
    expect(passed).toBeGreaterThan(1_000);
  });

  it('refuses what can never fit, and takes what fits exactly', () => {
    const filler = new RingFiller(createRingMemory(SIZE));
    expect(filler.reserve(SIZE + 1)).toBeNull();
    expect(filler.reserve(SIZE)).not.toBeNull();
    expect([filler.usedBytes, filler.reserve(1)]).toEqual([SIZE, null]);
  });

  it('begins at the front again when it is empty', () => {
    const memory = createRingMemory(SIZE);
    const [filler, reader] = [new RingFiller(memory), new RingReader(memory)];
    for (let i = 0; i < 5; i++) {
      const slot = filler.reserve(1_000)!;
      expect(slot.position).toBe(0);
      reader.release(slot.release);
    }
  });
});
