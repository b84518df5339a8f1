/** The second stage of the gateway: ffmpeg workers, the hub, and the cameras in the store. */

import { PushedHere } from '../../cluster/adapters/pushed-here.ts';
import type { Cluster, ClusterAbsence } from '../../cluster/cluster.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import { AddressRules } from '../../devices/address-rules.ts';
import { CameraChecks } from '../../devices/camera-checks.ts';
import { CameraFollower } from '../../devices/camera-follower.ts';
import { type CameraNotices, type CameraParts, OwnCameraNotices } from '../../devices/camera-notices.ts';
import { CameraSources } from '../../devices/camera-sources.ts';
import { OrganizationNetworks } from '../../devices/organization-networks.ts';
import { SigningCertificates } from '../../evidence/signing-certificates.ts';
import type { SigningSettings } from '../../recording/recorder-protocol.ts';
import { checkSharedRecordings } from '../../recording/shared-recordings.ts';
import { RtmpListener } from '../../sources/rtmp/rtmp-listener.ts';
import { CAMERA_THREAD_ERRORS } from '../../sources/threaded/errors.ts';
import { type HubCamera, StreamHub } from '../../stream/hub.ts';
import type { LiveState } from '../../stream/media/live-media.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager, type PackagerLimits } from '../../stream/packaging/packager.ts';
import { cameraFaultOf } from '../../stream/source/camera-fault.ts';
import { PathKey } from '../../stream/window/path-signer.ts';
import { CameraThreads } from '../camera-threads/camera-threads.ts';
import { recordingsFolder } from '../config/data-folder.ts';
import type { Cleanup } from '../process/cleanup.ts';
import {
  type DescriptorPlan,
  descriptorLimit,
  FEW_DESCRIPTORS,
  planDescriptors,
} from '../process/descriptor-plan.ts';
import { type Decoders, startDecoders } from './decoders.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type LiveSessions, liveSessionsOf } from './live-sessions.ts';
import { readSigningAnchors } from './signing-anchors.ts';
import { type RecordingStage, startRecording } from './start-recording.ts';
import type { StoreStage } from './start-store.ts';
import { thumbnailDecoder } from './thumbnails.ts';

export interface MediaStage {
  readonly decoders: Decoders;
  readonly hub: StreamHub;
  /** Fingerprint of the certificate that vouches for live video; null: it is not signed. */
  readonly liveSigner: string | null;
  readonly follower: CameraFollower;
  /** Where cameras of the API may be, by organization. */
  readonly networks: OrganizationNetworks;
  readonly notices: CameraNotices;
  readonly recording: RecordingStage;
  readonly rtmp: RtmpListener;
  /** null: they are turned off. Started last, so that all know what they find. */
  readonly checks: CameraChecks | null;
  /** null: this thread reads the cameras. */
  readonly cameraThreads: CameraThreads | null;
  /** How many connections each listener may have in addition to the cameras. */
  readonly descriptors: DescriptorPlan;
  /** Absence of this node from its cluster. */
  readonly absence: () => ClusterAbsence | null;
}

export async function startMedia(
  options: GatewayOptions,
  {
    stored,
    cluster,
    shared,
  }: {
    readonly stored: StoreStage;
    readonly cluster: Cluster | null;
    readonly shared: RedisRateLimiters | null;
  },
  cleanup: Cleanup,
): Promise<MediaStage> {
  const { config, clock, log } = options;
  const decoders = await startDecoders(config.ffmpeg, clock, log);
  cleanup.add('ffmpeg workers', () => decoders.close());
  if (cluster !== null && config.s3.bucket === null) {
    await checkSharedRecordings(recordingsFolder(config), stored.store.recordingBlocks);
  }
  const notices = cameraNotices(cluster, {
    notify: (notice) => {
      if (notice.kind === 'camera') checks?.noted(notice.cameraUuid, notice.report);
      stored.apiThread.notify(notice);
    },
    hub: () => hub,
    takeProbe: (orgUuid, cameraUuid, verdict) => follower.probed(orgUuid, cameraUuid, verdict),
  });
  const checks = openChecks(options, { stored, cluster, notices, hub: () => hub }, cleanup);
  const signing = await signingOf(stored, clock);
  const decodeThumbnail = config.recording.thumbnails
    ? thumbnailDecoder(decoders.stills, decoders.ffmpeg)
    : null;
  const ofRecording = { ...stored, cluster, notices, signing, decodeThumbnail };
  const recording = startRecording(options, ofRecording, cleanup);
  const cameraThreads =
    config.threads.cameras === 0 ? null : await startCameraThreads(options, () => hub, cleanup);
  const liveSessions = config.evidence.signLive ? await liveSessionsOf(stored, clock) : null;
  const hub: StreamHub = createHub(options, { stored, cluster, notices, liveSessions }, recording);
  cleanup.add('cameras', () => hub.close());
  const rtmp = openRtmp(options, { cluster, shared, hub }, cleanup);
  const networks = await OrganizationNetworks.open({
    store: stored.store,
    log,
    operatorNetworks: config.sources.networks,
  });
  cleanup.add('networks of cameras', async () => networks.stop());
  const signingAnchors = await readSigningAnchors(config.sources.signingAnchors);
  const sources = openSources(options, { decoders, rtmp, cameraThreads, networks, signingAnchors });
  const place = (camera: HubCamera): HubCamera => cluster?.clustered(camera) ?? camera;
  const follower: CameraFollower = await CameraFollower.start({
    store: stored.store,
    hub,
    sources,
    log,
    place,
  });
  networks.onChange((orgUuid) => follower.organizationChanged(orgUuid));
  cleanup.add('camera changes', () => follower.stop());
  await recording.begin(hub);
  const descriptors = shareDescriptors(options, [...hub.all()].length);
  const absence = (): ClusterAbsence | null => cluster?.absence ?? null;
  const liveSigner = liveSessions?.fingerprint ?? null;
  const stage = {
    decoders,
    hub,
    liveSigner,
    follower,
    networks,
    notices,
    recording,
    rtmp,
    checks,
    cameraThreads,
  };
  return { ...stage, descriptors, absence };
}

/** null: they are turned off. */
function openChecks(
  { config, clock, log }: GatewayOptions,
  of: {
    readonly stored: StoreStage;
    readonly cluster: Cluster | null;
    readonly notices: CameraNotices;
    readonly hub: () => StreamHub;
  },
  cleanup: Cleanup,
): CameraChecks | null {
  const { stored, cluster, notices, hub } = of;
  const { checkIntervalMs: intervalMs } = config.sources;
  if (intervalMs === 0) return null;
  const checks = new CameraChecks({
    cameras: { get: (cameraUuid) => hub().get(cameraUuid), all: () => hub().all() },
    seen: (cameraUuid) => notices.seen(cameraUuid),
    isHere: (cameraUuid) => cluster?.isPlacedHere(cameraUuid) ?? true,
    onVerdict: async (orgUuid, cameraUuid, verdict) => {
      const probed = await notices.probed(orgUuid, cameraUuid, verdict);
      if (probed !== null) stored.apiThread.notify({ kind: 'camera', cameraUuid, ...probed });
    },
    intervalMs,
    clock,
    log,
    random: Math.random,
  });
  cleanup.add('camera checks', async () => checks.stop());
  return checks;
}

/** Where devices push their video. */
function openRtmp(
  { config, clock, log }: GatewayOptions,
  of: {
    readonly cluster: Cluster | null;
    readonly shared: RedisRateLimiters | null;
    readonly hub: StreamHub;
  },
  cleanup: Cleanup,
): RtmpListener {
  const { cluster, shared, hub } = of;
  const onPublisher = (cameraUuid: Ruuid): void => {
    for (const profile of hub.get(cameraUuid)?.profiles() ?? []) profile.retryNow();
  };
  const pushed =
    cluster === null
      ? null
      : new PushedHere({ nodes: cluster, desk: () => rtmp, onPushed: onPublisher, clock });
  const rtmp: RtmpListener = new RtmpListener({
    clock,
    log,
    listen: config.rtmp.listen,
    silenceMs: config.sources.silenceTimeoutMs,
    onPublisher,
    onSeated: (cameraUuid) => pushed?.came(cameraUuid),
    onLeft: (cameraUuid) => pushed?.left(cameraUuid),
    shared: shared?.buckets ?? null,
  });
  cleanup.add('RTMP listener', () => rtmp.close());
  return rtmp;
}

function openSources(
  { config: { sources }, clock, log }: GatewayOptions,
  of: Pick<MediaStage, 'decoders' | 'rtmp' | 'cameraThreads' | 'networks'> & {
    readonly signingAnchors: string;
  },
): CameraSources {
  const { decoders, networks, rtmp, cameraThreads, signingAnchors } = of;
  return new CameraSources({
    rtmp,
    cameraThreads,
    clock,
    log,
    pool: decoders.workers,
    binary: decoders.ffmpeg,
    soundServers: decoders.soundServers,
    connectTimeoutMs: sources.connectTimeoutMs,
    silenceMs: sources.silenceTimeoutMs,
    signingAnchors,
    addressRules: new AddressRules({
      undeclaredReach: sources.allowLocal ? 'anywhere' : 'no-local',
      networks,
    }),
  });
}

async function startCameraThreads(
  { config, clock, log }: GatewayOptions,
  hub: () => StreamHub,
  cleanup: Cleanup,
): Promise<CameraThreads> {
  const threads = new CameraThreads({
    count: config.threads.cameras,
    clock,
    log,
    onReplaced: () => retry(hub()),
  });
  cleanup.add('camera threads', () => threads.close());
  await threads.start();
  return threads;
}

/** The cameras of a thread that ended: nothing is known against them. */
function retry(hub: StreamHub): void {
  for (const camera of hub.all()) {
    for (const profile of camera.profiles()) {
      const state = profile.state();
      if (state.state !== 'offline') continue;
      if (state.error.code === CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED.code) profile.retryNow();
    }
  }
}

/** The receiver of observations about cameras. */
export function cameraNotices(cluster: Cluster | null, parts: CameraParts): CameraNotices {
  if (cluster === null) return new OwnCameraNotices(parts);
  cluster.states.begin(parts);
  return cluster.states;
}

/** The hub with the packagers, limits and listeners of a gateway. */
export function createHub(
  { config, clock, log }: GatewayOptions,
  {
    stored,
    cluster,
    notices,
    liveSessions,
  }: {
    readonly stored: Pick<StoreStage, 'store' | 'secrets'>;
    readonly cluster: Cluster | null;
    readonly notices: CameraNotices;
    /** null: live video is not signed. */
    readonly liveSessions: LiveSessions | null;
  },
  recording: Pick<RecordingStage, 'tapFor'>,
): StreamHub {
  const { store, secrets } = stored;
  const pathKey = new PathKey(secrets.mediaPathKey);
  const { sources, ffmpeg, hls } = config;
  const limits = packagerLimits(config);
  const hub: StreamHub = new StreamHub({
    clock,
    log,
    limits: {
      backoffMinMs: sources.backoffMinMs,
      backoffMaxMs: sources.backoffMaxMs,
      startMs: Math.max(sources.connectTimeoutMs, ffmpeg.queueTimeoutMs) + sources.silenceTimeoutMs,
      silenceMs: sources.silenceTimeoutMs,
    },
    idleStopMs: hls.idleStopMs,
    numberingStore: cluster?.numbering ?? store.streamLedger,
    onChange: (cameraUuid) => cluster?.changed(cameraUuid),
    createPackager: (each) => {
      const { cameraUuid, rendition } = each;
      const signer = pathKey.signerOf(cameraUuid, rendition);
      const shared = { signer, lifeMs: config.cdnRotationMs };
      const signing = liveSessions === null ? {} : { beginSession: liveSessions.of(cameraUuid, rendition) };
      const options = { ...each, clock, limits, shared, ...signing };
      const tap = hub.isMasked(cameraUuid) ? null : recording.tapFor(cameraUuid, rendition);
      if (tap === null) return new Packager(options);
      tap.restart();
      return new Packager({ ...options, onPart: (part) => tap.take(part) });
    },
    onStatusChange: ({ uuid, name }, state) => {
      log.info({ camera: uuid, name, state: state.state, ...reasonFields(state) }, 'camera state');
    },
    onReport: (cameraUuid, report) => notices.report(cameraUuid, report),
    onSoundChange: (cameraUuid, sound) => notices.sound(cameraUuid, sound),
    onSigning: (cameraUuid, signing) => notices.signing(cameraUuid, signing),
    onClock: (cameraUuid, reading) => notices.clock(cameraUuid, reading),
    onMasked: (maskedUuid) => cluster?.replaced(maskedUuid),
    onCamera: (cameraUuid, change) => {
      cluster?.replaced(cameraUuid);
      notices.camera(cameraUuid, change);
    },
  });
  return hub;
}

export function packagerLimits({ hls }: GatewayOptions['config']): PackagerLimits {
  return {
    ...DEFAULT_PACKAGER_LIMITS,
    targetSegmentMs: hls.segmentTargetMs,
    wantedPartMs: hls.partTargetMs,
    windowMs: hls.windowMs,
    maxWindowBytes: hls.maxWindowBytes,
  };
}

/** Why a camera is offline: for the log line that reports it. */
function reasonFields(state: LiveState): object {
  if (state.state !== 'offline') return {};
  const { reason, code, host, port, errno } = cameraFaultOf(state.error);
  return { reason, code, host: host ?? undefined, port: port ?? undefined, errno: errno ?? undefined };
}

function shareDescriptors({ config, log }: GatewayOptions, cameras: number): DescriptorPlan {
  const plan = planDescriptors({
    limit: descriptorLimit(),
    cameras,
    ffmpegWorkers: config.ffmpeg.maxWorkers,
    viewerThreads: config.threads.viewers,
    hasRtsp: config.rtsp.listen !== null || config.rtsp.secureListen !== null,
    maxPerAddress: config.access.maxConnectionsPerAddress,
  });
  const { limit, reserved, media, api } = plan;
  const fields = { limit, reserved, media: media.maxConnections, api: api.maxConnections };
  if (limit < FEW_DESCRIPTORS) log.warn(fields, 'too few file descriptors, raise the limit (ulimit -n)');
  else log.debug(fields, 'file descriptors');
  return plan;
}

/** The key that signs recordings. The first start creates it, with its certificate. */
async function signingOf(
  { store, secrets }: Pick<StoreStage, 'store' | 'secrets'>,
  clock: GatewayOptions['clock'],
): Promise<SigningSettings> {
  const secret = secrets.evidenceKey;
  const certificates = new SigningCertificates({ certificates: store.signingCertificates, secret, clock });
  const { generation } = await certificates.current();
  return { secret, generation };
}
