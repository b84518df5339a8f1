import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import { createJail, type Jail } from './jail.ts';
import { PictureServer } from './picture-server.ts';
import { WorkerPool } from './worker-pool.ts';

const NATIVE = fileURLToPath(new URL('../../native/', import.meta.url));
/** Reports its permissions: native/jail-probe.c. */
const PROBE = join(NATIVE, 'build', 'jail-probe');

describe('PictureServer', () => {
  let jail: Jail;
  let pool: WorkerPool;
  let server: PictureServer;
  const servers: PictureServer[] = [];

  beforeAll(async () => {
    const build = `import('${NATIVE}build.mjs').then((m) => process.exit(m.buildJail() && m.buildJailProbe() ? 0 : 1))`;
    const built = spawnSync(process.execPath, ['-e', build], { encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`the jail needs a C compiler: ${built.stderr}`);
    jail = await createJail();
    pool = new WorkerPool({ maxWorkers: 4, waitTimeoutMs: 5_000, jail, clock: systemClock });
    server = await start(PROBE);
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((each) => each.close()));
  });
  afterAll(() => pool.close());

  function start(path: string): Promise<PictureServer> {
    return PictureServer.start({ binary: { path } as FfmpegBinary, pool, clock: systemClock });
  }

  async function startAnother(): Promise<PictureServer> {
    const another = await start(PROBE);
    servers.push(another);
    return another;
  }

  /** The program's output for one request; it must be as long as `expected`. */
  async function say(on: PictureServer, expected: string, args: string[], frame: Buffer[] = []) {
    const bytes = { minBytes: expected.length, maxBytes: expected.length };
    return String(await on.make({ args, frame, ...bytes, timeoutMs: 10_000 }));
  }

  it('runs the program again and again, and never the same process', async () => {
    for (let round = 0; round < 3; round++) expect(await say(server, 'ok\n', ['memory', '1'])).toBe('ok\n');
    expect(server.isUsable).toBe(true);
  });

  it.each([
    ['start processes', 'EPERM\n', ['fork']],
    ['signal the server', 'EPERM\n', ['signal', 'server']],
    ['outlive the server', 'EPERM\n', ['outlive']],
    ['open sockets', 'ENOSYS\n', ['inet']],
    ['write files', 'EROFS\n', ['write', '/tmp/x']],
    ['make files in memory', 'ENOSYS\n', ['memfd']],
    ['take all memory', 'ENOMEM\n', ['memory', '4000']],
  ])('lets a picture’s process not %s', async (_what, expected, args) => {
    const words = args.map((word) => (word === 'server' ? String(server.pid) : word));
    expect(await say(server, expected, words)).toBe(expected);
  });

  it('lets it read nothing but libraries, where the kernel has Landlock', async () => {
    const expected = jail.describe().protections.landlock ? 'EACCES\n' : 'ok\n';
    expect(await say(server, expected, ['read', '/etc/passwd'])).toBe(expected);
    const memory = readFileSync(`/proc/${server.pid}/maps`, 'latin1');
    expect(memory).toContain('picture-server.so');
    expect(await say(server, expected, ['read', `/proc/${server.pid}/mem`])).toBe(expected);
  });

  it('forgets what a picture’s process did not read of its frame', async () => {
    const frame = [Buffer.alloc(1_000_000, 'frame'), Buffer.alloc(100_000, 'more of it')];
    expect(await say(server, 'EPERM\n', ['fork'], frame)).toBe('EPERM\n');
    expect(await say(server, 'ok\n', ['memory', '1'])).toBe('ok\n');
  });

  it('goes on after a picture that is too short', async () => {
    const wrong = say(server, 'EPERM and more', ['fork']);
    await expect(wrong).rejects.toMatchObject({ code: 'FFMPEG_BAD_PICTURE', context: { receivedBytes: 6 } });
    expect(await say(server, 'EPERM\n', ['fork'])).toBe('EPERM\n');
  });

  it('is replaced after a picture that is too long', async () => {
    const own = await startAnother();
    await expect(say(own, 'four', ['fork'])).rejects.toMatchObject({ code: 'FFMPEG_BAD_PICTURE' });
    expect(own.isUsable).toBe(false);
  });

  it('is replaced after a crash, so that the next pictures have another layout in memory', async () => {
    const own = await startAnother();
    await expect(say(own, 'ok\n', ['exec'])).rejects.toMatchObject({ code: 'FFMPEG_BAD_PICTURE' });
    expect(own.isUsable).toBe(false);
  });

  it('ends with a picture that takes too long, and its process with it', async () => {
    const own = await startAnother();
    const late = own.make({ args: ['wait'], frame: [], minBytes: 0, maxBytes: 100, timeoutMs: 200 });
    await expect(late).rejects.toMatchObject({ code: 'FFMPEG_PICTURE_TIMEOUT' });
    expect(own.isUsable).toBe(false);
    await own.close();
    const group = spawnSync('ps', ['-o', 'stat=', '-g', String(own.pid)], { encoding: 'utf8' });
    expect(group.stdout.split('\n').filter((state) => state !== '' && !state.startsWith('Z'))).toEqual([]);
  });

  it('cannot be a program that is linked statically, or none at all', async () => {
    await expect(start('/nonexistent')).rejects.toMatchObject({ code: 'FFMPEG_NO_PICTURE_SERVER' });
  });
});
