import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createJail, type Jail, LAUNCHER_PATH } from './jail.ts';
import { Spawner } from './spawner.ts';
import { Worker, type WorkerSpec } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';
import type { WorkerProcess } from './worker-process.ts';

const SHELL = '/bin/sh';

/** The state and the parent of a process; null: there is none, or it is a zombie. */
function statusOf(pid: number): { state: string; parentPid: number } | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const state = /^State:\s+(\S)/m.exec(status)?.[1] ?? '';
    return state === 'Z' ? null : { state, parentPid: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) };
  } catch {
    return null; // it is gone
  }
}

/** What a descriptor of this process is, as `socket:[inode]`; empty: it was closed meanwhile. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

/** The names of this process's spawners. Earlier tests of this process and other gateways of this machine have some, too. */
function ownListeners(): string[] {
  const descriptors = new Set(readdirSync('/proc/self/fd').map(targetOf));
  const names = readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , , , , inode, name]) => name?.startsWith('@sluice-') && descriptors.has(`socket:[${inode}]`),
    )
    .map((fields) => fields[7]!);
  return [...new Set(names)];
}

describe('Spawner', () => {
  let jail: Jail;
  let spawner: Spawner;

  beforeAll(async () => {
    jail = await createJail();
    expect(jail.launcherPath, 'run node native/build.mjs').toBe(LAUNCHER_PATH);
    spawner = await Spawner.open({ launcherPath: LAUNCHER_PATH, clock: systemClock, log: silentLog });
  });
  afterAll(() => spawner.close());

  function start(script: string, hasExtra = false): Promise<WorkerProcess> {
    const keepFds = hasExtra ? [3] : [];
    return spawner.start(jail.wrap(SHELL, ['-c', script], { network: null, keepFds }), hasExtra);
  }

  it('starts a worker in the jail, as its own child, with its input and its outputs', async () => {
    const worker = await start('echo ready; read x; echo "$x"; echo error >&2; echo three >&3; exit 7', true);
    expect(String(await once(worker.stdout, 'data'))).toBe('ready\n');
    expect(statusOf(worker.pid)?.parentPid).toBe(spawner.pid);
    expect(statusOf(spawner.pid!)?.parentPid).toBe(process.pid);
    expect(readFileSync(`/proc/${worker.pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
    worker.stdin.end('hello\n');
    const outputs = [worker.stdout, worker.stderr, worker.extra!].map((stream) => text(stream));
    expect(await Promise.all(outputs)).toEqual(['hello\n', 'error\n', 'three\n']);
    expect(await worker.ended).toEqual({ code: 7, signal: null });
  });

  it('carries a million bytes each way, and the end of each', async () => {
    const worker = await spawner.start(jail.wrap('/bin/cat', ['-'], { network: null, keepFds: [] }), false);
    worker.stderr.resume();
    const sent = Buffer.alloc(1_000_000, 'abc\n');
    worker.stdin.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of worker.stdout) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
    expect(await worker.ended).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends a worker by %s and reports it', async (signal) => {
    const worker = await start('read x');
    for (const stream of [worker.stdout, worker.stderr]) stream.resume();
    worker.signal(signal);
    expect(await worker.ended).toEqual({ code: null, signal });
    expect(statusOf(worker.pid)).toBeNull();
    worker.signal(signal); // has no receiver
  });

  it('passes on why the jail ran nothing', async () => {
    const worker = await spawner.start(
      jail.wrap('/nowhere/ffmpeg', [], { network: null, keepFds: [] }),
      false,
    );
    worker.stdout.resume();
    expect(await text(worker.stderr)).toContain('sluice-jail: /nowhere/ffmpeg: No such file');
    expect(await worker.ended).toEqual({ code: 127, signal: null });
  });

  it('starts many at once, each with its own streams', async () => {
    const workers = await Promise.all(Array.from({ length: 40 }, (_, index) => start(`echo ${index}`)));
    for (const { stderr } of workers) stderr.resume();
    const said = await Promise.all(workers.map(({ stdout }) => text(stdout)));
    expect(said).toEqual(workers.map((_, index) => `${index}\n`));
    const ends = await Promise.all(workers.map(({ ended }) => ended));
    expect(ends.every(({ code }) => code === 0)).toBe(true);
  });

  it('takes no stream from anyone who does not know the secret', async () => {
    const others = ownListeners();
    const own = await Spawner.open({ launcherPath: LAUNCHER_PATH, clock: systemClock, log: silentLog });
    const [name, ...more] = ownListeners().filter((each) => !others.includes(each));
    expect(more).toEqual([]);
    const path = `\0${name!.slice(1)}`;
    const silent = connect({ path });
    const guess = connect({ path });
    guess.end(`${'0'.repeat(32)}1`);
    await Promise.all([silent, guess].map((socket) => once(socket.resume(), 'close')));
    const options = { network: null, keepFds: [] };
    const worker = await own.start(jail.wrap(SHELL, ['-c', 'echo unharmed'], options), false);
    worker.stderr.resume();
    expect(await text(worker.stdout)).toBe('unharmed\n');
    await own.close();
  });

  it('loses its workers with its process, reports them, and starts the next ones with another', async () => {
    const own = await Spawner.open({ launcherPath: LAUNCHER_PATH, clock: systemClock, log: silentLog });
    const options = { network: null, keepFds: [] };
    const held = await own.start(jail.wrap(SHELL, ['-c', 'read x'], options), false);
    for (const stream of [held.stdout, held.stderr]) stream.resume();
    const first = own.pid!;
    process.kill(first, 'SIGKILL');
    expect(await held.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await expect.poll(() => statusOf(held.pid)).toBeNull();
    const next = await own.start(jail.wrap(SHELL, ['-c', 'echo again'], options), false);
    next.stderr.resume();
    expect(await text(next.stdout)).toBe('again\n');
    expect(own.pid).not.toBe(first);
    await own.close();
    expect(own.pid).toBeNull();
  });

  it('fails a start that its process did not live to see, and every one once closed', async () => {
    const own = await Spawner.open({ launcherPath: LAUNCHER_PATH, clock: systemClock, log: silentLog });
    const wrapped = jail.wrap(SHELL, ['-c', 'read x'], { network: null, keepFds: [] });
    process.kill(own.pid!, 'SIGSTOP');
    const starting = expect(own.start(wrapped, false)).rejects.toMatchObject({ code: 'FFMPEG_START_FAILED' });
    process.kill(own.pid!, 'SIGKILL');
    await starting;
    await own.close();
    await expect(own.start(wrapped, false)).rejects.toMatchObject({ code: 'FFMPEG_START_FAILED' });
  });

  it('serves a pool: what the pool ends is gone', async () => {
    const pool = new WorkerPool({
      maxWorkers: 2,
      waitTimeoutMs: 5_000,
      jail,
      starter: spawner,
      clock: systemClock,
    });
    const lines: string[] = [];
    const spec: WorkerSpec = {
      ffmpegPath: SHELL,
      network: null,
      extraFd: null,
      line: { args: ['-c', 'cat <&0; echo no >&2'], stdin: '' },
      onStderrLine: (line) => lines.push(line),
    };
    const worker = await pool.start(spec, new AbortController().signal);
    expect(worker).toBeInstanceOf(Worker);
    worker.stdout.resume();
    // No second process in the jail, so no `cat`.
    expect((await worker.exited).stderr).toEqual(lines);
    const held = await pool.start(
      { ...spec, line: { args: ['-c', 'read x'], stdin: null } },
      new AbortController().signal,
    );
    await pool.close();
    expect(statusOf(held.pid)).toBeNull();
  });
});
