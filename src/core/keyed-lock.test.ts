import { describe, expect, it } from 'vitest';
import { KeyedLock } from './keyed-lock.ts';

/** Work that ends on the test's command. */
function heldWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = async () => {
    log.push(`${name} begins`);
    try {
      return await promise;
    } finally {
      log.push(`${name} ends`);
    }
  };
  return { work, finish: () => resolve(name), fail: () => reject(new Error(name)) };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('KeyedLock', () => {
  it('runs work on one key in turn, in order of arrival', async () => {
    const [lock, log] = [new KeyedLock(), [] as string[]];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => heldWork(log, name));
    const results = Promise.all([a!, b!, c!].map(({ work }) => lock.run('key', work)));
    c!.finish();
    b!.finish();
    await settle();
    expect(log).toEqual(['a begins']);
    a!.finish();
    expect(await results).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('runs work on other keys at the same time', async () => {
    const [lock, log] = [new KeyedLock(), [] as string[]];
    const [held, free] = [heldWork(log, 'held'), heldWork(log, 'free')];
    const waiting = lock.run('one', held.work);
    free.finish();
    expect(await lock.run('other', free.work)).toBe('free');
    held.finish();
    expect(await waiting).toBe('held');
  });

  it('reports a failure to its own caller, and gives the next one a turn', async () => {
    const [lock, log] = [new KeyedLock(), [] as string[]];
    const [failing, next] = [heldWork(log, 'failing'), heldWork(log, 'next')];
    const failed = expect(lock.run('key', failing.work)).rejects.toThrow('failing');
    const responded = lock.run('key', next.work);
    failing.fail();
    next.finish();
    await failed;
    expect(await responded).toBe('next');
  });

  it('is free again after all have ended', async () => {
    const lock = new KeyedLock();
    await lock.run('key', async () => 1);
    let hasBegun = false;
    const run = lock.run('key', async () => {
      hasBegun = true;
    });
    await settle();
    expect(hasBegun).toBe(true);
    await run;
  });
});
