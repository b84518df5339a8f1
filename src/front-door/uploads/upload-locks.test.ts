import { expect, it } from 'vitest';
import { UploadLocks } from './upload-locks.ts';

const never = new AbortController().signal;

it('asks the holder to let go, and then goes on', async () => {
  const locks = new UploadLocks();
  const first = locks.newLock('a');
  const order: string[] = [];
  await first.lock(never, () => void order.push('asked'));
  const second = locks.newLock('a');
  const waiting = second.lock(never, () => undefined).then(() => order.push('second'));
  const third = locks.newLock('a');
  const waitingToo = third.lock(never, () => undefined).then(() => order.push('third'));
  await locks.newLock('b').lock(never, () => undefined);
  expect(order).toEqual(['asked', 'asked']);
  await first.unlock();
  await waiting;
  expect(order).toEqual(['asked', 'asked', 'second']);
  await second.unlock();
  await waitingToo;
  expect(order.at(-1)).toBe('third');
});

it('gives up with the request, and when too many wait', async () => {
  const locks = new UploadLocks();
  await locks.newLock('a').lock(never, () => undefined);
  const request = new AbortController();
  const waiting = locks.newLock('a').lock(request.signal, () => undefined);
  request.abort();
  await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
  const many = Array.from({ length: 9 }, () => locks.newLock('a').lock(never, () => undefined));
  await expect(Promise.any([many.at(-1)!])).rejects.toThrow();
});
