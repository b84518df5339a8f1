/** The calls about the gateway itself, as the API's thread answers them, without the media's thread where possible. */

import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport } from '../../stream/camera-connection.ts';
import { requestPublicUrl } from '../../system/public-url-request.ts';
import { type SystemAudit, SystemService } from '../../system/system-service.ts';
import type { BundledStream, GatewayState } from '../../system/system-state.ts';
import { ConfigJobs } from '../config/config-jobs.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from '../config/default-organizations.ts';
import type { ApiSideOptions } from './api-side-options.ts';

export function startApiSystem(
  { data: { env }, now: { mediaUrl }, gateway, clock, cleanup }: ApiSideOptions,
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
  return new SystemService({
    clock,
    audit,
    operators: { orgUuid: DEFAULT_ORG_UUID, partnerUuid: DEFAULT_PARTNER_ORG_UUID },
    serviceLevels: {
      resources: store.resources,
      findShare: (orgUuid, share) => store.shares.find(orgUuid, share),
    },
    hasCamera: async (orgUuid, camera) => (await store.cameras.find(orgUuid, camera)) !== null,
    calls: {
      state: async () => withOwnHeap(await gateway.systemState()),
      publicUrl: new URL(mediaUrl),
      openPublicUrlCheck: () => gateway.openPublicUrlCheck(),
      publicUrlVisits: (checkId) => gateway.publicUrlVisits(checkId),
      requestPublicUrl: (url) => requestPublicUrl(url),
      counters: (query) => gateway.counterHistory(query),
      streams: () => bundledStreams(states),
      settings: async (query) =>
        jobs.run({ kind: 'describe', texts: await gateway.configTexts(), env, query }),
      checkConfig: async (yaml) => {
        if (yaml !== null) return jobs.run({ kind: 'check-text', text: yaml, env });
        const { started } = await gateway.configTexts();
        return jobs.run({ kind: 'check-file', file: started.file, env });
      },
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
