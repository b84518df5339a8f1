import { afterEach, describe, expect, it } from 'vitest';
import type { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import { BRIEF, FakeProcessStarter, FOREVER, noJail } from './fake-process-starter.ts';
import { WorkerPool } from './worker-pool.ts';

const never = new AbortController().signal;

describe('WorkerPool', () => {
  const starter = new FakeProcessStarter();
  const isAlive = (pid: number) => starter.isAlive(pid);
  const pools: WorkerPool[] = [];
  function pool(
    options: { maxWorkers?: number; maxCores?: number; maxWaiting?: number; clock?: FakeClock } = {},
  ): WorkerPool {
    const { maxWorkers = 1, maxCores = 64, maxWaiting = 2, clock = new FakeClock() } = options;
    const created = new WorkerPool({
      maxWorkers,
      maxCores,
      maxWaiting,
      waitTimeoutMs: 10_000,
      jail: noJail,
      starter,
      clock,
    });
    pools.push(created);
    return created;
  }
  afterEach(() => Promise.all(pools.map((created) => created.close())));

  it('says what runs, what waits, and for what', async () => {
    const clock = new FakeClock();
    const workers = pool({ maxWorkers: 2, maxCores: 1, clock });
    const camera = newRuuid() as Ruuid;
    const wanted = { purpose: 'camera', cameraUuid: camera, cores: 0.6 } as const;
    const first = await workers.start(FOREVER, never, wanted);
    clock.advance(1_000);
    const more = workers.start(FOREVER, never, { purpose: 'picture', cores: 0.5, urgency: () => 'picture' });
    clock.advance(500);
    expect(workers.overview(8)).toEqual({
      maxCores: 1,
      running: [{ ...wanted, isYielding: false, ageMs: 1_500, pid: first.pid }],
      waiting: [
        {
          purpose: 'picture',
          cameraUuid: null,
          cores: 0.5,
          isYielding: false,
          ageMs: 500,
          urgency: 'picture',
          ahead: 0,
          waitsFor: 'cores',
        },
      ],
    });
    // The start would have room if no other one were before it.
    const small = workers.startYielding(FOREVER, never, { purpose: 'sound', cores: 0.1 });
    expect(workers.overview(8).waiting.map(({ waitsFor }) => waitsFor)).toEqual(['cores', 'earlier']);
    expect(workers.overview(1).waiting).toHaveLength(1);
    await first.kill();
    await Promise.all([more, small]);
    const last = workers.start(FOREVER, never).then((worker) => worker.pid);
    expect(workers.overview(8).waiting.map(({ waitsFor }) => waitsFor)).toEqual(['workers']);
    await (await small).kill();
    expect(await last).toBeGreaterThan(0);
  });

  describe('work that yields', () => {
    it('stands behind everything else, waits for any time, and starts when a place is free', async () => {
      const clock = new FakeClock();
      const workers = pool({ clock });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      const start = (name: string, started: Promise<unknown>) => started.then(() => order.push(name));
      const sound = workers.startYielding(BRIEF, never);
      const soundStarted = start('sound', sound);
      const pictureStarted = start('picture', workers.start(BRIEF, never));
      clock.advance(9_000);
      expect(workers.counts).toEqual({ running: 1, waiting: 2 });
      await first.kill();
      await Promise.all([pictureStarted, soundStarted]);
      expect(order).toEqual(['picture', 'sound']);
      const held = await workers.start(FOREVER, never);
      const patient = workers.startYielding(FOREVER, never);
      clock.advance(86_400_000);
      expect(workers.counts.waiting).toBe(1);
      await held.kill();
      expect((await patient).pid).toBeGreaterThan(0);
    });

    it('gives its place up to work that does not, the newest first, one for one', async () => {
      const workers = pool({ maxWorkers: 3 });
      const picture = await workers.start(FOREVER, never);
      const sounds = [
        await workers.startYielding(FOREVER, never),
        await workers.startYielding(FOREVER, never),
      ];
      const another = await workers.start(FOREVER, never);
      expect([picture, ...sounds, another].map(({ pid }) => isAlive(pid))).toEqual([true, true, false, true]);
      const third = await workers.start(FOREVER, never);
      expect([picture, sounds[0]!, another, third].map(({ pid }) => isAlive(pid))).toEqual([
        true,
        false,
        true,
        true,
      ]);
      const refused = new AbortController();
      const waiting = workers.start(FOREVER, refused.signal);
      refused.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
      expect(isAlive(picture.pid)).toBe(true);
    });

    it('leaves the line when it is told to, or the pool closes', async () => {
      const workers = pool();
      await workers.start(FOREVER, never);
      const abort = new AbortController();
      const [left, closed] = [
        workers.startYielding(FOREVER, abort.signal),
        workers.startYielding(FOREVER, never),
      ];
      abort.abort();
      await expect(left).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
      const closing = workers.close();
      await expect(closed).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
      await closing;
      expect(workers.counts).toEqual({ running: 0, waiting: 0 });
    });
  });

  describe('a worker that serves more and fewer streams', () => {
    it('grows into what is free, and lets others in when it shrinks', async () => {
      const workers = pool({ maxWorkers: 3, maxCores: 1 });
      const server = await workers.startYielding(FOREVER, never, { cores: 0.1 });
      await workers.start(FOREVER, never, { cores: 0.5 });
      expect([workers.resize(server, 0.5), workers.resize(server, 0.6)]).toEqual([true, false]);
      expect(workers.sample.cores).toBeCloseTo(1);
      const waiting = workers.startYielding(FOREVER, never, { cores: 0.3 });
      expect(workers.counts).toEqual({ running: 2, waiting: 1 });
      expect(workers.resize(server, 0.2)).toBe(true);
      await waiting;
      expect(workers.sample.cores).toBeCloseTo(1);
      await server.kill();
      expect([workers.resize(server, 0.1), workers.sample.cores]).toEqual([false, expect.closeTo(0.8)]);
    });

    it('grows while others wait for a slot, which it does not need', async () => {
      const workers = pool({ maxWorkers: 1, maxCores: 1 });
      const server = await workers.startYielding(FOREVER, never, { cores: 0.1 });
      const waiting = workers.startYielding(FOREVER, never, { cores: 0.1 });
      expect([workers.counts.waiting, workers.resize(server, 0.2)]).toEqual([1, true]);
      await server.kill();
      await waiting;
    });

    it('passes no one who waits for cores, and is as large as it likes when it is alone', async () => {
      const workers = pool({ maxWorkers: 2, maxCores: 1 });
      const server = await workers.startYielding(FOREVER, never, { cores: 0.1 });
      expect(workers.resize(server, 3)).toBe(true);
      const waiting = workers.startYielding(FOREVER, never, { cores: 0.9 });
      expect(workers.resize(server, 0.2)).toBe(true);
      expect([workers.counts.waiting, workers.resize(server, 0.3)]).toEqual([1, false]);
      expect(workers.resize(server, 0.1)).toBe(true);
      await waiting;
    });
  });

  it('lets who comes first run first, each as soon as a process is gone', async () => {
    const workers = pool();
    const order: number[] = [];
    const first = await workers.start(FOREVER, never);
    const later = [1, 2].map((index) =>
      workers.start(FOREVER, never).then((worker) => {
        order.push(index);
        return worker;
      }),
    );
    expect(workers.counts).toEqual({ running: 1, waiting: 2 });
    await first.kill();
    const second = await later[0]!;
    expect([order, workers.counts]).toEqual([[1], { running: 1, waiting: 1 }]);
    await second.kill();
    await (await later[1]!).kill();
    expect([order, workers.counts]).toEqual([[1, 2], { running: 0, waiting: 0 }]);
  });

  describe('the line', () => {
    /** Starts that note their name when they are admitted, and end by themselves. */
    function enter(workers: WorkerPool, order: string[], name: string, urgency: Urgency): Promise<unknown> {
      const started = workers.start(BRIEF, never, { urgency: () => urgency });
      return started.then(
        () => order.push(name),
        (error: GatewayError) => order.push(`${name} ${error.code}`),
      );
    }

    it('lets alarms go first, then viewers, recordings and pictures', async () => {
      const workers = pool({ maxWaiting: 5, clock: new FakeClock() });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      const done = (['picture', 'viewer', 'recording', 'alarm'] as const).map((urgency) =>
        enter(workers, order, urgency, urgency),
      );
      done.push(enter(workers, order, 'second viewer', 'viewer'));
      expect(workers.sample).toMatchObject({
        waiting: { alarm: 1, viewer: 2, recording: 1, picture: 1, yielding: 0 },
      });
      await first.kill();
      await Promise.all(done);
      expect(order).toEqual(['alarm', 'viewer', 'second viewer', 'recording', 'picture']);
      expect(workers.sample).toMatchObject({ admitted: 6, refused: 0 });
    });

    it('asks again for whom a start is when there is room', async () => {
      const workers = pool({ clock: new FakeClock() });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      let urgency: Urgency = 'recording';
      const done = [
        enter(workers, order, 'viewer', 'viewer'),
        workers.start(BRIEF, never, { urgency: () => urgency }).then(() => order.push('recording')),
      ];
      urgency = 'alarm';
      await first.kill();
      await Promise.all(done);
      expect(order).toEqual(['recording', 'viewer']);
    });

    it('leaves no start behind later ones once it has waited three quarters of the time', async () => {
      const clock = new FakeClock();
      const workers = pool({ maxWaiting: 4, clock });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      const done = [enter(workers, order, 'picture', 'picture')];
      clock.advance(7_499);
      done.push(enter(workers, order, 'early alarm', 'alarm'));
      clock.advance(1);
      done.push(enter(workers, order, 'late alarm', 'alarm'));
      await first.kill();
      await Promise.all(done);
      expect(order).toEqual(['picture', 'early alarm', 'late alarm']);
    });

    it('when it is full, keeps the more urgent ones', async () => {
      const workers = pool({ maxWaiting: 2, clock: new FakeClock() });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      const done = [
        enter(workers, order, 'old picture', 'picture'),
        enter(workers, order, 'picture', 'picture'),
      ];
      done.push(enter(workers, order, 'alarm', 'alarm'));
      await done[1];
      expect(order).toEqual(['picture FFMPEG_POOL_FULL']);
      done.push(enter(workers, order, 'third picture', 'picture'));
      await done[3];
      await first.kill();
      await Promise.all(done);
      expect(order.slice(1)).toEqual(['third picture FFMPEG_POOL_FULL', 'alarm', 'old picture']);
      expect(workers.sample.refused).toBe(2);
    });

    it('tells each start how many are ahead of it, and a refused one how many were', async () => {
      const clock = new FakeClock();
      const workers = pool({ maxWaiting: 3, clock });
      const first = await workers.start(FOREVER, never);
      const told: number[] = [];
      const refused = workers
        .start(FOREVER, never, {
          onWaiting: ({ ahead, running, maxWorkers }) => {
            expect([running, maxWorkers]).toEqual([1, 1]);
            told.push(ahead);
          },
        })
        .catch((error: GatewayError) => error.context);
      const alarm = new AbortController();
      const urgent = workers.start(FOREVER, alarm.signal, { urgency: () => 'alarm' }).catch(() => null);
      expect(told).toEqual([0, 1]);
      clock.advance(9_999);
      const later = workers.start(FOREVER, never, { urgency: () => 'alarm' }).catch(() => null);
      clock.advance(1);
      expect(await refused).toMatchObject({ reason: 'waited too long', ahead: 0, running: 1, maxWorkers: 1 });
      alarm.abort();
      await urgent;
      await workers.close();
      await later;
      await first.exited;
    });
  });

  describe('a budget of cores', () => {
    const wanted = (cores: number) => ({ cores });

    it('holds, but for a worker that is alone', async () => {
      const workers = pool({ maxWorkers: 8, maxCores: 1, maxWaiting: 5 });
      const large = await workers.start(FOREVER, never, wanted(3));
      const waiting = [0.6, 0.4, 0.1].map((cores) => workers.start(FOREVER, never, wanted(cores)));
      expect(workers.counts).toEqual({ running: 1, waiting: 3 });
      await large.kill();
      const [half] = await Promise.all(waiting.slice(0, 2));
      expect(workers.counts).toEqual({ running: 2, waiting: 1 });
      expect(workers.sample.cores).toBeCloseTo(1);
      await half!.kill();
      await waiting[2];
      expect(workers.counts).toEqual({ running: 2, waiting: 0 });
      await workers.close();
      expect(workers.sample.cores).toBe(0);
    });

    it('is not passed by a smaller start behind a larger one', async () => {
      const workers = pool({ maxWorkers: 8, maxCores: 1, maxWaiting: 5 });
      const first = await workers.start(FOREVER, never, wanted(0.5));
      const large = workers.start(FOREVER, never, wanted(0.8));
      const small = workers.start(FOREVER, never, wanted(0.1));
      expect(workers.counts).toEqual({ running: 1, waiting: 2 });
      await first.kill();
      await Promise.all([large, small]);
    });

    it('ends as many workers that yield as a start needs', async () => {
      const workers = pool({ maxWorkers: 8, maxCores: 1, maxWaiting: 5 });
      const sounds = [];
      for (let index = 0; index < 4; index++) {
        sounds.push(await workers.startYielding(FOREVER, never, wanted(0.25)));
      }
      await workers.start(FOREVER, never, wanted(0.4));
      expect(sounds.map(({ pid }) => isAlive(pid))).toEqual([true, true, false, false]);
    });
  });

  it('refuses with a time to come back when the line is full, when the wait is too long, and when none may run', async () => {
    const clock = new FakeClock();
    const workers = pool({ maxWaiting: 1, clock });
    const first = await workers.start(FOREVER, never);
    const waiting = workers.start(FOREVER, never);
    const full = { code: 'FFMPEG_POOL_FULL', kind: 'unavailable', context: { retryAfterSec: 10 } };
    await expect(workers.start(FOREVER, never)).rejects.toMatchObject(full);
    clock.advance(10_000);
    await expect(waiting).rejects.toMatchObject(full);
    expect([workers.counts.waiting, clock.pendingTimers]).toEqual([0, 0]);
    first.stdin!.end();
    await first.exited;
    await expect(pool({ maxWorkers: 0 }).start(FOREVER, never)).rejects.toMatchObject(full);
  });

  it('gives up waiting when told to, and keeps no place', async () => {
    const workers = pool();
    const first = await workers.start(FOREVER, never);
    const abort = new AbortController();
    const waiting = workers.start(FOREVER, abort.signal);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
    await expect(workers.start(FOREVER, abort.signal)).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
    await first.kill();
    expect(workers.counts).toEqual({ running: 0, waiting: 0 });
  });

  it('ends all when closed, and starts none after', async () => {
    const workers = pool({ maxWorkers: 2 });
    const running = await Promise.all([workers.start(FOREVER, never), workers.start(FOREVER, never)]);
    const waiting = workers.start(FOREVER, never);
    const refused = expect(waiting).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
    await workers.close();
    await refused;
    expect(running.map((worker) => isAlive(worker.pid))).toEqual([false, false]);
    await expect(workers.start(FOREVER, never)).rejects.toMatchObject({ code: 'FFMPEG_CLOSED' });
  });
});
