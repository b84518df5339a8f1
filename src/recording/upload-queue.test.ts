import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import { FAILURES_IN_ROW, UploadQueue } from './upload-queue.ts';

const ERROR = new GatewayError(RECORDING_ERRORS.RECORDING_S3_UNAVAILABLE, { errno: 'InternalError' });

function queueOf(...names: string[]): UploadQueue {
  const queue = new UploadQueue();
  for (const [index, name] of names.entries()) queue.add(name, index);
  return queue;
}

/** Tries what there is at this time; `isTaken`: whether S3 takes it. */
function round(queue: UploadQueue, nowMonoMs: number, isTaken: (name: string) => boolean): string[] {
  const tried: string[] = [];
  for (let name = queue.next(nowMonoMs); name !== null; name = queue.next(nowMonoMs)) {
    tried.push(name);
    if (isTaken(name)) queue.succeeded(name, nowMonoMs);
    else queue.failed(name, ERROR, nowMonoMs);
  }
  return tried;
}

describe('UploadQueue', () => {
  it('uploads in the order in which files were sealed', () => {
    const queue = queueOf('a', 'b', 'c');
    expect(queue.oldestEpochMs).toBe(0);
    expect(round(queue, 0, () => true)).toEqual(['a', 'b', 'c']);
    expect([queue.oldestEpochMs, queue.nextMonoMs()]).toEqual([null, null]);
  });

  it('spares an S3 that is down: a few files are tried, others the next time, after ever longer pauses', () => {
    const queue = queueOf('a', 'b', 'c', 'd', 'e');
    const tries = [];
    const pauses = [];
    let nowMonoMs = 0;
    for (let i = 0; i < 7; i++) {
      tries.push(round(queue, nowMonoMs, () => false).join(''));
      pauses.push(queue.nextMonoMs()! - nowMonoMs);
      nowMonoMs = queue.nextMonoMs()!;
    }
    expect(FAILURES_IN_ROW).toBe(3);
    expect(tries).toEqual(['abc', 'dea', 'bcd', 'eab', 'cde', 'abc', 'dea']);
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect([...queue.refused()]).toEqual([]);
    // It is back: nothing waits for a pause of its own.
    expect(round(queue, nowMonoMs, () => true)).toHaveLength(5);
  });

  it('finds the files that are taken among more refused ones than it tries in a row', () => {
    const bad = Array.from({ length: 10 }, (_, index) => `bad-${index}`);
    const queue = queueOf(...bad, 'good');
    let nowMonoMs = 0;
    const tried: string[] = [];
    while (queue.has('good') && tried.length < 100) {
      tried.push(...round(queue, nowMonoMs, (name) => name === 'good'));
      nowMonoMs = queue.nextMonoMs()!;
    }
    expect(tried.indexOf('good')).toBe(10);
    // Those that are known to be refused do not hold up what comes later.
    for (let i = 0; i < 10; i++) queue.add(`later-${i}`, i);
    expect(round(queue, nowMonoMs, (name) => name.startsWith('later'))).toEqual(
      expect.arrayContaining(Array.from({ length: 10 }, (_, index) => `later-${index}`)),
    );
  });

  it('does not take a refused file for an S3 that is down', () => {
    const queue = queueOf('bad', 'good');
    round(queue, 0, (name) => name === 'good');
    expect([...queue.refused()]).toEqual(['bad']);
    expect(queue.failed(queue.next(2_000)!, ERROR, 2_000)).toBe('refused-again');
    expect(queue.next(2_000)).toBeNull();
    queue.add('later', 0);
    expect(queue.next(2_000)).toBe('later');
  });

  it('knows a refused file also if the others come one by one', () => {
    const queue = queueOf('bad');
    expect(queue.failed('bad', ERROR, 0)).toBe('storage');
    queue.add('good', 0);
    expect(queue.next(2_000)).toBe('good');
    expect(queue.succeeded('good', 2_000)).toEqual([]);
    expect(queue.next(2_000)).toBe('bad');
    expect(queue.failed('bad', ERROR, 2_000)).toBe('refused');
    queue.add('later', 0);
    expect(queue.next(2_000)).toBe('later');
  });

  it('waits if the file is deleted that was to show whether S3 is down', () => {
    const queue = queueOf('a', 'b');
    expect(queue.failed('a', ERROR, 0)).toBe('open');
    queue.delete('b');
    expect(queue.next(0)).toBeNull();
    expect(queue.nextMonoMs()).toBe(2_000);
    expect(queue.next(2_000)).toBe('a');
  });

  /** Begins attempts as long as it can. */
  function beginAll(queue: UploadQueue, nowMonoMs = 0): string[] {
    const begun: string[] = [];
    for (let name = queue.next(nowMonoMs); name !== null; name = queue.next(nowMonoMs)) begun.push(name);
    return begun;
  }

  /** S3 has taken a file before, and the queue has `count` files of each of these organizations. */
  function busyQueue(count: number, ...organizations: string[]): UploadQueue {
    const queue = queueOf('first');
    round(queue, 0, () => true);
    for (const organization of organizations) {
      for (let i = 0; i < count; i++) queue.add(`${organization}-${i}`, i, organization);
    }
    return queue;
  }

  it('begins a few attempts until S3 takes one, and then several at a time', () => {
    const queue = queueOf(...Array.from({ length: 40 }, (_, index) => String(index)));
    expect(beginAll(queue)).toHaveLength(FAILURES_IN_ROW);
    queue.succeeded('0', 0);
    // Three quarters of twelve, and two of them are on their way.
    expect(beginAll(queue)).toHaveLength(7);
    expect(queue.nextMonoMs()).toBeLessThanOrEqual(0);
    queue.succeeded('1', 0);
    expect(beginAll(queue)).toHaveLength(1);
  });

  it('begins a file of another organization at once, however many one has', () => {
    const queue = busyQueue(40, 'large');
    expect(beginAll(queue)).toHaveLength(9);
    queue.add('small-0', 0, 'small');
    expect(beginAll(queue)).toEqual(['small-0']);
    // They take turns for what is free.
    queue.add('small-1', 0, 'small');
    queue.succeeded('large-0', 0);
    expect(beginAll(queue)).toEqual(['small-1']);
  });

  it('lets more organizations take turns than there are attempts', () => {
    const names = Array.from({ length: 20 }, (_, index) => `o${index}`);
    const queue = busyQueue(5, ...names);
    const served = new Set<string>();
    let begun = beginAll(queue);
    expect(begun).toHaveLength(12);
    for (let turn = 0; turn < 8; turn++) {
      served.add(begun[0]!.slice(0, begun[0]!.indexOf('-')));
      queue.succeeded(begun[0]!, 0);
      begun = [...begun.slice(1), ...beginAll(queue)];
    }
    for (const name of begun) served.add(name.slice(0, name.indexOf('-')));
    expect(served.size).toBe(20);
  });

  it('tries one refused file of an organization at a time, and its other files meanwhile', () => {
    const queue = busyQueue(2, 'own');
    expect(beginAll(queue)).toEqual(['own-0', 'own-1']);
    queue.add('good', 0, 'own');
    expect(queue.failed('own-0', ERROR, 0)).toBe('open');
    expect(queue.failed('own-1', ERROR, 0)).toBe('open');
    expect(beginAll(queue)).toEqual(['good']);
    expect(queue.succeeded('good', 0).map(({ name }) => name)).toEqual(['own-0', 'own-1']);
    queue.add('later', 0, 'own');
    expect(beginAll(queue, 900_000)).toEqual(['later', 'own-0']);
    queue.failed('own-0', ERROR, 900_000);
    expect(beginAll(queue, 900_000)).toEqual(['own-1']);
  });

  it('is not paused longer by failures of attempts that began before', () => {
    const queue = busyQueue(12, 'own');
    const begun = beginAll(queue);
    expect(begun).toHaveLength(9);
    const found = begun.map((name) => queue.failed(name, ERROR, 1_000));
    expect(found).toEqual(['open', 'open', 'storage', ...Array(6).fill('open')]);
    expect(queue.nextMonoMs()).toBe(3_000);
    expect(beginAll(queue, 3_000)).toHaveLength(FAILURES_IN_ROW);
  });

  it('continues at once if an attempt that began before the pause succeeds', () => {
    const queue = busyQueue(12, 'own');
    const begun = beginAll(queue);
    for (const name of begun.slice(0, 3)) queue.failed(name, ERROR, 1_000);
    expect(queue.next(1_000)).toBeNull();
    queue.succeeded(begun[3]!, 1_000);
    expect(queue.next(1_000)).not.toBeNull();
  });

  it('has room again after a file was deleted during its attempt', () => {
    const queue = busyQueue(12, 'own');
    const begun = beginAll(queue);
    queue.delete(begun[0]!);
    expect(queue.next(0)).toBeNull();
    queue.ended(begun[0]!);
    queue.ended(begun[0]!);
    expect(beginAll(queue)).toHaveLength(1);
  });
});
