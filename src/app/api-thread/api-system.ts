/** The calls about the gateway itself, as the API's thread answers them, without the media's thread where possible. */

import { networkInterfaces } from 'node:os';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport } from '../../stream/camera-connection.ts';
import { type SettingValues, valuesFor } from '../../system/console-settings.ts';
import { ConsoleSettingsStore } from '../../system/console-settings-store.ts';
import { mediaAddresses } from '../../system/media-addresses.ts';
import { requestPublicUrl } from '../../system/public-url-request.ts';
import { type SystemAudit, SystemService } from '../../system/system-service.ts';
import type { BundledStream, GatewayState } from '../../system/system-state.ts';
import { ConfigJobs } from '../config/config-jobs.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from '../config/default-organizations.ts';
import type { ApiSideOptions } from './api-side-options.ts';

export function startApiSystem(
  { data: { env, settingsState }, now: { mediaUrl, mediaListener }, gateway, clock, cleanup }: ApiSideOptions,
  {
    store,
    states,
    audit,
  }: {
    readonly store: Store;
    readonly states: ReadonlyMap<Ruuid, CameraReport>;
    readonly audit: SystemAudit;
  },
): SystemService {
  const jobs = new ConfigJobs(clock);
  cleanup.add('configuration checks', () => jobs.close());
  const consoleSettings = new ConsoleSettingsStore({
    resources: store.resources,
    orgUuid: DEFAULT_ORG_UUID,
    clock,
  });
  const checkFile = async (values: SettingValues | undefined) => {
    const { started } = await gateway.configTexts();
    return jobs.run({ kind: 'check-file', file: started.file, env, values });
  };
  /** undefined: none are in effect. */
  const valuesInEffect = async () =>
    settingsState.ignored === null ? valuesFor(await consoleSettings.read(), settingsState.node) : undefined;
  return new SystemService({
    clock,
    audit,
    operators: { orgUuid: DEFAULT_ORG_UUID, partnerUuid: DEFAULT_PARTNER_ORG_UUID },
    consoleSettings,
    serviceLevels: {
      resources: store.resources,
      findShare: (orgUuid, share) => store.shares.find(orgUuid, share),
    },
    keyEnds: async (orgUuid) => ({
      keys: await store.apiKeys.list(orgUuid),
      uses: await store.apiKeys.lastUses(orgUuid),
    }),
    hasCamera: async (orgUuid, camera) => (await store.cameras.find(orgUuid, camera)) !== null,
    calls: {
      state: async () => withOwnHeap(await gateway.systemState()),
      publicUrl: new URL(mediaUrl),
      openPublicUrlCheck: () => gateway.openPublicUrlCheck(),
      publicUrlVisits: (checkId) => gateway.publicUrlVisits(checkId),
      requestPublicUrl: (url) => requestPublicUrl(url),
      counters: (query) => gateway.counterHistory(query),
      streams: () => bundledStreams(states),
      settingsState,
      settings: async (query, edited) => {
        const texts = { ...(await gateway.configTexts()), ...(edited === undefined ? {} : { edited }) };
        return jobs.run({ kind: 'describe', texts, env, query });
      },
      checkSettings: checkFile,
      checkConfig: async (yaml) => {
        const values = await valuesInEffect();
        return yaml === null ? checkFile(values) : jobs.run({ kind: 'check-text', text: yaml, env, values });
      },
      restart: () => gateway.restart(),
      mediaAddresses: () => mediaAddresses(mediaListener, networkInterfaces()),
      reload: () => gateway.reloadConfig(actingPrincipal()),
      serviceLevels: (orgUuid) => gateway.serviceLevels(orgUuid),
      serviceHistory: (shareUuid, source) => gateway.serviceHistory(shareUuid, source),
      serviceProbesChanged: () => gateway.serviceProbesChanged(),
      logPage: (afterId) => gateway.logPage(afterId),
    },
  });
}

/** Only this thread knows how much of its heap is in use. */
function withOwnHeap(state: GatewayState): GatewayState {
  const heapBytes = process.memoryUsage().heapUsed;
  const threads = state.threads.map((thread) => (thread.name === 'api' ? { ...thread, heapBytes } : thread));
  return { ...state, threads, memory: [...state.memory, { part: 'apiHeap', bytes: heapBytes }] };
}

function bundledStreams(states: ReadonlyMap<Ruuid, CameraReport>): BundledStream[] {
  return Array.from(states).flatMap(([cameraUuid, { main, sub }]) =>
    [
      { profile: 'main', connection: main },
      { profile: 'sub', connection: sub },
    ].flatMap(({ profile, connection }) => {
      if (connection === null) return [];
      const { state, sinceEpochMs, fault, retryAtEpochMs } = connection;
      const why = { reason: fault?.reason ?? null, code: fault?.code ?? null };
      return [{ cameraUuid, profile, state, sinceEpochMs, ...why, retryAtEpochMs }];
    }),
  );
}
