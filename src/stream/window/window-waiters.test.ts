import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import type { LiveBody, Waiter } from '../media/live-media.ts';
import { RenderedPlaylist } from '../media/rendered-playlist.ts';
import { WindowWaiters } from './window-waiters.ts';

const PLAYLIST = { isPart: false, msn: 1, part: 0, skip: false, extension: 'm4v' } as const;
const PART = { ...PLAYLIST, isPart: true };
const BODY: LiveBody = new RenderedPlaylist('body');
const MAX_WAITERS = 2;

describe('WindowWaiters', () => {
  let clock: FakeClock;
  let waiters: WindowWaiters;
  let log: string[];

  beforeEach(() => {
    clock = new FakeClock();
    waiters = new WindowWaiters(clock, MAX_WAITERS);
    log = [];
  });

  function waiter(name: string): Waiter {
    return {
      onReady: () => void log.push(name),
      onGone: ({ code }) => void log.push(`${name}: ${code}`),
    };
  }

  it('sends the playlists that list a part before the part, whoever asked first', () => {
    for (const viewer of ['a', 'b']) {
      waiters.add(waiter(`part ${viewer}`), PART, 100);
      waiters.add(waiter(`playlist ${viewer}`), PLAYLIST, 100);
    }
    waiters.settle(
      () => BODY,
      () => false,
    );
    expect(log).toEqual(['playlist a', 'playlist b', 'part a', 'part b']);
    expect(waiters.count).toBe(0);
  });

  it('holds as many requests of one kind, however many of the other wait', () => {
    for (const viewer of ['a', 'b']) {
      waiters.add(waiter(`part ${viewer}`), PART, 100);
      waiters.add(waiter(`playlist ${viewer}`), PLAYLIST, 100);
    }
    waiters.add(waiter('part c'), PART, 100);
    waiters.add(waiter('playlist c'), PLAYLIST, 100);
    expect(log).toEqual(['part c: LIVE_TOO_MANY_WAITERS', 'playlist c: LIVE_TOO_MANY_WAITERS']);
    expect(waiters.count).toBe(2 * MAX_WAITERS);
  });

  it('knows when someone last waited, for whatever', () => {
    const atStart = clock.monoMs();
    for (const awaited of [PLAYLIST, PART]) {
      const left = waiter('left');
      waiters.add(left, awaited, 100);
      clock.advance(10);
      expect(waiters.lastWaitMonoMs).toBe(clock.monoMs());
      waiters.cancel(left);
      clock.advance(10);
    }
    expect([waiters.lastWaitMonoMs - atStart, waiters.count]).toEqual([30, 0]);
  });
});
