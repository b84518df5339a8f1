import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { Jail } from './jail.ts';
import { TERM_GRACE_MS, type WorkerSpec } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

/**
 * Runs the "program" as a shell script, without a jail: these tests are about who can run, and that all of them
 * end.
 */
const shell: Jail = {
  describe: () => {
    throw new Error('not asked for');
  },
  wrap: (script) => ({ command: '/bin/sh', args: ['-c', script] }),
};

function script(source: string, more: Partial<WorkerSpec> = {}): WorkerSpec {
  return { ffmpegPath: source, line: { args: [], stdin: null }, network: null, extraFd: null, ...more };
}

const FOREVER = script('echo ready; exec cat');
const never = new AbortController().signal;

/** Zombies count as gone: in a container, they may never be reaped. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // no such process
  }
}

describe('WorkerPool', () => {
  const pools: WorkerPool[] = [];
  function pool(options: { maxWorkers?: number; maxWaiting?: number; clock?: FakeClock } = {}): WorkerPool {
    const { maxWorkers = 1, maxWaiting = 2, clock } = options;
    const created = new WorkerPool({
      maxWorkers,
      maxWaiting,
      waitTimeoutMs: 10_000,
      jail: shell,
      clock: clock ?? systemClock,
    });
    pools.push(created);
    return created;
  }
  afterEach(() => Promise.all(pools.map((created) => created.close())));

  describe('work that yields', () => {
    it('stands behind everything else, waits for any time, and starts when a place is free', async () => {
      const clock = new FakeClock();
      const workers = pool({ clock });
      const first = await workers.start(FOREVER, never);
      const order: string[] = [];
      const start = (name: string, started: Promise<unknown>) => started.then(() => order.push(name));
      const sound = workers.startYielding(script('exit 0'), never);
      const soundStarted = start('sound', sound);
      const pictureStarted = start('picture', workers.start(script('exit 0'), never));
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

  it('frees the place of a program that cannot be started', async () => {
    const broken = new WorkerPool({
      maxWorkers: 1,
      waitTimeoutMs: 1,
      jail: { ...shell, wrap: () => ({ command: '/nowhere/ffmpeg', args: [] }) },
      clock: systemClock,
    });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(broken.start(FOREVER, never)).rejects.toMatchObject({ code: 'FFMPEG_START_FAILED' });
    }
    expect(broken.counts.running).toBe(0);
  });

  it('ends the whole process group, and insists when asked in vain', async () => {
    const clock = new FakeClock();
    const workers = pool({ clock });
    const worker = await workers.start(script("trap '' TERM; sleep 1000 & echo $!; wait; wait; wait"), never);
    const [chunk] = await once(worker.stdout, 'data');
    const child = Number(String(chunk));
    expect([isAlive(worker.pid), isAlive(child)]).toEqual([true, true]);
    const gone = worker.kill();
    clock.advance(TERM_GRACE_MS - 1);
    expect(isAlive(worker.pid)).toBe(true);
    clock.advance(1);
    await gone;
    expect(await worker.exited).toMatchObject({ signal: 'SIGKILL' });
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('drains a worker that is being ended, so that it can end', async () => {
    const worker = await pool().start(
      script('trap "exit 7" TERM; while :; do echo aaaaaaaaaaaaaaaa; done'),
      never,
    );
    await once(worker.stdout, 'readable');
    await worker.kill();
    expect(await worker.exited).toMatchObject({ code: 7, signal: null });
  });

  it('gives a worker its input, a second pipe, and almost no environment', async () => {
    const lines: string[] = [];
    const spec = script('cat; echo second >&3; env | sort >&2', {
      line: { args: [], stdin: 'from the gateway' },
      extraFd: 3,
      onStderrLine: (line) => lines.push(line),
    });
    const worker = await pool().start(spec, never);
    expect(worker.stdin).toBeNull();
    const [out, extra] = await Promise.all([text(worker.stdout), text(worker.extra!)]);
    const exit = await worker.exited;
    expect([out, extra, exit.code]).toEqual(['from the gateway', 'second\n', 0]);
    expect(lines.filter((line) => !/^(?:PWD|_|SHLVL|OLDPWD)=/.test(line))).toEqual([
      'LANG=C',
      'MALLOC_ARENA_MAX=2',
    ]);
    expect(exit.stderr).toEqual(lines);
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
