import { describe, expect, it } from 'vitest';
import './page-address-fixture.ts';
import { CallError } from './api.ts';
import { eachInTurn, onceKeeper, type Progress, patiently } from './in-turn.ts';

const never = new AbortController().signal;
const failing = (status: number, retryAfterSec: number | null = null) =>
  new CallError('No.', { status, retryAfterSec });

describe('eachInTurn', () => {
  it('works on no more than so many at once, and says how each ends', async () => {
    let running = 0;
    let most = 0;
    const ends: Record<number, Progress<number>> = {};
    const work = async (item: number) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      if (item === 3) throw failing(400);
      return item * 2;
    };
    await eachInTurn([1, 2, 3, 4, 5], { atOnce: 2, signal: never }, work, (item, progress) => {
      ends[item] = progress;
    });
    expect(most).toBe(2);
    expect(ends[1]).toEqual({ kind: 'done', result: 2 });
    expect(ends[3]).toMatchObject({ kind: 'failed', error: { message: 'No.' } });
    expect(ends[5]).toEqual({ kind: 'done', result: 10 });
  });

  it('begins nothing after it is aborted', async () => {
    const left = new AbortController();
    const begun: number[] = [];
    await eachInTurn(
      [1, 2, 3],
      { atOnce: 1, signal: left.signal },
      async (item) => {
        begun.push(item);
        left.abort();
      },
      () => undefined,
    );
    expect(begun).toEqual([1]);
  });
});

describe('patiently', () => {
  it('waits as long as the gateway says, within bounds', async () => {
    const waits: number[] = [];
    const responses = [failing(429, 7), failing(503), failing(429, 900), 'done'];
    const result = await patiently(
      never,
      async () => {
        const response = responses.shift();
        if (response instanceof CallError) throw response;
        return response;
      },
      async (sec) => void waits.push(sec),
    );
    expect(result).toBe('done');
    expect(waits).toEqual([7, 3, 20]);
  });

  it('gives up at last, and at once with what waiting does not help', async () => {
    let tries = 0;
    const attempt = (status: number) =>
      patiently(
        never,
        async () => {
          tries += 1;
          throw failing(status);
        },
        async () => undefined,
      );
    await expect(attempt(429)).rejects.toMatchObject({ status: 429 });
    expect(tries).toBe(12);
    await expect(attempt(400)).rejects.toMatchObject({ status: 400 });
    expect(tries).toBe(13);
  });
});

it('keeps a text for the same call only', () => {
  const onceOf = onceKeeper();
  const first = onceOf({ name: 'a' });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(onceOf({ name: 'a' })).toBe(first);
  expect(onceOf({ name: 'b' })).not.toBe(first);
  expect(onceKeeper()({ name: 'a' })).not.toBe(first);
});
