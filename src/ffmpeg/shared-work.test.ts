import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import { FakeProcessStarter, FOREVER, noJail } from './fake-process-starter.ts';
import { MANY_CAMERAS, type SharedWork, sharedRank, YIELDING_RANK } from './shared-work.ts';
import type { Worker } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

const never = new AbortController().signal;

it.each<[SharedWork, number]>([
  [{ cameras: 1, urgency: 'alarm' }, YIELDING_RANK],
  [{ cameras: 2, urgency: 'alarm' }, 0],
  [{ cameras: 2, urgency: 'viewer' }, 1],
  [{ cameras: MANY_CAMERAS - 1, urgency: 'recording' }, 2],
  [{ cameras: MANY_CAMERAS, urgency: 'recording' }, 0],
])('%j has the rank %i', (work, rank) => {
  expect(sharedRank(work)).toBe(rank);
});

describe('a worker that cameras share', () => {
  const starter = new FakeProcessStarter();
  const isAlive = (pid: number) => starter.isAlive(pid);
  const pools: WorkerPool[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  function pool({ maxWorkers = 2, maxCores = 4, clock = new FakeClock() } = {}) {
    const created = new WorkerPool({
      maxWorkers,
      maxCores,
      maxWaiting: 4,
      waitTimeoutMs: 10_000,
      jail: noJail,
      starter,
      clock,
    });
    pools.push(created);
    return created;
  }

  const video = (workers: WorkerPool, urgency: Urgency = 'viewer', cores = 0.3): Promise<Worker> =>
    workers.start(FOREVER, never, { urgency: () => urgency, cores });

  const server = (workers: WorkerPool, work: SharedWork, cores = 0.01): Promise<Worker> =>
    workers.startYielding(FOREVER, never, { shared: () => work, cores });

  it.each<[cameras: number, of: Urgency, start: Urgency, isEnded: boolean]>([
    [1, 'viewer', 'picture', true],
    [1, 'alarm', 'viewer', true],
    [2, 'viewer', 'viewer', false],
    [2, 'recording', 'viewer', true],
    [9, 'viewer', 'alarm', true],
    [9, 'alarm', 'alarm', false],
    [10, 'recording', 'alarm', false],
    [300, 'picture', 'alarm', false],
  ])('with %i cameras, at most %s: a start for %s ends it: %s', async (cameras, urgency, start, isEnded) => {
    const workers = pool();
    const shared = await server(workers, { cameras, urgency });
    const other = await video(workers);
    const starting = video(workers, start);
    if (isEnded) await starting;
    expect([isAlive(shared.pid), isAlive(other.pid), workers.counts.waiting]).toEqual(
      isEnded ? [false, true, 0] : [true, true, 1],
    );
    await other.kill();
    await starting;
    expect(isAlive(shared.pid)).toBe(!isEnded);
  });

  it('is weighed anew at each start: cameras come and leave', async () => {
    const workers = pool();
    const work = { cameras: 100, urgency: 'viewer' as Urgency };
    const shared = await server(workers, work);
    const other = await video(workers);
    const first = video(workers, 'alarm');
    expect([isAlive(shared.pid), workers.counts.waiting]).toEqual([true, 1]);
    Object.assign(work, { cameras: 3 });
    const second = video(workers, 'alarm');
    await first;
    expect([isAlive(shared.pid), workers.counts.waiting]).toEqual([false, 1]);
    await other.kill();
    await second;
  });

  it('gives way with the least worth first, and takes no worker of the audio of one camera along', async () => {
    const workers = pool({ maxWorkers: 5 });
    const many = await server(workers, { cameras: 50, urgency: 'viewer' });
    const few = await server(workers, { cameras: 3, urgency: 'viewer' });
    const single = await workers.startYielding(FOREVER, never, { cores: 0.01 });
    const alive = () => [many, few, single].map(({ pid }) => isAlive(pid));
    await video(workers);
    await video(workers);
    await video(workers, 'alarm');
    expect(alive()).toEqual([true, true, false]);
    await video(workers, 'alarm');
    expect(alive()).toEqual([true, false, false]);
    const refused = new AbortController();
    const waiting = workers.start(FOREVER, refused.signal, { urgency: () => 'alarm' });
    expect(alive()).toEqual([true, false, false]);
    refused.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
  });

  it('never shuts video out: the last worker and half of the cores are not held', async () => {
    const one = pool({ maxWorkers: 1 });
    const last = await server(one, { cameras: 300, urgency: 'alarm' });
    await video(one, 'picture');
    expect(isAlive(last.pid)).toBe(false);
    const three = pool({ maxWorkers: 3, maxCores: 1 });
    const [old, large] = [
      await server(three, { cameras: 64, urgency: 'viewer' }, 0.4),
      await server(three, { cameras: 64, urgency: 'viewer' }, 0.2),
    ];
    await video(three, 'viewer', 0.5);
    expect([old, large].map(({ pid }) => isAlive(pid))).toEqual([true, false]);
  });

  it('lets any one video run next to it, even one that needs more than there is', async () => {
    const workers = pool({ maxWorkers: 4, maxCores: 1 });
    const shared = await server(workers, { cameras: 64, urgency: 'viewer' }, 0.4);
    const large = await video(workers, 'viewer', 1.5);
    const waiting = video(workers, 'alarm', 0.1);
    expect([isAlive(shared.pid), workers.counts]).toEqual([true, { running: 2, waiting: 1 }]);
    expect(workers.resize(shared, 0.5)).toBe(false);
    await large.kill();
    await waiting;
  });

  describe('that waits', () => {
    it('stands in line by what it is worth, for any time', async () => {
      const clock = new FakeClock();
      const workers = pool({ clock });
      const [first, second] = [await video(workers), await video(workers)];
      const order: string[] = [];
      const note = (name: string, started: Promise<Worker>) =>
        started.then((worker) => {
          order.push(name);
          return worker;
        });
      const lonely = note('lonely', server(workers, { cameras: 1, urgency: 'alarm' }));
      const shared = note('shared', server(workers, { cameras: 5, urgency: 'viewer' }));
      clock.advance(86_400_000);
      const viewer = note('viewer', video(workers));
      expect(workers.sample.waiting).toMatchObject({ viewer: 1, yielding: 2 });
      await first.kill();
      await shared;
      await second.kill();
      const shown = await viewer;
      expect(order).toEqual(['shared', 'viewer']);
      await shown.kill();
      await lonely;
    });

    it('ends the audio of one camera, once it is for more', async () => {
      const workers = pool();
      const [shown, single] = [
        await video(workers),
        await workers.startYielding(FOREVER, never, { cores: 0.01 }),
      ];
      const work = { cameras: 1, urgency: 'viewer' as Urgency };
      const shared = server(workers, work);
      workers.reconsider();
      expect([workers.counts.waiting, isAlive(single.pid)]).toEqual([1, true]);
      Object.assign(work, { cameras: 2 });
      workers.reconsider();
      await shared;
      expect([isAlive(shown.pid), isAlive(single.pid)]).toEqual([true, false]);
    });

    it('does not take a place from the starts that do not yield', async () => {
      const workers = pool({ maxWorkers: 1 });
      const first = await video(workers);
      const shared = server(workers, { cameras: 300, urgency: 'alarm' });
      const starts = Array.from({ length: 4 }, () => video(workers));
      const rest = Promise.allSettled([shared, ...starts]);
      await expect(video(workers)).rejects.toMatchObject({ code: 'FFMPEG_POOL_FULL' });
      expect(workers.counts).toEqual({ running: 1, waiting: 5 });
      await first.kill();
      await workers.close();
      expect((await rest)[0]).toMatchObject({ status: 'rejected', reason: { code: 'FFMPEG_CLOSED' } });
    });
  });
});
