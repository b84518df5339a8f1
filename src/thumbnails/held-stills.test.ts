import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import { HELD_MS, HeldStills } from './held-stills.ts';
import type { Still } from './stills.ts';

const { total: MAX_HELD_STILLS, bytes: MAX_HELD_BYTES } = LIMITS.heldStills;

function still(sizeBytes = 1): Still {
  const size = { widthPx: 1, heightPx: 1 };
  return { bytes: Buffer.alloc(sizeBytes), format: 'jpeg', ...size, takenAtEpochMs: 1, digest: 'x' };
}

describe('HeldStills', () => {
  it('gives each a name that no one can guess, for some minutes', () => {
    const clock = new FakeClock();
    const held = new HeldStills(clock);
    const cameraUuid = newRuuid();
    const one = still();
    const names = [held.hold(cameraUuid, one), held.hold(cameraUuid, one)];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[\w-]{22}\.jpeg$/);
    expect(held.find(names[0]!)).toMatchObject({ still: one, cameraUuid });
    expect(held.find(names[0]!.replace('.jpeg', '.webp'))).toBeNull();
    clock.advance(HELD_MS);
    expect(held.find(names[0]!)).toBeNull();
  });

  it('has a limit of stills, and of their bytes', () => {
    const held = new HeldStills(new FakeClock());
    const cameraUuid = newRuuid();
    const names = Array.from({ length: MAX_HELD_STILLS + 1 }, () => held.hold(cameraUuid, still()));
    expect([held.find(names[0]!), held.find(names[1]!)]).toMatchObject([null, { cameraUuid }]);
    const large = [1, 2, 3].map(() => held.hold(cameraUuid, still(MAX_HELD_BYTES / 2)));
    expect(large.map((name) => held.find(name) !== null)).toEqual([false, true, true]);
  });

  it('keeps those of one organization, however many another one has made', () => {
    const [own, ofOthers] = [newRuuid(), newRuuid()];
    const held = new HeldStills(new FakeClock(), (camera) => (camera === own ? 'a' : 'b'));
    const names = [1, 2, 3].map(() => held.hold(own, still(MAX_HELD_BYTES / 16)));
    for (let count = 0; count < 2 * MAX_HELD_STILLS; count++) held.hold(ofOthers, still());
    for (let count = 0; count < 40; count++) held.hold(ofOthers, still(MAX_HELD_BYTES / 16));
    expect(names.map((name) => held.find(name) !== null)).toEqual([true, true, true]);
  });

  it('forgets those of a camera that was deleted', () => {
    const held = new HeldStills(new FakeClock());
    const [gone, stays] = [newRuuid(), newRuuid()];
    const names = [gone, stays].map((cameraUuid) => held.hold(cameraUuid, still()));
    held.forget(gone);
    expect(names.map((name) => held.find(name) !== null)).toEqual([false, true]);
  });
});
