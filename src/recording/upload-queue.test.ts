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
});
