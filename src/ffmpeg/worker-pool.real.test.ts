/** The behavior of workers that only the system shows: processes, their groups, signals and pipes. */

import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { FOREVER, isAlive, shellScript as script, shellJail } from './shell-jail-fixture.ts';
import { TERM_GRACE_MS } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

const never = new AbortController().signal;

describe('WorkerPool', () => {
  const pools: WorkerPool[] = [];
  function pool({ clock = systemClock }: { clock?: FakeClock | typeof systemClock } = {}): WorkerPool {
    const created = new WorkerPool({ maxWorkers: 1, waitTimeoutMs: 10_000, jail: shellJail, clock });
    pools.push(created);
    return created;
  }
  afterEach(() => Promise.all(pools.map((created) => created.close())));

  it('frees the place of a program that cannot be started', async () => {
    const broken = new WorkerPool({
      maxWorkers: 1,
      waitTimeoutMs: 1,
      jail: { ...shellJail, wrap: () => ({ command: '/nowhere/ffmpeg', args: [] }) },
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
});
