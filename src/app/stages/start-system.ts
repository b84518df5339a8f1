/** Facts of the gateway's thread about itself: counters of the last hour, its state, the log, the configuration. */

import { actAs } from '../../audit/acting-principal.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CounterHistory } from '../../system/counter-history.ts';
import { SYSTEM_ERRORS } from '../../system/errors.ts';
import { HistorySampler } from '../../system/history-sampler.ts';
import { LogMemory } from '../../system/log-memory.ts';
import type { GatewayCalls } from '../api-thread/thread-calls.ts';
import { EventLoopLateness, historySources } from '../metrics/history-sources.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { EarlierStages } from './earlier-stages.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { createGatewayState } from './gateway-state.ts';

/** The calls about the gateway itself. */
export type SystemSide = Pick<
  GatewayCalls,
  | 'systemState'
  | 'openPublicUrlCheck'
  | 'publicUrlVisits'
  | 'counterHistory'
  | 'configTexts'
  | 'reloadConfig'
  | 'restart'
  | 'logPage'
  | 'logged'
>;

/** Begins to sample. */
export function startSystem(
  { config, clock, log, logControl, onRestart }: GatewayOptions,
  { stored, media, door, cluster, reload }: EarlierStages,
  cleanup: Cleanup,
): SystemSide {
  const logMemory = logControl?.memory ?? new LogMemory();
  const organizationOf = (camera: string) => door.deviceDirectory.find(camera as Ruuid)?.orgUuid ?? null;
  logMemory.organizationOf = organizationOf;
  const history = new CounterHistory(clock, organizationOf);
  const lateness = new EventLoopLateness();
  const sampler = new HistorySampler({
    history,
    clock,
    log,
    sources: historySources({
      hub: media.hub,
      sessions: door.sessions,
      traffic: door.traffic,
      lateness,
      recordings: () => media.recording.samples(),
      workers: () => media.decoders.workers.counts,
    }),
  });
  cleanup.add('counter history', async () => {
    await sampler.stop();
    lateness.close();
  });
  const state = createGatewayState({ stored, media, door, cluster, config, clock, history, logMemory });
  return {
    systemState: state,
    openPublicUrlCheck: () => door.publicUrlVisits.open(),
    publicUrlVisits: (checkId) => door.publicUrlVisits.visitsOf(checkId),
    counterHistory: (query) => history.read(query),
    configTexts: () => stored.runningConfig.texts,
    reloadConfig: (principal) => actAs(principal, reload),
    restart: async () => {
      if (onRestart === undefined) throw new GatewayError(SYSTEM_ERRORS.RESTART_UNAVAILABLE);
      // With a file that it could not read, it would not start again.
      await stored.runningConfig.expectReadable();
      onRestart();
    },
    logPage: (afterId) => logMemory.page(afterId),
    logged: (lines) => {
      for (const line of lines) logMemory.add('api', line);
    },
  };
}
