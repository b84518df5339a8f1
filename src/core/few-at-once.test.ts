import { describe, expect, it } from 'vitest';
import { FewAtOnce } from './few-at-once.ts';

describe('few at once', () => {
  it('runs no more than it says, in order, and goes on behind a failure', async () => {
    const few = new FewAtOnce(2, 10, () => new Error('full'));
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const piece = (name: string) =>
      few.run(async () => {
        events.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (name === 'a') throw new Error(name);
        return name;
      });
    const results = ['a', 'b', 'c', 'd'].map((name) => piece(name).catch((error: Error) => error.message));
    expect(events).toEqual(['a', 'b']);
    for (const expected of ['abc', 'abcd', 'abcd', 'abcd']) {
      ends.shift()!();
      await new Promise(setImmediate);
      expect(events.join('')).toBe(expected);
    }
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
    const again = piece('e');
    expect(events.at(-1)).toBe('e');
    ends.shift()!();
    expect(await again).toBe('e');
  });

  it('refuses what has no place in the line', async () => {
    const few = new FewAtOnce(1, 1, () => new Error('full'));
    let end: () => void = () => undefined;
    const first = few.run(() => new Promise<void>((resolve) => (end = resolve)));
    const second = few.run(async () => 2);
    await expect(few.run(async () => 3)).rejects.toThrow('full');
    end();
    await first;
    expect(await second).toBe(2);
  });

  it('lets what waits leave the line', async () => {
    const few = new FewAtOnce(1, 1, () => new Error('full'));
    let end: () => void = () => undefined;
    const first = few.run(() => new Promise<void>((resolve) => (end = resolve)));
    const leaving = new AbortController();
    const second = few.run(async () => 2, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await expect(few.run(async () => 3, leaving.signal)).rejects.toThrow('gone');
    const third = few.run(async () => 4, new AbortController().signal);
    end();
    await first;
    expect(await third).toBe(4);
    expect(await few.run(async () => 5)).toBe(5);
  });
});
