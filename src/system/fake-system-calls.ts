/** A gateway's responses, for tests of the calls about it: constant, except for what tests change. */

import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Goals } from '../service-levels/goals.ts';
import { LevelBooks } from '../service-levels/level-books.ts';
import { columnsOf, readLevels, type ServiceLevelState } from '../service-levels/level-view.ts';
import type { LevelSource } from '../service-levels/measurement.ts';
import type { ConfigFindings, EffectiveSetting, SettingsQuery } from './config-view.ts';
import { ONLY_NODE, type SettingsState, type SettingValues } from './console-settings.ts';
import type { HistoryQuery } from './counter-history.ts';
import { LogMemory } from './log-memory.ts';
import { mediaAddresses } from './media-addresses.ts';
import type { PublicUrlResponse } from './public-url-request.ts';
import { PublicUrlVisits } from './public-url-visits.ts';
import type { SystemCalls } from './system-service.ts';
import type { BundledStream, GatewayState } from './system-state.ts';

export const SAMPLE_STATE: GatewayState = {
  version: '1.2.3',
  nodeId: 'qqqqqqqqqqqqqqqqqqqqqg',
  hostName: 'nvr-1',
  nodeVersion: 'v26.0.0',
  platform: 'linux x64',
  startedAtEpochMs: 1_767_225_600_000,
  uptimeMs: 60_000,
  wallClockStepMs: 0,
  threads: [
    { name: 'gateway', state: 'running', starts: 1, busySec: 2.5, heapBytes: 40_000_000 },
    { name: 'api', state: 'running', starts: 1, busySec: 1.5, heapBytes: null },
  ],
  memory: [{ part: 'process', bytes: 200_000_000 }],
  signatures: { changed: 0, stopped: 0 },
  cameras: { live: 2, offline: 0 },
  pausedOffline: 0,
  openStreams: 3,
  liveStreams: 2,
  viewers: 5,
  workers: {
    running: 1,
    maxWorkers: 4,
    cores: 0.3,
    waiting: { viewer: 0, yielding: 0 },
    refused: 0,
    maxCores: 2,
    active: [],
    line: [],
  },
  redis: null,
  cluster: null,
  database: { kind: 'sqlite', state: 'ok', sizeBytes: 1_000_000 },
  disks: [
    { use: 'data', folder: '/data', freeBytes: 5e9, totalBytes: 1e10 },
    { use: 'recordings', folder: '/data/recordings', freeBytes: 5e9, totalBytes: 1e10 },
  ],
  certificates: [],
  ignoredSettings: null,
  recorder: {
    activeStreams: 1,
    failedStreams: 0,
    unreadableFiles: 0,
    waitingBytes: 0,
    isUploadFailing: false,
    isClipUploadFailing: false,
    isH264CacheFailing: false,
    spoolBytes: 0,
    spoolAgeSec: 0,
    minFreeBytes: 1e9,
    use: { recordedBytes: 5e9, heldBytes: 0 },
    forecast: null,
  },
};

const SAMPLE_GOALS: Goals = {
  firstPictureWithinMs: 1_500,
  firstPicturePercent: 99,
  delayWithinMs: 3_000,
  delayPercent: 99,
  playedPercent: 99.9,
  answeredPercent: 99.9,
};

const SETTING: EffectiveSetting = {
  path: 'hls.window',
  value: '16s',
  isSecret: false,
  isSet: true,
  expected: 'a duration',
  choices: [],
  meaning: 'How much video a playlist lists.',
  defaultValue: '16s',
  whenAbsent: null,
  source: { kind: 'default' },
  appliesOn: 'restart',
  isPending: false,
  nextValue: null,
  isInConsole: false,
  consoleValue: null,
  lock: null,
  isOfNode: false,
};

export class FakeSystemCalls implements SystemCalls {
  gatewayState: GatewayState = SAMPLE_STATE;
  readonly log = new LogMemory();
  found: ConfigFindings = { findings: [], count: 0 };
  bundled: BundledStream[] = [];
  setting: EffectiveSetting = SETTING;
  /** Values of the console that were checked, in order. */
  readonly checked: SettingValues[] = [];
  /** The requests, in order. */
  readonly requested: (HistoryQuery | SettingsQuery | string | null)[] = [];

  async state(): Promise<GatewayState> {
    return this.gatewayState;
  }

  readonly publicUrl = new URL('https://media.example/video');
  publicUrlResponse: PublicUrlResponse = {
    addresses: ['203.0.113.80'],
    reach: 'everyone',
    outcome: { kind: 'page' },
  };
  readonly visits = new PublicUrlVisits(systemClock);
  /** Whether the request of the gateway itself arrives at this gateway. */
  arrives = true;

  async openPublicUrlCheck() {
    return this.visits.open();
  }

  async publicUrlVisits(checkId: string) {
    return this.visits.visitsOf(checkId);
  }

  async requestPublicUrl(url: URL): Promise<PublicUrlResponse> {
    const checkId = url.pathname.split('/').at(-1)!;
    const peer = { address: '203.0.113.80', peerAddress: '127.0.0.1', proxyHeaders: ['x-forwarded-for'] };
    if (this.arrives) this.visits.visited(checkId, peer);
    return this.publicUrlResponse;
  }

  async counters(query: HistoryQuery) {
    this.requested.push(query);
    const columns = { viewers: Float32Array.of(1, Number.NaN, 2.004) };
    return { firstEpochMs: 1_767_225_600_000, intervalMs: 10_000, samples: 3, columns };
  }

  streams(): readonly BundledStream[] {
    return this.bundled;
  }

  async settings(query: SettingsQuery) {
    this.requested.push(query);
    return { file: null, settings: [this.setting], records: { locations: 0, nvrs: 0, cameras: 1 } };
  }

  async checkConfig(yaml: string | null): Promise<ConfigFindings> {
    this.requested.push(yaml);
    return this.found;
  }

  readonly settingsState: SettingsState = { node: ONLY_NODE, ignored: null };

  async checkSettings(values: SettingValues): Promise<ConfigFindings> {
    this.checked.push(values);
    return this.found;
  }

  restarts = 0;

  async restart() {
    this.restarts += 1;
  }

  mediaAddresses() {
    const listener = { host: '0.0.0.0', port: 8081, isTls: false };
    const infos = { family: 'IPv4', internal: false, netmask: '', mac: '', cidr: null } as const;
    return mediaAddresses(listener, { eth0: [{ ...infos, address: '192.168.1.20' }] });
  }

  async reload() {
    const none = { created: 0, updated: 0, unchanged: 0, removed: 0 };
    const records = { locations: none, nvrs: none, cameras: { ...none, created: 1 } };
    return { records, applied: ['log.level'], needsRestart: ['hls.window'] };
  }

  /** A fixed clock, so that measurements always have the same times. */
  readonly clock = new FakeClock();
  readonly levels = new LevelBooks(this.clock, SAMPLE_GOALS);

  async serviceLevels(): Promise<ServiceLevelState> {
    const overall = (source: LevelSource) => readLevels(this.levels.overall(source), SAMPLE_GOALS);
    return {
      plan: { everyMs: 300_000, playMs: 30_000 },
      through: 'listener',
      hasViewerReports: false,
      goals: SAMPLE_GOALS,
      process: { state: 'off', starts: 0, pid: null },
      shares: [],
      overall: { probe: overall('probe'), viewers: overall('viewers') },
    };
  }

  async serviceHistory(_shareUuid: Ruuid | null, source: LevelSource) {
    return columnsOf(this.levels.overall(source), this.clock);
  }

  async serviceProbesChanged() {}

  async logPage(afterId: number) {
    return this.log.page(afterId);
  }
}

/** Streams of this many cameras, of which every tenth is offline. */
export function sampleStreams(cameras: number): BundledStream[] {
  return Array.from({ length: cameras }, (_each, i): BundledStream => {
    const isOffline = i % 10 === 9;
    return {
      cameraUuid: newRuuid() as Ruuid,
      profile: 'main',
      state: isOffline ? 'offline' : 'live',
      sinceEpochMs: 1_767_225_600_000,
      reason: isOffline ? 'unreachable' : null,
      code: isOffline ? 'DIRECT_UNREACHABLE' : null,
      retryAtEpochMs: null,
    };
  });
}
