import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const PATHS = [
  'getSystemState',
  'getCounters',
  'getEffectiveConfig',
  'validateConfig',
  'reloadConfig',
  'getLogTail',
  'createSupportBundle',
  'createPublicUrlCheck',
  'validatePublicUrl',
  'getSettingsChanges',
  'restartGateway',
  'getMediaAddresses',
].map((name) => `/api/console/${name}`);
const REFUSED = {
  error: true,
  errorMsg:
    'This call is about the whole gateway. It requires an admin or an API key of the default organization, or of the default partner.',
};

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

it('the state says how long recordings stay, and when the disk is full', async () => {
  const { gatewayState } = fixture.systemCalls;
  const forecast = {
    bytesPerDay: 40e9,
    keptMs: 86_400_000,
    longestKeptMs: 864_000_000,
    decidedBy: 'disk',
    diskFullInMs: 0,
  } as const;
  fixture.systemCalls.gatewayState = { ...gatewayState, recorder: { ...gatewayState.recorder, forecast } };
  const { state } = await fixture.call('/api/console/getSystemState', {});
  expect(state).toMatchObject({ recorder: { forecast } });
});

describe('calls about the whole gateway', () => {
  it('are documented as ours, for administrators', () => {
    const endpoints = ENDPOINTS.filter(({ path }) => PATHS.includes(path));
    expect(endpoints).toHaveLength(PATHS.length);
    for (const { isExtension, description, sessions } of endpoints) {
      expect([isExtension, sessions]).toEqual([true, 'none']);
      expect(description).toMatch(/^For administrators\. /);
    }
  });

  it.each(PATHS)('accept the operator’s keys alone: %s', async (path) => {
    const { own, foreign, store } = fixture;
    const call = (headers: Record<string, string>) => fixture.call(path, {}, headers);
    expect(await call({ 'x-auth-apikey': own.apiKey })).toMatchObject({ error: false });
    const partner = await addApiKey(store, own.organization.uuid, { scheme: 'partner-api' });
    const asPartner = { 'x-auth-apikey': partner, 'x-auth-scheme': 'partner-api' };
    expect(await call(asPartner)).toMatchObject({ error: false });
    expect(await call({ 'x-auth-apikey': foreign.apiKey })).toEqual(REFUSED);
    const other = await addApiKey(store, foreign.organization.uuid, { scheme: 'partner-api' });
    expect(await call({ 'x-auth-apikey': other, 'x-auth-scheme': 'partner-api' })).toEqual(REFUSED);
  });

  it('accept an admin of the default organization, and no one of another', async () => {
    const { console: admin } = await signedIn(fixture, fixture.own, 'admin');
    const { console: stranger } = await signedIn(fixture, fixture.foreign, 'admin', {
      email: 'x@example.com',
    });
    for (const path of PATHS) {
      expect(await admin.call(path)).toMatchObject({ error: false });
      expect((await stranger.post(path)).json()).toEqual(REFUSED);
    }
  });

  it('refuse an application that has the rights of such a key', async () => {
    const oauth = new OAuthTester(fixture);
    const { access_token: accessToken } = await oauth.tokens(await oauth.register());
    const headers = { 'x-auth-apikey': '', 'x-auth-access-token': accessToken };
    expect(await fixture.call('/api/camera/getMinimalCameraStateList', {}, headers)).toMatchObject({
      error: false,
    });
    for (const path of PATHS) expect(await fixture.call(path, {}, headers)).toEqual(REFUSED);
  });

  it('refuse a device key', async () => {
    const device = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    for (const path of PATHS) {
      const { statusCode } = await fixture.post(
        path,
        {},
        { 'x-auth-apikey': device, 'x-auth-scheme': 'device' },
      );
      expect(statusCode).toBe(401);
    }
  });
});

describe('getSystemState', () => {
  it('says how the gateway is doing, without what is not known', async () => {
    const { state, findings } = await fixture.call('/api/console/getSystemState');
    expect(state).toMatchObject({
      version: '1.2.3',
      startedAt: '2026-01-01T00:00:00.000Z',
      viewers: 5,
      cameras: { live: 2, offline: 0 },
      database: { kind: 'sqlite', isReachable: true, state: 'ok', sizeBytes: 1_000_000 },
    });
    expect(Object.keys(state as object)).not.toContain('redis');
    expect(findings).toEqual([]);
  });

  it('names keys of its own organization that are used and end soon', async () => {
    const { store, clock, own, foreign } = fixture;
    const expiresAtMs = clock.epochMs() + 2 * 86_400_000;
    for (const { key } of [own, foreign]) {
      await store.apiKeys.save({ ...key, name: `of ${key.orgUuid}`, createdAtMs: 0, expiresAtMs });
      await store.apiKeys.noteUses([{ keyUuid: key.uuid, atMs: clock.epochMs() }]);
    }
    const { findings } = await fixture.call('/api/console/getSystemState');
    expect(findings).toMatchObject([
      { code: 'API_KEYS_EXPIRE_SOON', sentence: expect.stringContaining(own.key.orgUuid) },
    ]);
    expect(JSON.stringify(findings)).not.toContain(foreign.key.orgUuid);
  });

  it('says what is wrong, the worst first, and what to do', async () => {
    const { systemCalls } = fixture;
    const state = systemCalls.gatewayState;
    systemCalls.gatewayState = {
      ...state,
      cameras: { live: 1, offline: 2 },
      redis: { isConnected: false, sinceEpochMs: 1_767_225_600_000, lastError: 'ECONNREFUSED' },
      database: { kind: 'sqlite', state: 'STORE_DISK_FULL', sizeBytes: null },
      threads: state.threads.map((thread) => ({ ...thread, starts: 3 })),
      workers: { ...state.workers, waiting: { viewer: 1, yielding: 1 } },
      disks: [{ use: 'recordings', folder: '/r', freeBytes: 1e8, totalBytes: 1e12 }],
      recorder: {
        ...state.recorder,
        failedStreams: 1,
        unreadableFiles: 1,
        isUploadFailing: true,
        isClipUploadFailing: true,
        isH264CacheFailing: true,
      },
      wallClockStepMs: -3_600_000,
    };
    const { findings, state: shown } = await fixture.call('/api/console/getSystemState');
    const list = findings as { code: string; severity: string; sentence: string; whatToDo: string }[];
    expect(list.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'error STORE_DISK_FULL',
      'error RECORDINGS_DISK_FULL',
      'error RECORDING_FAILED',
      'warning REDIS_AWAY',
      'warning RECORDINGS_UNREADABLE',
      'warning RECORDING_UPLOAD_FAILING',
      'warning CLIP_UPLOAD_FAILING',
      'warning H264_CACHE_FAILING',
      'warning WORKERS_BUSY',
      'warning CAMERAS_OFFLINE',
      'warning API_THREAD_RESTARTED',
      'warning CLOCK_WAS_SET',
    ]);
    expect(list.map(({ sentence }) => sentence)).toEqual(
      expect.arrayContaining([
        '2 cameras of this gateway are offline and not paused.',
        '2 streams wait for an ffmpeg worker.',
        '1 stream cannot be recorded.',
        '1 recording file cannot be read, so its video is not listed.',
        "The API's thread failed 2 times and was restarted.",
      ]),
    );
    expect(list.every(({ whatToDo }) => whatToDo.length > 20)).toBe(true);
    expect(shown).toMatchObject({
      redis: { isConnected: false, since: '2026-01-01T00:00:00.000Z', lastError: 'ECONNREFUSED' },
      database: { isReachable: false, state: 'STORE_DISK_FULL' },
    });
  });
});

describe('getCounters', () => {
  it('has a column for each counter, with null for what is not known', async () => {
    const { intervalMs, timesMs, counters } = await fixture.call('/api/console/getCounters');
    expect([intervalMs, timesMs]).toEqual([
      10_000,
      [1_767_225_600_000, 1_767_225_610_000, 1_767_225_620_000],
    ]);
    expect(counters).toEqual({ viewers: [1, null, 2] });
    expect(fixture.systemCalls.requested).toEqual([{ stream: null, sinceEpochMs: null }]);
  });

  it('reads those of a stream of a camera of the organization', async () => {
    const { own, foreign, systemCalls } = fixture;
    const read = (body: object) => fixture.call('/api/console/getCounters', body);
    const cameraUuid = own.camera.uuid;
    await read({ cameraUuid, sinceMs: 7 });
    await read({ cameraUuid, profile: 'sub' });
    expect(systemCalls.requested).toEqual([
      { stream: { cameraUuid, profile: 'main' }, sinceEpochMs: 7 },
      { stream: { cameraUuid, profile: 'sub' }, sinceEpochMs: null },
    ]);
    for (const unknown of [foreign.camera.uuid, newRuuid()]) {
      expect(await read({ cameraUuid: unknown })).toEqual({
        error: true,
        errorMsg: 'cameraUuid: there is no camera with this UUID.',
      });
    }
    expect(systemCalls.requested).toHaveLength(2);
  });

  it.each([
    [{ profile: 'huge' }, /profile must be one of/],
    [{ sinceMs: -1 }, /sinceMs must be/],
    [{ cameraUuid: 'x' }, /cameraUuid must be/],
  ])('refuses %j', async (body, errorMsg) => {
    expect(await fixture.call('/api/console/getCounters', body)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(errorMsg),
    });
  });
});

describe('getEffectiveConfig', () => {
  it('says where a setting comes from', async () => {
    const { systemCalls } = fixture;
    const read = async () => {
      const { settings } = await fixture.call('/api/console/getEffectiveConfig');
      return (settings as object[])[0];
    };
    expect(await read()).toMatchObject({ path: 'hls.window', value: '16s', source: 'default' });
    const file = { kind: 'file', file: '/etc/sluice.yaml', line: 3 } as const;
    systemCalls.setting = { ...systemCalls.setting, source: file };
    expect(await read()).toMatchObject({ source: 'file', file: '/etc/sluice.yaml', line: 3 });
    const source = { kind: 'environment', variable: 'SLUICE_HLS_WINDOW' } as const;
    systemCalls.setting = { ...systemCalls.setting, source, value: null, isSecret: true };
    const secret = await read();
    expect(secret).toMatchObject({ source: 'environment', variable: 'SLUICE_HLS_WINDOW', isSet: true });
    expect(Object.keys(secret as object)).not.toContain('value');
  });

  it('reads records of a list in pages of bounded size', async () => {
    const read = (body: object) => fixture.call('/api/console/getEffectiveConfig', body);
    expect(await read({ list: 'cameras', offset: 40 })).toMatchObject({ cameras: 1, nvrs: 0, locations: 0 });
    expect(fixture.systemCalls.requested).toEqual([{ list: 'cameras', offset: 40, limit: 20 }]);
    expect(await read({ list: 'cameras', limit: 101 })).toMatchObject({ error: true });
    expect(await read({ list: 'secrets' })).toMatchObject({ error: true });
  });
});

describe('validateConfig', () => {
  it('passes the text on, or asks about the file', async () => {
    const { systemCalls } = fixture;
    const validate = (body: object) => fixture.call('/api/console/validateConfig', body);
    expect(await validate({ yaml: 'demo: true' })).toMatchObject({ isValid: true, findings: [] });
    const finding = {
      path: 'demo',
      line: 1,
      column: 7,
      variable: null,
      sentence: 'demo: expected true or false.',
    };
    systemCalls.found = { findings: [finding], count: 300 };
    const { variable: _none, ...shown } = finding;
    expect(await validate({})).toMatchObject({ isValid: false, findings: [shown], findingCount: 300 });
    expect(systemCalls.requested).toEqual(['demo: true', null]);
  });

  it('takes 256 KiB and no more', async () => {
    const validate = (yaml: string) => fixture.call('/api/console/validateConfig', { yaml });
    expect(await validate('#'.repeat(262_144))).toMatchObject({ isValid: true });
    expect(await validate('#'.repeat(262_145))).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(/^yaml must have at most 262144 characters/),
    });
  });
});

describe('reloadConfig', () => {
  it('says what is in effect now, and what needs a restart', async () => {
    expect(await fixture.call('/api/console/reloadConfig')).toMatchObject({
      error: false,
      applied: ['log.level'],
      needsRestart: ['hls.window'],
      cameras: { created: 1, updated: 0, unchanged: 0, removed: 0 },
    });
  });
});

describe('getLogTail', () => {
  const read = (body: object) => fixture.call('/api/console/getLogTail', body);

  it('reads records of both threads, and goes on where it was', async () => {
    const { log } = fixture.systemCalls;
    log.add('gateway', '{"level":30,"time":5,"msg":"ready"}');
    log.add('api', '{"level":40,"time":6,"camera":"Lobby","msg":"camera offline"}');
    expect(await read({})).toMatchObject({
      records: [
        { id: 1, thread: 'gateway', level: 'info', timestampMs: 5, message: 'ready', fieldsJson: '{}' },
        { id: 2, thread: 'api', level: 'warn', message: 'camera offline', fieldsJson: '{"camera":"Lobby"}' },
      ],
      lastId: 2,
    });
    expect(await read({ level: 'warn' })).toMatchObject({ records: [{ id: 2 }] });
    expect(await read({ text: 'LOBBY' })).toMatchObject({ records: [{ id: 2 }] });
    expect(await read({ afterId: 2 })).toMatchObject({ records: [], lastId: 2 });
  });

  it.each([{ limit: 501 }, { limit: 0 }, { text: 'x'.repeat(201) }, { level: 'loud' }])(
    'refuses %j',
    async (body) => {
      expect(await read(body)).toMatchObject({ error: true });
    },
  );
});

describe('createSupportBundle', () => {
  it('is a gzip file of JSON with everything in it', async () => {
    fixture.systemCalls.log.add('gateway', '{"level":30,"time":5,"msg":"ready"}');
    const answer = await fixture.call('/api/console/createSupportBundle');
    expect(answer.fileName).toBe('sluice-support-2026-01-01T000000Z.json.gz');
    const bytes = Buffer.from(answer.contentBase64 as string, 'base64');
    expect(bytes).toHaveLength(answer.sizeBytes as number);
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({
      format: 'sluice-support-bundle/1',
      createdAt: '2026-01-01T00:00:00.000Z',
      state: { version: '1.2.3' },
      configuration: { settings: [{ path: 'hls.window' }] },
      counters: { columns: { viewers: [1, null, 2] } },
      log: [{ id: 1, thread: 'gateway', record: { msg: 'ready' } }],
    });
  });

  it('is made one at a time, and refused while others wait', async () => {
    const requested = Array.from({ length: 4 }, () => fixture.post('/api/console/createSupportBundle'));
    const statuses = (await Promise.all(requested)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 503]);
  });
});
