import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { CameraOwnership, CameraRole, RoleEnd, RoleListener } from './camera-ownership.ts';
import type { Numbering, NumberingEntry } from './numbering.ts';
import { OwnedNumbering } from './owned-numbering.ts';

class FakeOwnership implements CameraOwnership {
  role: CameraRole | null = null;
  fence = 1;
  isAbandoned = false;
  readonly isCutOff = false;
  readonly #listeners = new Set<RoleListener>();
  onRole(listener: RoleListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  onCutOff(): () => void {
    return () => undefined;
  }
  mayPublish(): boolean {
    return true;
  }
  abandon(): void {
    this.isAbandoned = true;
  }
  async become(role: CameraRole | null, end: RoleEnd = 'given-up'): Promise<void> {
    this.role = role;
    await Promise.all([...this.#listeners].map((listener) => listener(role, end)));
  }
}

class Bench {
  readonly clock = new FakeClock();
  readonly ownership = new FakeOwnership();
  readonly saved: NumberingEntry[] = [];
  readonly owned: (Numbering | null)[] = [];
  endings = 0;
  isBroken = false;
  readonly numbering: OwnedNumbering;

  constructor() {
    const store = {
      find: async () => {
        if (this.isBroken) throw new Error('away');
        return this.saved.at(-1) ?? null;
      },
      save: async (entry: NumberingEntry) => void this.saved.push(entry),
    };
    this.numbering = new OwnedNumbering({
      store,
      cameraUuid: newRuuid(),
      rendition: 'main',
      clock: this.clock,
      log: silentLog,
      ownership: this.ownership,
      onOwned: (numbers) => this.owned.push(numbers),
      onEnding: () => void this.endings++,
    });
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe('the numbering of a rendition in a cluster', () => {
  it('waits for the role of its camera, and has no numbers as a mirror', async () => {
    const bench = new Bench();
    const opened = bench.numbering.open();
    await bench.ownership.become('mirror');
    await opened;
    expect(bench.numbering.current).toBeNull();
    expect(bench.saved).toEqual([]);
  });

  it('goes on at the exact number when one node gives the camera up and another one takes it', async () => {
    const bench = new Bench();
    bench.ownership.role = 'owner';
    await bench.numbering.open();
    const first = bench.numbering.current!;
    const next = first.nextMediaSequenceNumber + 7;
    bench.numbering.advance({ ...first, nextMediaSequenceNumber: next, initFingerprint: 'aa' });
    await bench.ownership.become(null);
    expect(bench.owned).toEqual([null]);
    expect(bench.endings).toBe(1);
    expect(bench.saved.at(-1)).toMatchObject({ nextMediaSequenceNumber: next, fence: 1 });
    bench.ownership.fence = 2;
    await bench.ownership.become('owner');
    expect(bench.owned.at(-1)).toMatchObject({ nextMediaSequenceNumber: next });
    expect(bench.saved.at(-1)!.fence).toBe(2);
  });

  it('publishes nothing more of what is held when the lease is lost', async () => {
    const bench = new Bench();
    bench.ownership.role = 'owner';
    await bench.numbering.open();
    await bench.ownership.become(null, 'lost');
    expect(bench.endings).toBe(0);
    expect(bench.owned).toEqual([null]);
  });

  it('reads its numbers again until the store answers, while it is the owner', async () => {
    const bench = new Bench();
    bench.ownership.role = 'owner';
    bench.isBroken = true;
    let isOpen = false;
    void bench.numbering.open().then(() => {
      isOpen = true;
    });
    await settled();
    expect(isOpen).toBe(false);
    bench.isBroken = false;
    bench.clock.advance(500);
    await settled();
    expect(isOpen).toBe(true);
    expect(bench.numbering.current).not.toBeNull();
  });

  it('is closed before its role is known, and leaves nothing behind', async () => {
    const bench = new Bench();
    const opened = bench.numbering.open();
    await bench.numbering.close();
    await opened;
    expect(bench.numbering.current).toBeNull();
    await bench.ownership.become('owner');
    expect(bench.saved).toEqual([]);
  });
});
