import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import type { ViewerThreadData } from './viewer-thread-calls.ts';
import { ViewerThreads } from './viewer-threads.ts';

const MODULE = new URL('./fake-viewer-worker.ts', import.meta.url);

let clock: FakeClock;
let threads: ViewerThreads;
let logged: string[];
let pauses: unknown[];
let ports: number[];
let playlists: number;
/** That threads started with. */
let levels: string[];

function create(host: string, count = 2): ViewerThreads {
  return new ViewerThreads({
    count,
    clock,
    module: MODULE,
    data(): ViewerThreadData {
      return {
        listen: { host, port: 0 },
        listener: { certificate: null, isHttp2Plain: false, hasProxyHeader: false },
        trustProxy: [],
        connections: { maxConnections: 1, maxPerAddress: 1, maxDescriptor: 1 },
        limits: { targetSegmentMs: 1, windowMs: 1, maxWindowBytes: 1, maxWaiters: 1 },
        sharedPaths: { key: new Uint8Array(32), lifeMs: 1 },
        gateway: { host: '', port: 1, secret: '' },
        log: { level: 'info', format: 'json' },
      };
    },
    sessions: { access: () => ({ allowed: false, reason: 'unknown', untilEpochMs: null }) },
    cameras: { get: () => undefined },
    onSent: () => undefined,
    onTouch: () => undefined,
    onLogged: (level) => void levels.push(level),
    onPlaylists: (more) => {
      playlists += more;
    },
    log: {
      ...silentLog,
      error(fields, message) {
        logged.push(message);
        if ('retryMs' in fields) pauses.push(fields.retryMs);
      },
    },
  });
}

beforeEach(() => {
  clock = new FakeClock();
  [logged, pauses, ports, playlists, levels] = [[], [], [], 0, []];
});
afterEach(() => threads.close());

describe('ViewerThreads', () => {
  it('starts them at one port, and adds up what they do', async () => {
    threads = create('here', 3);
    ports.push(await threads.start());
    expect(ports).toEqual([4_711]);
    expect(threads.starts).toBe(3);
    expect(threads.state()).toEqual({
      connections: { open: 3, madeRoom: 6, refused: 9 },
      waiting: 12,
      responses: 15,
      cuts: { access: 18, 'too-slow': 21, recalled: 24 },
      playlists: 27,
      viewers: 30,
      windows: 33,
      busySec: 36,
    });
    expect(playlists).toBe(27);
  });

  it('replaces those that fail, after pauses that grow, and its totals do not go back', async () => {
    threads = create('here');
    await threads.start();
    for (const [index, retryMs] of [100, 200, 400].entries()) {
      threads.setLogLevel('silent');
      await expect.poll(() => logged).toHaveLength(2 * (index + 1));
      expect(threads.state().connections).toMatchObject({ open: 0, refused: 6 * (index + 1) });
      clock.advance(retryMs);
      await expect.poll(() => threads.state().connections.open).toBe(2);
    }
    expect(logged).toEqual(Array(6).fill('viewer thread failed, restarting'));
    expect(pauses).toEqual([100, 100, 200, 200, 400, 400]);
    expect(threads.starts).toBe(8);
  });

  it('starts those that follow with the log level that was set, not that of the start', async () => {
    threads = create('here', 1);
    await threads.start();
    threads.setLogLevel('debug');
    // Makes it fail.
    threads.setLogLevel('silent');
    await expect.poll(() => logged).toHaveLength(1);
    threads.setLogLevel('debug');
    clock.advance(100);
    await expect.poll(() => levels).toEqual(['info', 'debug']);
  });

  it('replaces those that are not heard', async () => {
    threads = create('here', 1);
    await threads.start();
    clock.advance(10_000);
    expect(logged).toEqual([]);
    clock.advance(2_000);
    expect(logged[0]).toBe('viewer thread hangs');
    await expect.poll(() => logged).toContain('viewer thread failed, restarting');
    clock.advance(1_000);
    await expect.poll(() => threads.starts).toBe(2);
  });

  it('says why the first one does not start, and can be closed then', async () => {
    threads = create('broken');
    await expect(threads.start()).rejects.toMatchObject({ code: 'VIEWER_THREAD_FAILED' });
    await threads.close();
  });
});
