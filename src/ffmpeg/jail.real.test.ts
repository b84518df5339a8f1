import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJail, type Jail, LAUNCHER_PATH, parseReport, type WorkerNetwork } from './jail.ts';

const NATIVE = fileURLToPath(new URL('../../native/', import.meta.url));
const PROBE = join(NATIVE, 'build', 'jail-probe');
/** A set of capabilities as /proc/PID/status prints it. */
const NONE = '0'.repeat(16);
const isRoot = process.geteuid?.() === 0;

const CAMERA: WorkerNetwork = { address: '192.0.2.1', port: 554, udp: false };

/** Roots that cannot become another user: of a hardened container, and of a rootless one that maps a single user. */
const ROOTS = (
  [
    ['without the capability to change users', ['setpriv', '--bounding-set=-setuid']],
    ['in a namespace with one user', ['unshare', '--user', '--map-root-user']],
  ] as [title: string, starter: string[]][]
).filter(([, [command, ...args]]) => {
  const uid = spawnSync(command!, [...args, 'id', '-u'], { encoding: 'utf8' }).stdout;
  if (uid === '0\n') return true;
  if (isRoot && command === 'setpriv') throw new Error('setpriv must be installed');
  return false;
});

/** Last line of the probe's output, or how it died. `network`: a camera, or whether there is a network. */
function probe(jail: Jail | null, network: WorkerNetwork | boolean, ...args: string[]): string {
  const camera = network === true ? CAMERA : network === false ? null : network;
  const { command, args: vector } = jail?.wrap(PROBE, args, { network: camera }) ?? { command: PROBE, args };
  return lastWord(spawnSync(command, vector, { encoding: 'utf8' }));
}

function lastWord(result: SpawnSyncReturns<string>): string {
  return result.signal ?? (result.stdout + result.stderr).trim().split('\n').at(-1) ?? '';
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout!, 'data');
  return String(chunk).trim();
}

/** Zombies count as gone: in a container, they may never be reaped. */
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
    ['write', 'EROFS', 'ok'],
    ['mkdir', 'ENOSYS', 'ok'],
    // There is none.
    ['unlink', 'ENOSYS', 'ENOENT'],
  ])('lets the worker not %s a file', (what, error, outside) => {
    const path = join(folder, what);
    expect(probe(jail, true, what, path)).toBe(error);
    expect(existsSync(path)).toBe(false);
    // Outside the jail it can: the probe works.
    expect(probe(null, true, what, path)).toBe(outside);
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

  it('opens sockets for UDP only for a camera that needs them', () => {
    expect(probe(jail, true, 'datagram')).toBe('EAFNOSUPPORT');
    expect(probe(jail, { ...CAMERA, udp: true }, 'datagram')).toBe('ok');
  });

  it('reads certificates of authorities and not the private keys beside them', () => {
    // As the user who starts it, who may be able to read the keys.
    const read = (path: string) =>
      lastWord(spawnSync(LAUNCHER_PATH, ['--no-network', '--', PROBE, 'read', path], { encoding: 'utf8' }));
    expect(read('/etc/ssl/certs')).toBe('ok');
    expect(read('/etc/ssl/private')).toBe(jail.describe().protections.landlock ? 'EACCES' : 'ok');
  });

  it('has no capability, ambient ones of its service included', async () => {
    const service = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const ambient = ['--inh-caps=+net_bind_service', '--ambient-caps=+net_bind_service'];
    const starter = isRoot ? ['setpriv', ...service, ...ambient] : [];
    const vector = [...starter, LAUNCHER_PATH, '--no-network', '--', PROBE, 'wait'];
    const child = spawn(vector[0]!, vector.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    const status = readFileSync(`/proc/${await firstLine(child)}/status`, 'utf8');
    child.kill('SIGKILL');
    const sets = Object.fromEntries(
      [...status.matchAll(/^Cap(\w+):\s+(\w+)$/gm)].map(([, set, bits]) => [set, bits]),
    );
    expect(sets).toMatchObject({ Inh: NONE, Prm: NONE, Eff: NONE, Amb: NONE });
  });

  describe.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
  ])('a camera at %s', (_title, address) => {
    let camera: Server;
    let neighbor: Server;
    let visits = 0;
    const portOf = (server: Server) => (server.address() as AddressInfo).port;

    beforeAll(async () => {
      camera = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, address);
      neighbor = createServer((socket) => {
        visits++;
        socket.on('error', () => undefined).pipe(socket);
      }).listen(0, address);
      await Promise.all([once(camera, 'listening'), once(neighbor, 'listening')]);
    });
    afterAll(() => {
      camera.close();
      neighbor.close();
    });

    /** The servers answer in this process, so the probe must not block it. */
    async function talk(args: readonly string[]): Promise<string> {
      const child = spawn(args[0]!, args.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
      const said = Promise.all([text(child.stdout), text(child.stderr)]);
      await once(child, 'exit');
      return (await said).join('').trim().split('\n').at(-1)!;
    }

    function wrapped(target: Server, named = camera): string[] {
      const network = { address, port: portOf(named), udp: false };
      const { command, args } = jail.wrap(PROBE, ['talk', address, String(portOf(target))], { network });
      return [command, ...args];
    }

    it('is reached, and no other port of its host', async () => {
      expect(await talk(wrapped(camera))).toBe('ok');
      expect(await talk(wrapped(neighbor))).not.toBe('ok');
      expect(visits).toBe(0);
      expect(await talk([PROBE, 'talk', address, String(portOf(neighbor))])).toBe('ok');
      visits = 0;
    });

    it('is the only host that is reached, where the kernel gives namespaces', async () => {
      // The worker can connect to its camera's port; this host is not a camera, but listens there.
      const network = {
        address: address === '::1' ? '2001:db8::1' : '192.0.2.1',
        port: portOf(neighbor),
        udp: false,
      };
      const { command, args } = jail.wrap(PROBE, ['talk', address, String(portOf(neighbor))], { network });
      const { networkNamespace } = jail.describe().protections;
      expect(await talk([command, ...args])).toBe(networkNamespace ? 'ECONNREFUSED' : 'ok');
      expect(visits).toBe(networkNamespace ? 0 : 1);
      visits = 0;
    });

    it('is reached by its port alone without namespaces, where the kernel has Landlock for networks', async () => {
      const bare = (target: Server) => [
        LAUNCHER_PATH,
        '--camera',
        address,
        String(portOf(camera)),
        '--',
        PROBE,
        'talk',
        address,
        String(portOf(target)),
      ];
      expect(await talk(bare(camera))).toBe('ok');
      const { landlockAbi, protections } = jail.describe();
      expect(await talk(bare(neighbor))).toBe(protections.landlock && landlockAbi >= 4 ? 'EACCES' : 'ok');
    });

    it('that refuses is named on standard error', async () => {
      const closed = createServer().listen(0, address);
      await once(closed, 'listening');
      const args = wrapped(closed, closed);
      await new Promise((resolve) => closed.close(resolve));
      if (jail.describe().protections.networkNamespace) {
        expect(await talk(args)).toBe('sluice-jail: the camera: Connection refused');
      } else expect(await talk(args)).toBe('ECONNREFUSED');
    });
  });

  it('lets nobody connect to the worker', () => {
    // Landlock refuses the port from its ABI 4 on; without, the system call does not exist.
    const expected = jail.describe().landlockAbi >= 4 ? 'EACCES' : 'ENOSYS';
    expect(probe(jail, true, 'listen')).toBe(expected);
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

  it.each([0, 5, 10])('holds for a gateway without privileges at niceness %i', (niceness) => {
    const own = ['nice', '-n', String(niceness - getPriority())];
    const user = ['setpriv', '--reuid=10001', '--regid=10001', '--clear-groups', '--inh-caps=-all'];
    const starter = [...(niceness < getPriority() ? [] : own), ...(isRoot ? user : [])];
    const run = (...args: string[]) => {
      const vector = [...starter, LAUNCHER_PATH, ...args];
      return spawnSync(vector[0]!, vector.slice(1), { encoding: 'utf8' });
    };
    expect(parseReport(run('--report', '--uid', '65534').stdout)).toMatchObject({
      limits: true,
      seccomp: true,
      parentDeath: true,
      capabilities: true,
    });
    expect(lastWord(run('--no-network', '--', PROBE, 'niceness'))).toBe(
      `${Math.max(niceness, getPriority(), 5)} ok`,
    );
  });

  describe.each(ROOTS)('for root %s', (_title, starter) => {
    /** Runs `command` in both jails that such a gateway makes: with the launcher, and with util-linux. */
    function jailedBy(command: string, ...args: string[]): { launcher: string; line: string }[] {
      const script = `import { spawnSync } from 'node:child_process';
        import { createJail } from '${join(import.meta.dirname, 'jail.ts')}';
        for (const options of [{}, { launcherPath: '/nowhere', searchPath: '/usr/bin' }]) {
          const jail = await createJail(options);
          const { command, args } = jail.wrap('${command}', ${JSON.stringify(args)}, { network: null });
          const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
          console.log(JSON.stringify({ ...jail.describe(), line: (stdout + stderr).trim() }));
        }`;
      const vector = [...starter, process.execPath, '--input-type=module', '-e', script];
      const { stdout, stderr } = spawnSync(vector[0]!, vector.slice(1), { encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    }

    it('starts workers that stay root without a capability, and says so', () => {
      const held = { parentDeath: true, noNewPrivileges: true, limits: true, capabilities: true };
      expect(jailedBy(PROBE, 'uid')).toMatchObject([
        {
          launcher: 'sluice-jail',
          protections: { ...held, seccomp: true, unprivilegedUser: false },
          line: '0 ok',
        },
        { launcher: 'util-linux', protections: { ...held, unprivilegedUser: false }, line: '0 ok' },
      ]);
    });

    it('lets them read no file but the system’s libraries, where the kernel has Landlock', () => {
      const expected = jail.describe().protections.landlock ? 'EACCES' : 'ok';
      expect(jailedBy(PROBE, 'read', '/etc/passwd').map(({ line }) => line)).toEqual([expected, 'ok']);
    });
  });

  it('closes what it inherited, except for what it was told to keep', () => {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
    const [kept, closed] = [3, 4].map((fd) => {
      const { command, args } = jail.wrap(PROBE, ['fd', String(fd)], { network: null, keepFds: [3] });
      return spawnSync(command, args, { encoding: 'utf8', stdio: [...stdio] }).stdout.trim();
    });
    expect([kept, closed]).toEqual(['ok', 'EBADF']);
  });

  it('dies with its parent, even when that is killed', async () => {
    const { command, args } = jail.wrap(PROBE, ['wait'], { network: null });
    // A separate parent: starts the jailed program, prints its process ID, and stays.
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
    const result = spawnSync(LAUNCHER_PATH, ['--no-network', '--parent', '1', '--', PROBE, 'uid'], {
      encoding: 'utf8',
    });
    expect([result.status, result.stdout]).toEqual([121, '']);
  });

  it.each([
    ['no program', ['--no-network'], 120],
    ['an unknown option', ['--no-network', '--frobnicate', '1', '--', PROBE], 120],
    ['a relative path', ['--no-network', '--', 'jail-probe'], 120],
    ['a number that is none', ['--no-network', '--uid', 'x', '--', PROBE], 120],
    ['a program without word of its network', ['--', PROBE], 120],
    ['a camera that is a name', ['--camera', 'camera.lan', '554', '--', PROBE], 120],
    ['a camera without port', ['--camera', '192.0.2.1', '0', '--', PROBE], 120],
    ['a relay of UDP', ['--camera', '192.0.2.1', '554', '--udp', '--network-namespace', '--', PROBE], 120],
    ['a program that is not there', ['--no-network', '--', '/nowhere/ffmpeg'], 127],
    ['a program that is not executable', ['--no-network', '--', join(NATIVE, 'sluice-jail.c')], 126],
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
      network: null,
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
      { network: CAMERA },
    );
    const lines = spawnSync(command, args, { encoding: 'utf8' }).stdout.trim().split(/\s+/);
    expect(lines).toEqual(['0', 'NoNewPrivs:', '1', isRoot ? '65534' : String(process.geteuid?.())]);
  });

  it('says that nothing holds when there is nothing', async () => {
    const jail = await createJail({ launcherPath: '/nowhere/sluice-jail', searchPath: '/nowhere' });
    expect(jail.describe().launcher).toBe('none');
    expect(Object.values(jail.describe().protections)).toEqual(Array(8).fill(false));
    expect(jail.wrap('/bin/x', ['-y'], { network: CAMERA })).toEqual({ command: '/bin/x', args: ['-y'] });
  });

  it('does not believe a program that is no launcher', async () => {
    const jail = await createJail({ launcherPath: '/bin/echo', searchPath: '/nowhere' });
    expect(jail.describe().launcher).toBe('none');
    for (const text of ['', 'null', '[1', '7']) expect(parseReport(text)).toBeNull();
    expect(parseReport('{"seccomp":"true"}')).toMatchObject({ seccomp: false, landlockAbi: 0 });
  });
});
