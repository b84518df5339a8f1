/** The synthetic viewer: which shares it plays, at which address, by which grant. And what the operator reads of it. */

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
import { ShareTokens } from '../../sharing/share-token.ts';
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

export async function startServiceLevels(
  { config, clock, log }: GatewayOptions,
  {
    stored,
    media,
    door,
  }: { readonly stored: StoreStage; readonly media: MediaStage; readonly door: FrontDoorStage },
  cleanup: Cleanup,
): Promise<ServiceLevelSide> {
  const { store, secrets } = stored;
  const { directory, levels } = door;
  const { everyMs, runTimeMs, through, viewerReports } = config.serviceLevels;
  const tokens = new ShareTokens(secrets.shareTokenKey);
  const grants = Grants.forProbes(secrets.grantSigningKey);
  const { mediaUrl: publicUrl } = config.public;
  const isLocal = through === 'listener' || publicUrl === null;
  const base = () => (isLocal ? listenerUrl(config, door) : withoutTrailingSlashes(publicUrl));
  const target = (shareUuid: Ruuid, lifetimeMs: number): ProbeTarget | null => {
    const view = directory.find(shareUuid);
    if (view === undefined) return null;
    const { cameraUuid, accessEpoch } = view.share;
    const endsAtSec = Math.ceil((clock.epochMs() + lifetimeMs) / MS_PER_SEC);
    const grant = grants.issue(shareUuid, accessEpoch, endsAtSec);
    return {
      pageUrl: `${base()}/share/${tokens.tokenOf(shareUuid)}`,
      playlistUrl: `${base()}/live/${grant}/index.m3u8`,
      isLocal,
      isCold: media.hub.get(cameraUuid)?.status().state !== 'live',
    };
  };
  const plan = { everyMs, playMs: runTimeMs };
  const schedule = new ProbeSchedule({ clock, log, launch: launchProbe, books: levels, plan, target });
  cleanup.add('synthetic viewer', async () => schedule.close());
  const unsubscribe = directory.onChange((shareUuid) => {
    if (directory.find(shareUuid) === undefined) levels.forget('viewers', shareUuid);
  });
  cleanup.add('ends of measured shares', async () => unsubscribe());
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
  const find = (shareUuid: Ruuid): KnownShare | null => {
    const view = directory.find(shareUuid);
    if (view === undefined) return null;
    const { orgUuid, name, cameraUuid } = view.share;
    return { orgUuid, name, cameraUuid, refusal: refusalOf(view, clock.epochMs()) };
  };
  const overall = (source: LevelSource) => readLevels(levels.overall(source), levels.goals);
  return {
    schedule,
    refresh,
    state: (orgUuid) => ({
      plan,
      through: isLocal ? 'listener' : 'public',
      hasViewerReports: viewerReports,
      goals: levels.goals,
      process: {
        state: schedule.process.state,
        starts: schedule.process.starts,
        pid: schedule.process.pid,
      },
      overall: { probe: overall('probe'), viewers: overall('viewers') },
      shares: sharesOf(orgUuid, schedule, levels, find),
    }),
    history: (shareUuid, source) =>
      columnsOf(shareUuid === null ? levels.overall(source) : levels.of(source, shareUuid), clock),
  };
}

/** Of the listener, on this machine. With viewer threads, they listen, and the front door only to them. */
function listenerUrl({ listen, tls }: Config, { frontDoor, viewerThreads }: FrontDoorStage): string {
  const { host, port } = listen.media;
  const protocol = tls.media.cert === null ? 'http' : 'https';
  const name = ANY_ADDRESS[host] ?? host;
  const bound = viewerThreads === null ? boundPort(frontDoor) : viewerThreads.port;
  return `${protocol}://${name.includes(':') ? `[${name}]` : name}:${bound ?? port}`;
}

/** As for a viewer who has what the share asks for; null: that viewer may watch. */
function refusalOf(view: ShareView, nowEpochMs: number): string | null {
  const { share } = view;
  const decision = decideAccess({
    credential: { kind: 'grant', accessEpoch: share.accessEpoch, expiresAtSec: Number.POSITIVE_INFINITY },
    share,
    schedule: view.scheduleStateAt(nowEpochMs),
    ...{ ended: null, admittedTo: null, nowEpochMs, otherViewers: 0, maxViewers: null },
  });
  return decision.allowed ? null : decision.reason;
}
