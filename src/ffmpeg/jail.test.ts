import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJail, type Jail, LAUNCHER_PATH, parseReport } from './jail.ts';

const NATIVE = fileURLToPath(new URL('../../native/', import.meta.url));
const PROBE = join(NATIVE, 'build', 'jail-probe');
const isRoot = process.geteuid?.() === 0;

/** Last line of what the probe printed, or how it died. */
function probe(jail: Jail | null, network: boolean, ...args: string[]): string {
  const { command, args: vector } = jail?.wrap(PROBE, args, { network }) ?? { command: PROBE, args };
  const result = spawnSync(command, vector, { encoding: 'utf8' });
  return result.signal ?? (result.stdout + result.stderr).trim().split('\n').at(-1) ?? '';
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout!, 'data');
  return String(chunk).trim();
}

/** Zombies count as gone: in a container nobody may reap them. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false; // no such process
  }
}

describe('sluice-jail', () => {
  let jail: Jail;
  let folder: string;

  beforeAll(async () => {
    const build = `import('${NATIVE}build.mjs').then((m) => process.exit(m.buildJail() && m.buildJailProbe() ? 0 : 1))`;
    const built = spawnSync(process.execPath, ['-e', build], { encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`the jail needs a C compiler: ${built.stderr}`);
    jail = await createJail();
    folder = await mkdtemp(join(tmpdir(), 'jail-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reports what holds', () => {
    const { launcher, protections } = jail.describe();
    expect(launcher).toBe('sluice-jail');
    expect(protections).toMatchObject({
      seccomp: true,
      limits: true,
      parentDeath: true,
      noNewPrivileges: true,
    });
    expect(protections.unprivilegedUser).toBe(isRoot);
  });

  it.each([
    ['write', 'EROFS'],
    ['mkdir', 'ENOSYS'],
    ['unlink', 'ENOSYS'],
  ])('lets the worker not %s a file', (what, error) => {
    const path = join(folder, what);
    expect(probe(jail, true, what, path)).toBe(error);
    expect(existsSync(path)).toBe(false);
    // Outside it could: the probe is no dud.
    expect(['ok', 'ENOENT']).toContain(probe(null, true, what, path));
  });

  it('lets the worker read no file but the system’s libraries, where the kernel has Landlock', () => {
    const expected = jail.describe().protections.landlock ? 'EACCES' : 'ok';
    expect(probe(jail, true, 'read', '/etc/passwd')).toBe(expected);
    expect(probe(null, true, 'read', '/etc/passwd')).toBe('ok');
    expect(probe(jail, true, 'read', '/etc/ld.so.cache')).toBe('ok');
  });

  it.each([
    ['inet', 'ok', 'ENOSYS'],
    ['unix', 'EAFNOSUPPORT', 'ENOSYS'],
    ['packet', 'EAFNOSUPPORT', 'ENOSYS'],
  ])('opens sockets of family %s: %s with network, %s without', (family, withNetwork, without) => {
    expect(probe(jail, true, family)).toBe(withNetwork);
    expect(probe(jail, false, family)).toBe(without);
  });

  it('lets nobody connect to the worker', () => {
    expect(['EACCES', 'ENOSYS']).toContain(probe(jail, true, 'listen'));
    expect(probe(null, true, 'listen')).toBe('ok');
  });

  it.each([
    ['ptrace', [], 'ENOSYS'],
    ['unshare', [], 'ENOSYS'],
    ['memfd', [], 'ENOSYS'],
    ['fork', [], 'EPERM'],
    ['signal', [String(process.pid)], 'EPERM'],
    ['outlive', [], 'EPERM'],
    ['exec', [], 'SIGSYS'],
    ['execveat', [], 'SIGSYS'],
    ['memory', ['4000'], 'ENOMEM'],
  ])('refuses %s', (what, args, outcome) => {
    expect(probe(jail, true, what, ...args)).toBe(outcome);
  });

  it('gives the worker a user without rights, and two harmless variables', () => {
    expect(probe(jail, true, 'uid')).toBe(isRoot ? '65534 ok' : `${process.geteuid?.()} ok`);
    expect(probe(jail, true, 'environment')).toBe('2 ok');
  });

  it('closes what it inherited, except for what it was told to keep', () => {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
    const [kept, closed] = [3, 4].map((fd) => {
      const { command, args } = jail.wrap(PROBE, ['fd', String(fd)], { network: false, keepFds: [3] });
      return spawnSync(command, args, { encoding: 'utf8', stdio: [...stdio] }).stdout.trim();
    });
    expect([kept, closed]).toEqual(['ok', 'EBADF']);
  });

  it('dies with its parent, even when that is killed', async () => {
    const { command, args } = jail.wrap(PROBE, ['wait'], { network: false });
    // A parent of its own: starts the jailed program, repeats its process id, and stays.
    const vector = JSON.stringify([command, args]);
    const script = `const [c, a] = ${vector}; a[a.indexOf('--parent') + 1] = String(process.pid);
      require('node:child_process').spawn(c, a, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }); setInterval(() => 0, 1e6);`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(await firstLine(parent));
    expect(isAlive(pid)).toBe(true);
    const hangsUp = once(parent.stdout!, 'close');
    parent.kill('SIGKILL');
    await hangsUp; // the pipe closes when its last holder, the jailed program, is gone
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('does not start for a parent that is gone already', () => {
    const result = spawnSync(LAUNCHER_PATH, ['--parent', '1', '--', PROBE, 'uid'], { encoding: 'utf8' });
    expect([result.status, result.stdout]).toEqual([121, '']);
  });

  it.each([
    ['no program', [], 120],
    ['an unknown option', ['--frobnicate', '1', '--', PROBE], 120],
    ['a relative path', ['--', 'jail-probe'], 120],
    ['a number that is none', ['--uid', 'x', '--', PROBE], 120],
    ['a program that is not there', ['--', '/nowhere/ffmpeg'], 127],
    ['a program that is not executable', ['--', join(NATIVE, 'sluice-jail.c')], 126],
  ])('refuses %s', (_title, args, code) => {
    expect(spawnSync(LAUNCHER_PATH, args).status).toBe(code);
  });

  it('keeps network away from a worker that wants it anyway', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => connections++);
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { command, args } = jail.wrap('/usr/bin/ffmpeg', ['-v', 'error', '-i', `tcp://127.0.0.1:${port}`], {
      network: false,
    });
    expect(spawnSync(command, args, { encoding: 'utf8' }).stderr).toContain('Function not implemented');
    expect(connections).toBe(0);
    server.close();
  });
});

describe('createJail without the launcher', () => {
  it('uses util-linux, and says what that gives', async () => {
    const jail = await createJail({ launcherPath: '/nowhere/sluice-jail', searchPath: '/usr/bin' });
    expect(jail.describe()).toMatchObject({
      launcher: 'util-linux',
      protections: {
        parentDeath: true,
        noNewPrivileges: true,
        limits: true,
        seccomp: false,
        landlock: false,
      },
    });
    const { command, args } = jail.wrap(
      '/bin/sh',
      ['-c', 'ulimit -c; grep NoNewPrivs /proc/self/status; id -u'],
      { network: true },
    );
    const lines = spawnSync(command, args, { encoding: 'utf8' }).stdout.trim().split(/\s+/);
    expect(lines).toEqual(['0', 'NoNewPrivs:', '1', isRoot ? '65534' : String(process.geteuid?.())]);
  });

  it('says that nothing holds when there is nothing', async () => {
    const jail = await createJail({ launcherPath: '/nowhere/sluice-jail', searchPath: '/nowhere' });
    expect(jail.describe().launcher).toBe('none');
    expect(Object.values(jail.describe().protections)).toEqual(Array(6).fill(false));
    expect(jail.wrap('/bin/x', ['-y'], { network: true })).toEqual({ command: '/bin/x', args: ['-y'] });
  });

  it('does not believe a program that is no launcher', async () => {
    const jail = await createJail({ launcherPath: '/bin/echo', searchPath: '/nowhere' });
    expect(jail.describe().launcher).toBe('none');
    for (const text of ['', 'null', '[1', '7']) expect(parseReport(text)).toBeNull();
    expect(parseReport('{"seccomp":"true"}')).toMatchObject({ seccomp: false, landlockAbi: 0 });
  });
});
