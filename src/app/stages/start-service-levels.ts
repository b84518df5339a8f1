/**
 * The synthetic viewer: which shares it plays, at which address, by which grant. And the operator's view of its results.
 */

import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';
import {
  columnsOf,
  type KnownShare,
  type LevelColumns,
  readLevels,
  type ServiceLevelState,
  sharesOf,
} from '../../service-levels/level-view.ts';
import type { LevelSource } from '../../service-levels/measurement.ts';
import { launchProbe } from '../../service-levels/probe-process-link.ts';
import { ProbeSchedule, type ProbeTarget } from '../../service-levels/probe-schedule.ts';
import { SERVICE_PROBES } from '../../service-levels/probed-share-records.ts';
import { decideAccess } from '../../sharing/access-decision.ts';
import { Grants } from '../../sharing/grant.ts';
import type { ShareView } from '../../sharing/share-view.ts';
import type { Config } from '../config/schema.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { boundPort } from '../process/listening.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { FrontDoorStage } from './start-front-door.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

export interface ServiceLevelSide {
  readonly schedule: ProbeSchedule;
  /** Reads again which shares are chosen. */
  refresh(): Promise<void>;
  state(orgUuid: Ruuid): ServiceLevelState;
  /** null: of all shares. */
  history(shareUuid: Ruuid | null, source: LevelSource): LevelColumns;
}

const MS_PER_SEC = 1_000;
/** Where a listener is reached that listens everywhere. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

interface Stages {
  readonly stored: StoreStage;
  readonly media: MediaStage;
  readonly door: FrontDoorStage;
}

export async function startServiceLevels(
  options: GatewayOptions,
  { stored: { store, secrets }, media, door }: Stages,
  cleanup: Cleanup,
): Promise<ServiceLevelSide> {
  const { config, clock, log } = options;
  const { directory, levels } = door;
  const { everyMs, runTimeMs: playMs } = config.serviceLevels;
  const address = probedAddress(config, door);
  const grants = Grants.forProbes(secrets.grantSigningKey);
  const target = (shareUuid: Ruuid, lifetimeMs: number): ProbeTarget | null => {
    const view = directory.find(shareUuid);
    if (view === undefined) return null;
    const { cameraUuid, accessEpoch } = view.share;
    const endsAtSec = Math.ceil((clock.epochMs() + lifetimeMs) / MS_PER_SEC);
    const grant = grants.issue(shareUuid, accessEpoch, endsAtSec);
    return {
      pageUrl: `${address.base()}/share/${door.tokens.tokenOf(shareUuid)}`,
      playlistUrl: `${address.base()}/live/${grant}/index.m3u8`,
      isLocal: address.isLocal,
      isCold: media.hub.get(cameraUuid)?.status().state !== 'live',
    };
  };
  const plan = { everyMs, playMs };
  const schedule = new ProbeSchedule({ clock, log, launch: launchProbe, books: levels, plan, target });
  cleanup.add('synthetic viewer', async () => schedule.close());
  const unsubscribe = directory.onChange((shareUuid) => {
    if (directory.find(shareUuid) === undefined) levels.forget('viewers', shareUuid);
  });
  cleanup.add('ends of measured shares', async () => unsubscribe());
  const refresh = await followChosenShares(options, store, schedule, cleanup);
  return {
    schedule,
    refresh,
    state: stateReader(options, door, schedule, address.isLocal),
    history: (shareUuid, source) =>
      columnsOf(shareUuid === null ? levels.overall(source) : levels.of(source, shareUuid), clock),
  };
}

/** Resolves when the schedule has them. Returns what reads them again. */
async function followChosenShares(
  { log }: GatewayOptions,
  store: StoreStage['store'],
  schedule: ProbeSchedule,
  cleanup: Cleanup,
): Promise<() => Promise<void>> {
  const refresh = async () => {
    const chosen = await store.resources.of(SERVICE_PROBES).listEverywhere();
    chosen.sort((a, b) => a.createdAtMs - b.createdAtMs);
    schedule.choose(chosen.map(({ uuid, orgUuid, name }) => ({ shareUuid: uuid, orgUuid, name })));
  };
  await refresh();
  const endFollowing = store.onChange(({ entity }) => {
    if (entity !== SERVICE_PROBES.name) return;
    refresh().catch((thrown: unknown) =>
      log.error({ err: toGatewayError(thrown) }, 'measured shares not read'),
    );
  });
  cleanup.add('choice of measured shares', async () => endFollowing());
  return refresh;
}

function stateReader(
  { config, clock }: GatewayOptions,
  { directory, levels }: FrontDoorStage,
  schedule: ProbeSchedule,
  isLocal: boolean,
): ServiceLevelSide['state'] {
  const { everyMs, runTimeMs: playMs, viewerReports: hasViewerReports } = config.serviceLevels;
  const find = (shareUuid: Ruuid): KnownShare | null => {
    const view = directory.find(shareUuid);
    if (view === undefined) return null;
    const { orgUuid, name, cameraUuid } = view.stored;
    return { orgUuid, name, cameraUuid, refusal: refusalOf(view, clock.epochMs()) };
  };
  const overall = (source: LevelSource) => readLevels(levels.overall(source), levels.goals);
  return (orgUuid) => {
    const { state, starts, pid } = schedule.process;
    return {
      plan: { everyMs, playMs },
      hasViewerReports,
      goals: levels.goals,
      through: isLocal ? 'listener' : 'public',
      process: { state, starts, pid },
      overall: { probe: overall('probe'), viewers: overall('viewers') },
      shares: sharesOf(orgUuid, schedule, levels, find),
    };
  };
}

/** Where the synthetic viewer plays. */
function probedAddress(config: Config, door: FrontDoorStage): { isLocal: boolean; base: () => string } {
  const { mediaUrl } = config.public;
  if (config.serviceLevels.through === 'listener' || mediaUrl === null) {
    return { isLocal: true, base: () => listenerUrl(config, door) };
  }
  return { isLocal: false, base: () => withoutTrailingSlashes(mediaUrl) };
}

/**
 * URL of the listener, on this machine. With viewer threads, they listen, and the front door accepts only their
 * connections.
 */
function listenerUrl({ listen, tls }: Config, { frontDoor, viewerThreads }: FrontDoorStage): string {
  const { host, port } = listen.media;
  const protocol = tls.media.cert === null ? 'http' : 'https';
  const name = ANY_ADDRESS[host] ?? host;
  const bound = viewerThreads === null ? boundPort(frontDoor) : viewerThreads.port;
  return `${protocol}://${name.includes(':') ? `[${name}]` : name}:${bound ?? port}`;
}

/** The refusal of a viewer with the share's password or sign-in; null: that viewer may watch. */
function refusalOf(view: ShareView, nowEpochMs: number): string | null {
  const { share } = view;
  const decision = decideAccess({
    credential: { kind: 'grant', accessEpoch: share.accessEpoch, expiresAtSec: Number.POSITIVE_INFINITY },
    share,
    schedule: view.scheduleStateAt(nowEpochMs),
    ended: null,
    admittedTo: null,
    nowEpochMs,
    otherViewers: 0,
    maxViewers: null,
  });
  return decision.allowed ? null : decision.reason;
}
