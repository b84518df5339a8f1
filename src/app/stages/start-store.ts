/**
 * The first stage of the gateway: the store with the configured contents, and the API's thread, which begins to load.
 */

import type { MapTiles } from '../../accounts/console-services.ts';
import { AuditTrail } from '../../audit/audit-trail.ts';
import { securityTextOf } from '../../http/security-text.ts';
import { REPORTS_LEAVE } from '../../ingest/disk-room.ts';
import { ChangeFeed } from '../../store/change-feed.ts';
import { ForeignChanges } from '../../store/foreign-changes.ts';
import { withChangesFrom } from '../../store/joined-changes.ts';
import type { Store } from '../../store/store.ts';
import { type SettingsState, valuesFor } from '../../system/console-settings.ts';
import { RunRecord } from '../../system/run-record.ts';
import { ApiThread } from '../api-thread/api-thread.ts';
import type { ApiThreadData } from '../api-thread/thread-calls.ts';
import { applyConfig } from '../config/apply-config.ts';
import { ensureBootstrapKeys, type MadeKeys } from '../config/bootstrap-keys.ts';
import { clusterSettingsOf } from '../config/cluster-settings-of.ts';
import { ConfigJobs } from '../config/config-jobs.ts';
import { ownVariables } from '../config/environment.ts';
import { mailSettingsOf } from '../config/mail-settings-of.ts';
import { oidcSettingsOf } from '../config/oidc-settings-of.ts';
import { recordingStorage } from '../config/recording-storage.ts';
import { RunningConfig } from '../config/running-config.ts';
import type { Config } from '../config/schema.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { resolveFormat } from '../process/logging.ts';
import { type Certificates, openCertificates } from './certificates.ts';
import type { SettledGateway } from './settle-config.ts';

export interface StoreStage {
  readonly secrets: Secrets;
  readonly certificates: Certificates;
  /** Also reports commits of the API's thread and of other processes. */
  readonly store: Store;
  /** Publishes changes that the API's thread committed, and those of other processes. */
  readonly apiChanges: ChangeFeed;
  readonly foreignChanges: ForeignChanges;
  readonly audit: AuditTrail;
  /** Started last; it loads in the meantime. It misses no earlier event, because it starts with the state at that time. */
  readonly apiThread: ApiThread;
  readonly madeKeys: MadeKeys;
  readonly runningConfig: RunningConfig;
  readonly settingsState: SettingsState;
}

export async function startStore(settled: SettledGateway, cleanup: Cleanup): Promise<StoreStage> {
  const { options, secrets, shared, settingsState } = settled;
  const { config, clock, log } = options;
  const certificates = await openCertificates(options, cleanup);
  const runningConfig = openRunningConfig(settled, cleanup);
  const apiThread = new ApiThread({
    data: () => apiThreadData(settled, runningConfig),
    clock,
    log,
  });
  cleanup.add('API before its start', () => apiThread.close());
  const runRecord = new RunRecord({ store: shared.store, clock, log });
  cleanup.add('record of this run', () => runRecord.close());
  apiThread.prepare();
  shared.store.onChange((change) => apiThread.notify({ kind: 'change', change }));
  const audit = new AuditTrail({
    store: shared.store,
    clock,
    log,
    maxRows: config.retention.auditMaxRows,
  });
  cleanup.add('audit trail', () => audit.close());
  const apiChanges = new ChangeFeed();
  const store = withChangesFrom(apiChanges, shared.store);
  const foreignChanges = await ForeignChanges.follow(shared, (change) => {
    apiChanges.publish(change);
    apiThread.notify({ kind: 'change', change });
  });
  cleanup.add('changes of other nodes', () => foreignChanges.close());
  const applied = await applyConfig(store, config, clock);
  log.info({ ...applied }, 'configuration applied');
  const madeKeys = await ensureBootstrapKeys(store, config, clock);
  return {
    secrets,
    certificates,
    store,
    apiChanges,
    foreignChanges,
    audit,
    apiThread,
    madeKeys,
    runningConfig,
    settingsState,
  };
}

function openRunningConfig(
  { options, consoleSettings, settingsState: { node, ignored } }: SettledGateway,
  cleanup: Cleanup,
): RunningConfig {
  const { config, configSource: source, env, clock } = options;
  if (source === undefined) return new RunningConfig(config, null);
  const jobs = new ConfigJobs(clock);
  cleanup.add('configuration being read', () => jobs.close());
  const own = ownVariables(env);
  const values = async () => (ignored === null ? valuesFor(await consoleSettings.read(), node) : undefined);
  return new RunningConfig(config, {
    source,
    reread: async () => jobs.load(source.file, own, await values()),
  });
}

function apiThreadData(
  { options: { config, env }, secrets, shared, settingsState }: SettledGateway,
  { newest }: RunningConfig,
): ApiThreadData {
  const { trustProxy, cors, api, webhooks, retention, listen, log, redis } = config;
  return {
    trustProxy,
    cors,
    api,
    webhooks,
    retention,
    listen: listen.api,
    listener: { isHttp2Plain: config.h2c.api, hasProxyHeader: config.proxyProtocol.api },
    store: shared.connect(),
    fieldKey: secrets.fieldKey,
    shareTokenKey: secrets.shareTokenKey,
    ssoKey: secrets.ssoKey,
    knownBrowserKey: secrets.knownBrowserKey,
    oidc: oidcSettingsOf(config),
    mail: mailSettingsOf(newest),
    mailLinkKey: secrets.mailLinkKey,
    domainProof: config.signIn.domainProof,
    viewerProofMs: config.access.grantLifetimeMs,
    redisUrl: redis?.reveal() ?? null,
    clusterName: clusterSettingsOf(config)?.name ?? null,
    publicApiUrl: config.public.apiUrl,
    lanMediaUrls: config.public.lanMediaUrls,
    metricsToken: config.metrics.token?.reveal() ?? null,
    securityText: securityTextOf(config.security),
    mapTiles: mapTilesOf(config.console),
    undeclaredReach: config.sources.allowLocal ? 'anywhere' : 'no-local',
    cameraNetworks: config.sources.networks,
    onvifProbes: config.sources.onvifProbes,
    recordingStorage: recordingStorage(config, secrets),
    evidenceKey: secrets.evidenceKey,
    timeStampUrl: config.evidence.timeStampUrl,
    clips: config.clips,
    alertRolls: { preRollMs: config.recording.preRollMs, postRollMs: config.recording.postRollMs },
    isEncrypting: config.recording.encrypt,
    // As for the recorder: below the whole of it, retention deletes recordings.
    minFreeBytes: config.recording.minFreeBytes / 2,
    storeDisk:
      config.database === null
        ? { folder: config.data, minFreeBytes: config.recording.minFreeBytes * REPORTS_LEAVE }
        : null,
    env: ownVariables(env),
    settingsState,
    log: { level: newest.log.level, format: resolveFormat(log.format) },
  };
}

function mapTilesOf({ mapTiles, mapAttribution, mapMaxZoom }: Config['console']): MapTiles | null {
  return mapTiles === null ? null : { url: mapTiles, attribution: mapAttribution, maxZoom: mapMaxZoom };
}
