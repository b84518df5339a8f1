import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { DEFAULT_API_LIMITS } from '../../http/limits.ts';
import type { ChangeEvent } from '../../store/store.ts';
import { MAX_WAITING } from '../../threads/outbox.ts';
import { ApiThread, type GatewaySide } from './api-thread.ts';
import type { ApiThreadData, Notice } from './thread-calls.ts';

const MODULE = new URL('./fake-api-worker.ts', import.meta.url);
const CHANGE: ChangeEvent = { entity: 'camera', type: 'CREATE', orgUuid: newRuuid(), uuid: newRuuid() };
const ONE_SECOND_MS = 1_000;

let clock: FakeClock;
let thread: ApiThread;
/** The thread's messages, and the log. */
let heard: unknown[];
let logged: string[];
let pauses: unknown[];
let startedWith: ApiThreadData[];
let failingTakeOvers: number;

function create(host: string): ApiThread {
  return new ApiThread({
    data() {
      const data = apiThreadData(host);
      startedWith.push(data);
      return data;
    },
    clock,
    log: {
      ...silentLog,
      error(fields, message) {
        logged.push(message);
        if ('retryMs' in fields) pauses.push(fields.retryMs);
      },
    },
    module: MODULE,
  });
}

const GATEWAY: GatewaySide = {
  now: () => ({
    mediaUrl: 'http://media.example',
    rtspUrl: null,
    mediaListener: { host: '127.0.0.1', port: 8081, isTls: false },
    connections: DEFAULT_API_LIMITS.connections,
    certificate: null,
    cameras: [],
    cameraSounds: [],
    cameraClocks: [],
    cameraSignings: [],
    cameraRecordings: [],
    placedHere: null,
    endedCredentials: [],
    isRestart: false,
  }),
  takeOver: async () => {
    heard.push('taken over');
    if (failingTakeOvers-- > 0) throw new Error('the store is away');
  },
  calls: {
    applied: async () => undefined,
    decodeKeyFrame: async () => null,
    streamSamples: async () => ({ streams: '', numbers: new Float64Array(), viewers: '' }),
    openPreview: async () => ({ allowed: false, reason: 'unknown', retryAfterMs: null }),
    storeEnds: async () => undefined,
    endAccess: async () => 'unknown',
    listViewers: async () => null,
    endViewer: async () => null,
    unblockAddress: async () => null,
    countViewers: async (uuids) => uuids.map(() => 0),
    clipUploadsChanged: () => undefined,
    publishKeyChanged: async () => undefined,
    cameraProbed: async () => null,
    readElsewhere: async () => null,
    unlistedRecordings: async () => [],
    recordingRule: () => {
      throw new Error('not asked for');
    },
    copyFromRecorder: async () => ({ isGrowing: false, error: null }),
    recorderFootage: async () => [],
    takeStill: async () => {
      throw new Error('not asked for');
    },
    auditSettled: async () => void heard.push('asked'),
    readiness: async () => ({ ready: true, checks: {} }),
    metrics: async () => ({ contentType: 'text/plain', body: '' }),
    systemState: () => Promise.reject(new Error('not asked for')),
    openPublicUrlCheck: () => ({ checkId: 'unused', endsAtEpochMs: 0 }),
    publicUrlVisits: () => null,
    counterHistory: () => ({ firstEpochMs: 0, intervalMs: 10_000, samples: 0, columns: {} }),
    serviceLevels: () => {
      throw new Error('not asked for');
    },
    serviceHistory: () => {
      throw new Error('not asked for');
    },
    serviceProbesChanged: async () => undefined,
    configTexts: () => ({ started: { file: null, text: '' }, loaded: { file: null, text: '' } }),
    reloadConfig: () => Promise.reject(new Error('not asked for')),
    restart: () => Promise.reject(new Error('not asked for')),
    logPage: () => ({ records: [], hasMore: false }),
    logged: () => undefined,
    eventsSeen: () => undefined,
    changed: (changes) => heard.push(...changes),
  },
};

function apiThreadData(host: string): ApiThreadData {
  return {
    listen: { host, port: 0 },
    listener: { isHttp2Plain: false, hasProxyHeader: false },
    trustProxy: [],
    cors: [],
    api: { rateLimit: 1, authenticationAttempts: 1 },
    webhooks: { allowPrivateNetworks: false },
    retention: { eventsMs: 1, crossingsMs: 1, auditMs: 1, auditMaxRows: 1_000 },
    store: { kind: 'sqlite-port', path: '', port: new MessageChannel().port1 },
    fieldKey: Buffer.alloc(32),
    shareTokenKey: Buffer.alloc(32),
    settingsState: { node: 'this', ignored: null },
    redisUrl: null,
    clusterName: null,
    ssoKey: new Uint8Array(),
    knownBrowserKey: new Uint8Array(32),
    mail: null,
    mailLinkKey: new Uint8Array(32),
    domainProof: 'dns',
    viewerProofMs: 60_000,
    oidc: null,
    publicApiUrl: null,
    lanMediaUrls: [],
    undeclaredReach: 'no-local',
    cameraNetworks: [],
    onvifProbes: [],
    recordingStorage: { folder: '', key: Buffer.alloc(32), s3: null },
    evidenceKey: new Uint8Array(32),
    timeStampUrl: null,
    clips: {
      keepMs: 3_600_000,
      maxSizeBytes: null,
      ofAlerts: true,
      alertsPerHour: 60,
      keepOfAlertsMs: 3_600_000,
      maxSizeOfAlertsBytes: 1e9,
    },
    alertRolls: { preRollMs: 10_000, postRollMs: 30_000 },
    isEncrypting: false,
    minFreeBytes: 0,
    storeDisk: null,
    securityText: null,
    mapTiles: null,
    metricsToken: null,
    env: {},
    log: { level: 'silent', format: 'json' },
  };
}

function viewer(viewerId: string): Notice {
  const uuids = { orgUuid: newRuuid(), shareUuid: newRuuid(), cameraUuid: newRuuid() };
  return { kind: 'viewer', viewer: { type: 'CREATE', ...uuids, viewerId, viewers: 1 } };
}

beforeEach(() => {
  clock = new FakeClock();
  [heard, logged, pauses, startedWith] = [[], [], [], []];
  failingTakeOvers = 0;
});

afterEach(() => thread.close());

describe('ApiThread', () => {
  it('notifies the thread of events, and handles its calls', async () => {
    thread = create('here');
    thread.prepare();
    thread.notify({ kind: 'change', change: { ...CHANGE, type: 'DELETE' } });
    await thread.start(GATEWAY);
    expect(thread.starts).toBe(1);
    thread.notify({ kind: 'change', change: CHANGE });
    thread.notify(viewer('ask'));
    await expect.poll(() => heard).toEqual([CHANGE, 'asked']);
    expect(thread.apiUrl).toBe('http://here');
    expect(thread.busySec).toBeGreaterThan(0);
  });

  it('says so when more viewers come and leave than it can take', async () => {
    thread = create('here');
    await thread.start(GATEWAY);
    for (let at = 0; at <= MAX_WAITING; at++) thread.notify(viewer('one of many'));
    thread.notify({ kind: 'change', change: CHANGE });
    await expect.poll(() => heard).toEqual([CHANGE]);
    for (let at = 0; at <= MAX_WAITING + 1; at++) thread.notify(viewer('one of many'));
    thread.notify({ kind: 'change', change: CHANGE });
    await expect.poll(() => heard).toEqual([CHANGE, CHANGE, 'asked']);
  });

  it('asks the thread for progress, and waits no longer than a viewer would', async () => {
    const uuids = [newRuuid(), newRuuid()];
    thread = create('here');
    expect(await thread.itemProgress('clip', uuids)).toEqual([null, null]);
    await thread.start(GATEWAY);
    expect(await thread.itemProgress('clip', uuids)).toEqual([42, 42]);
    await thread.close();
    thread = create('slow');
    await thread.start(GATEWAY);
    const requested = thread.itemProgress('clip', uuids);
    clock.advance(500);
    expect(await requested).toEqual([null, null]);
    const closed = thread.close();
    clock.advance(5_000);
    await closed;
  });

  it('restarts at the same address after a defect, with the current state', async () => {
    thread = create('here');
    await thread.start(GATEWAY);
    for (const starts of [2, 3]) {
      thread.notify(viewer('fail'));
      await expect.poll(() => logged).toHaveLength(starts - 1);
      clock.advance(ONE_SECOND_MS);
      await expect.poll(() => thread.starts).toBe(starts);
      thread.notify({ kind: 'change', change: CHANGE });
      await expect.poll(() => heard).toHaveLength(2 * (starts - 1));
    }
    expect(heard).toEqual(['taken over', CHANGE, 'taken over', CHANGE]);
    expect(logged[0]).toBe('API failed, restarting');
    expect(startedWith).toHaveLength(3);
  });

  it('waits longer each time, until a thread lives for a while', async () => {
    thread = create('here');
    await thread.start(GATEWAY);
    for (const [index, livesForMs] of [0, 0, 120_000, 0].entries()) {
      clock.advance(livesForMs);
      thread.notify(viewer('fail'));
      await expect.poll(() => pauses).toHaveLength(index + 1);
      clock.advance(ONE_SECOND_MS);
      await expect.poll(() => thread.starts).toBe(index + 2);
      thread.notify(viewer('ask'));
      await expect.poll(() => heard).toHaveLength(2 * (index + 1));
    }
    expect(pauses).toEqual([250, 500, 250, 500]);
  });

  it('restarts only after taking over what the previous thread had committed', async () => {
    thread = create('here');
    await thread.start(GATEWAY);
    failingTakeOvers = 2;
    thread.notify(viewer('fail'));
    for (const attempts of [1, 2, 3]) {
      await expect.poll(() => logged).toHaveLength(attempts);
      expect(thread.starts).toBe(1);
      clock.advance(ONE_SECOND_MS);
    }
    await expect.poll(() => thread.starts).toBe(2);
    expect(heard).toEqual(['taken over', 'taken over', 'taken over']);
  });

  it('is closed when it was never started', async () => {
    thread = create('here');
    thread.prepare();
    await expect.poll(() => thread.busySec).toBeGreaterThan(0);
    await thread.close();
    expect(thread.busySec).toBe(0);
  });

  it.each([
    ['taken', 'CLI_LISTEN_FAILED'],
    ['broken', 'API_THREAD_FAILED'],
  ])('fails to start: %s', async (host, code) => {
    thread = create(host);
    await expect(thread.start(GATEWAY)).rejects.toMatchObject({ code });
    clock.advance(ONE_SECOND_MS);
    expect(thread.starts).toBe(1);
  });

  it('is terminated if it does not close in time', async () => {
    thread = create('slow');
    await thread.start(GATEWAY);
    const closed = thread.close();
    clock.advance(10 * ONE_SECOND_MS);
    await closed;
    expect(logged).toEqual(['API shutdown timed out']);
  });
});
