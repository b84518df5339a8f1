import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIVE_ERRORS } from '../media/errors.ts';
import type { LiveBody, Waiter } from '../media/live-media.ts';
import { RenderedPlaylist } from '../media/rendered-playlist.ts';
import { LiveWaiters } from './window-waiters.ts';

const AWAITED = { isPart: true, msn: 1, part: 0, skip: false, extension: 'm4v' } as const;
const BODY: LiveBody = new RenderedPlaylist('body');

describe('LiveWaiters', () => {
  let clock: FakeClock;
  let waiters: LiveWaiters;
  let log: string[];

  beforeEach(() => {
    clock = new FakeClock();
    waiters = new LiveWaiters(clock, 3);
    log = [];
  });

  function waiter(name: string, then: () => void = () => undefined): Waiter {
    return {
      onReady: (body) => {
        log.push(`${name}:${'text' in body ? body.text : body.bytes}`);
        then();
      },
      onGone: (error) => {
        log.push(`${name}:${error.code}`);
        then();
      },
    };
  }

  it('calls those that are ready, once, in order of arrival', () => {
    waiters.add(waiter('a'), AWAITED, 100);
    waiters.add(waiter('b'), { ...AWAITED, msn: 2 }, 100);
    waiters.add(waiter('c'), AWAITED, 100);
    const respond = ({ msn }: { msn: number }) => (msn === 1 ? BODY : 'wait');
    waiters.settle(respond);
    waiters.settle(respond);
    expect(log).toEqual(['a:body', 'c:body']);
    expect(waiters.count).toBe(1);
  });

  it('reports when someone last waited, whatever ended the wait', () => {
    const atStart = clock.monoMs();
    const waitedMs = () => waiters.lastWaitMonoMs - atStart;
    waiters.settle(() => BODY);
    expect(waiters.lastWaitMonoMs).toBe(Number.NEGATIVE_INFINITY);
    waiters.add(waiter('answered'), AWAITED, 100);
    clock.advance(10);
    expect(waitedMs()).toBe(10);
    waiters.settle(() => BODY);
    clock.advance(10);
    waiters.settle(() => BODY);
    expect(waitedMs()).toBe(10);
    const left = waiter('left');
    waiters.add(left, AWAITED, 100);
    clock.advance(5);
    waiters.cancel(left);
    clock.advance(5);
    expect(waitedMs()).toBe(25);
    waiters.add(waiter('late'), AWAITED, 100);
    clock.advance(150);
    expect(waitedMs()).toBe(130);
    waiters.add(waiter('failed'), AWAITED, 100);
    clock.advance(20);
    waiters.fail(new GatewayError(LIVE_ERRORS.LIVE_PART_GONE));
    clock.advance(20);
    expect(waitedMs()).toBe(200);
  });

  it('notifies those whose part will not arrive', () => {
    waiters.add(waiter('a'), AWAITED, 100);
    waiters.settle(() => 'unknown');
    expect(log).toEqual(['a:LIVE_PART_GONE']);
  });

  it('ends each wait at its own deadline and keeps no timer without waiters', () => {
    waiters.add(waiter('a'), AWAITED, 100);
    clock.advance(60);
    waiters.add(waiter('b'), AWAITED, 100);
    clock.advance(39);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(log).toEqual(['a:LIVE_WAIT_TIMEOUT']);
    clock.advance(60);
    expect(log).toEqual(['a:LIVE_WAIT_TIMEOUT', 'b:LIVE_WAIT_TIMEOUT']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('forgets canceled waiters, even if canceled twice, and their timer', () => {
    const a = waiter('a');
    waiters.add(a, AWAITED, 100);
    waiters.cancel(a);
    waiters.cancel(a);
    waiters.settle(() => BODY);
    expect([log, waiters.count, clock.pendingTimers]).toEqual([[], 0, 0]);
  });

  it('rejects more than its limit', () => {
    for (const name of ['a', 'b', 'c', 'd']) waiters.add(waiter(name), AWAITED, 100);
    expect(log).toEqual(['d:LIVE_TOO_MANY_WAITERS']);
  });

  it('lets a waiter cancel its neighbor, and wait again, from inside its callback', () => {
    const b = waiter('b');
    waiters.add(
      waiter('a', () => {
        waiters.cancel(b);
        waiters.add(waiter('again'), { ...AWAITED, msn: 2 }, 100);
      }),
      AWAITED,
      100,
    );
    waiters.add(b, AWAITED, 100);
    waiters.settle(({ msn }) => (msn === 1 ? BODY : 'wait'));
    expect(log).toEqual(['a:body']);
    expect(waiters.count).toBe(1);
  });

  it('fails everyone, but not those that return meanwhile', () => {
    waiters.add(
      waiter('a', () => waiters.add(waiter('again'), AWAITED, 100)),
      AWAITED,
      100,
    );
    waiters.add(waiter('b'), AWAITED, 100);
    waiters.fail(new GatewayError(LIVE_ERRORS.LIVE_WAIT_TIMEOUT));
    expect(log).toEqual(['a:LIVE_WAIT_TIMEOUT', 'b:LIVE_WAIT_TIMEOUT']);
    clock.advance(100);
    expect(log.at(-1)).toBe('again:LIVE_WAIT_TIMEOUT');
  });
});
