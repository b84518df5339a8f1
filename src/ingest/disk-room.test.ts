import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { DiskRoom, KNOWN_FOR_MS } from './disk-room.ts';

it('knows for a moment whether there is room, and asks once at a time', async () => {
  const clock = new FakeClock();
  let free = 1_000;
  let requested = 0;
  const room = new DiskRoom({
    folder: '/data',
    minFreeBytes: 1_000,
    clock,
    freeBytes: async () => {
      requested++;
      return free;
    },
  });
  expect(await Promise.all([room.hasRoom(), room.hasRoom()])).toEqual([true, true]);
  free = 999;
  expect(await room.hasRoom()).toBe(true);
  clock.advance(KNOWN_FOR_MS);
  expect([await room.hasRoom(), requested]).toEqual([false, 2]);
});

it('takes a disk that does not answer for one with room', async () => {
  const room = new DiskRoom({
    folder: '/data',
    minFreeBytes: 1_000,
    clock: new FakeClock(),
    freeBytes: () => Promise.reject(new Error('EIO')),
  });
  expect(await room.hasRoom()).toBe(true);
});
