import { describe, expect, it } from 'vitest';
import { FairQueue, MAX_QUEUED_PER_GROUP, MAX_QUEUED_PER_MEMBER, queueOptionsOf } from './fair-queue.ts';

/** A queue whose work ends one by one, in the order in which it began. */
class Bench {
  readonly served: string[] = [];
  readonly dropped: string[] = [];
  readonly queue: FairQueue;
  readonly #running: (() => void)[] = [];

  constructor(maxQueued?: number, places = 1) {
    this.queue = new FairQueue({ places, ...(maxQueued === undefined ? {} : { maxQueued }) });
  }

  ask(group: string, member: string, count = 1): void {
    for (let i = 0; i < count; i++) void this.#ask(group, member);
  }

  /** Ends the work in progress until there is none. */
  async finish(): Promise<void> {
    for (let end = this.#running.shift(); end !== undefined; end = this.#running.shift()) {
      end();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  async #ask(group: string, member: string): Promise<void> {
    const name = `${group}/${member}`;
    const done = await this.queue.run({ group, member }, () => {
      this.served.push(name);
      return new Promise<true>((resolve) => this.#running.push(() => resolve(true)));
    });
    if (done === null) this.dropped.push(name);
  }
}

describe('FairQueue', () => {
  it('lets groups take turns, and the members within a group', async () => {
    const bench = new Bench();
    bench.ask('gate', 'guesser', 3);
    bench.ask('gate', 'owner', 2);
    bench.ask('door', 'viewer', 2);
    await bench.finish();
    expect(bench.served).toEqual([
      'gate/guesser',
      'gate/guesser',
      'door/viewer',
      'gate/owner',
      'door/viewer',
      'gate/guesser',
      'gate/owner',
    ]);
    expect(bench.dropped).toEqual([]);
    expect(bench.queue.size).toBe(0);
  });

  it('lets no member wait more often than allowed', async () => {
    const bench = new Bench();
    bench.ask('gate', 'guesser', 100);
    expect(bench.queue.size).toBe(MAX_QUEUED_PER_MEMBER);
    await bench.finish();
    expect(bench.served).toHaveLength(1 + MAX_QUEUED_PER_MEMBER);
    expect(bench.dropped).toHaveLength(100 - 1 - MAX_QUEUED_PER_MEMBER);
  });

  it('makes room in a full group for a member with fewer waiting requests', async () => {
    const bench = new Bench();
    const guessers = MAX_QUEUED_PER_GROUP / MAX_QUEUED_PER_MEMBER;
    bench.ask('gate', 'first');
    for (let i = 0; i < guessers; i++) bench.ask('gate', `guesser ${i}`, MAX_QUEUED_PER_MEMBER);
    bench.ask('gate', 'owner');
    expect(bench.queue.size).toBe(MAX_QUEUED_PER_GROUP);
    await bench.finish();
    expect(bench.served.indexOf('gate/owner')).toBeLessThanOrEqual(1 + guessers);
    expect(bench.dropped).toEqual(['gate/guesser 0']);
  });

  it('rejects one more for a full group in which each member waits once', async () => {
    const bench = new Bench();
    for (let i = 0; i <= MAX_QUEUED_PER_GROUP; i++) bench.ask('gate', `guesser ${i}`);
    bench.ask('gate', 'late');
    await bench.finish();
    expect(bench.dropped).toEqual(['gate/late']);
  });

  it('when full, makes room for a group with fewer waiting requests', async () => {
    const bench = new Bench(16);
    for (let i = 0; i < 17; i++) bench.ask('gate', `guesser ${i}`);
    bench.ask('door', 'viewer');
    expect(bench.queue.size).toBe(16);
    await bench.finish();
    expect(bench.served.indexOf('door/viewer')).toBeLessThanOrEqual(2);
    expect(bench.dropped).toHaveLength(1);
    for (let i = 0; i < 17; i++) bench.ask(`share ${i}`, 'viewer');
    bench.ask('share 99', 'viewer');
    await bench.finish();
    expect(bench.dropped.at(-1)).toBe('share 99/viewer');
  });

  it('leaves one slot for other groups', async () => {
    const bench = new Bench(16, 2);
    bench.ask('gate', 'guesser', 5);
    expect(bench.served).toHaveLength(1);
    bench.ask('door', 'viewer');
    expect(bench.served.at(-1)).toBe('door/viewer');
    await bench.finish();
    expect(bench.served).toHaveLength(6);
  });

  it('bounds groups and members as declared', async () => {
    const queue = new FairQueue(
      queueOptionsOf({
        kind: 'pool',
        what: 'work',
        unit: 'pieces',
        per: 'process',
        total: 4,
        atLimit: 'It is refused.',
        levels: { organization: { max: 2 }, credential: { max: 1 } },
        waiting: { total: 3, levels: { organization: 2, credential: 1 } },
      }),
    );
    const ends: (() => void)[] = [];
    const began: string[] = [];
    const begin = (group: string, member: string) =>
      queue.run({ group, member }, async () => {
        began.push(`${group}/${member}`);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [begin('b', '1'), begin('b', '1'), begin('b', '2'), begin('b', '3'), begin('a', '1')];
    expect(began).toEqual(['b/1', 'b/2', 'a/1']);
    expect([queue.running, queue.size]).toEqual([3, 2]);
    expect(await begin('b', '1')).toBeNull();
    expect(await begin('b', '4')).toBeNull();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(began.slice(3)).toEqual(['b/1', 'b/3']);
    await Promise.all(all);
    expect(queue.running).toBe(0);
  });

  it('lets what waits leave, and fails with the reason', async () => {
    const queue = new FairQueue({ places: 1 });
    const turn = { group: 'gate', member: 'viewer' };
    let end: () => void = () => undefined;
    const first = queue.run(turn, () => new Promise<void>((resolve) => (end = resolve)));
    const leaving = new AbortController();
    const second = queue.run(turn, async () => 'second', leaving.signal);
    const third = queue.run(turn, async () => 'third', new AbortController().signal);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(queue.size).toBe(1);
    end();
    await first;
    expect(await third).toBe('third');
    await expect(queue.run(turn, async () => 'late', leaving.signal)).rejects.toThrow('gone');
  });

  it('passes on the slot when work fails', async () => {
    const queue = new FairQueue({ places: 1 });
    const turn = { group: 'gate', member: 'viewer' };
    const failing = queue.run(turn, () => Promise.reject(new Error('no memory')));
    const next = queue.run(turn, async () => 'done');
    await expect(failing).rejects.toThrow('no memory');
    expect(await next).toBe('done');
  });
});
