/** The last stage of the gateway: metrics, retention, and the API's thread, which now gets the current state. */

import { recordSeen } from '../../cluster/adapters/cluster-events.ts';
import { viewerEnd, viewersOfCluster } from '../../cluster/adapters/link-viewers.ts';
import { KeyedLock } from '../../core/keyed-lock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { wireErrorOf } from '../../core/wire-error.ts';
import { removeReportsBefore } from '../../emergency/emergencies.ts';
import type { CutReason } from '../../front-door/response/media-responses.ts';
import { type RetentionPeriods, RetentionSweeper } from '../../ingest/retention.ts';
import { isAccessChange } from '../../sharing/access-rules.ts';
import type { GatewaySide } from '../api-thread/api-thread.ts';
import { allBlockBytes } from '../camera-threads/all-block-bytes.ts';
import type { RunningConfig } from '../config/running-config.ts';
import {
  countCameras,
  sampleClocks,
  sampleOffline,
  sampleRecordings,
  sampleRenditions,
  sampleShares,
} from '../metrics/metric-samples.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { sampleStreams } from '../metrics/sample-streams.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { certificateStates } from './certificates.ts';
import type { EarlierStages } from './earlier-stages.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { FrontDoorStage } from './start-front-door.ts';
import { type ServiceLevelSide, startServiceLevels } from './start-service-levels.ts';
import { type SystemSide, startSystem } from './start-system.ts';

/** Resolves when the API listens. */
const NO_RTSP = { views: 0, counts: { sentFrames: 0, droppedFrames: 0 } };

export async function startApi(
  options: GatewayOptions,
  stages: EarlierStages,
  cleanup: Cleanup,
): Promise<void> {
  const { clock, log } = options;
  const { store, apiThread, runningConfig, certificates } = stages.stored;
  const retention = new RetentionSweeper({
    store,
    periods: retentionPeriods(runningConfig),
    reports: {
      removeBefore: (orgUuid, beforeMs, limit) => removeReportsBefore(store, orgUuid, beforeMs, limit),
    },
    clock,
    log,
  });
  cleanup.add('retention', () => retention.stop());
  const system = startSystem(options, stages, cleanup);
  const levels = await startServiceLevels(options, stages, cleanup);
  cleanup.add('API', () => apiThread.close());
  certificates.api?.onChange((certificate) => apiThread.setCertificate(certificate));
  const loadAgain = loader(stages, levels);
  await apiThread.start(gatewaySide(stages, system, levels, loadAgain));
  await stages.stored.foreignChanges.reloadWith(async () => {
    apiThread.notify({ kind: 'missed' });
    await loadAgain();
  });
}

/** Loads everything again that follows changes, one time after another. Viewers who may no longer watch are cut off. */
function loader({ media, door }: EarlierStages, levels: ServiceLevelSide): () => Promise<void> {
  const turns = new KeyedLock();
  const { directory, deviceDirectory, shareViewers, signedIn } = door;
  return () =>
    turns.run('', async () => {
      await Promise.all([
        directory.refresh(),
        deviceDirectory.refresh(),
        shareViewers.endedElsewhere(),
        media.networks.refresh().then(() => media.follower.refresh()),
        media.recording.refresh(),
        signedIn?.refresh(),
        levels.refresh(),
      ]);
    });
}

/** A reload changes them. */
function retentionPeriods(config: RunningConfig): RetentionPeriods {
  return {
    get eventsMs() {
      return config.newest.retention.eventsMs;
    },
    get crossingsMs() {
      return config.newest.retention.crossingsMs;
    },
    get auditMs() {
      return config.newest.retention.auditMs;
    },
    get auditMaxRows() {
      return config.newest.retention.auditMaxRows;
    },
  };
}

function gatewaySide(
  stages: EarlierStages,
  system: SystemSide,
  levels: ServiceLevelSide,
  loadAgain: () => Promise<void>,
): GatewaySide {
  const { stored, media, door, cluster } = stages;
  const metrics = gatewayMetrics({ stored, media, door, cluster }, levels);
  const hasBegun = onceBegun();
  return {
    now: () => ({
      isRestart: hasBegun(),
      mediaUrl: door.mediaUrl,
      rtspUrl: door.rtsp?.url ?? null,
      mediaListener: door.mediaListener,
      connections: media.descriptors.api,
      certificate: stored.certificates.api?.current ?? null,
      endedCredentials: [...door.unstoredEnds.endedCredentials],
      ...media.notices.now(),
    }),
    takeOver: loadAgain,
    calls: {
      ...accessCalls(stages),
      ...cameraCalls(stages),
      ...system,
      auditSettled: () => stored.audit.settled(),
      readiness: () => door.readiness(),
      serviceLevels: (orgUuid) => levels.state(orgUuid),
      serviceHistory: (shareUuid, source) => levels.history(shareUuid, source),
      serviceProbesChanged: () => levels.refresh(),
      metrics: async () => ({ contentType: metrics.contentType, body: await metrics.render() }),
      changed: (changes) => {
        for (const change of changes) stored.apiChanges.publish(change);
      },
    },
  };
}

/** Calls that decide who may watch, list viewers, and end both. */
function accessCalls({ stored, media, door, cluster }: EarlierStages) {
  const { directory, deviceDirectory, unstoredEnds, shareViewers } = door;
  const { grantLifetimeMs } = stored.runningConfig.newest.access;
  return {
    applied: async (change) => {
      if (!isAccessChange(change)) return deviceDirectory.applied(change);
      await directory.applied(change);
      if (change.kind === 'masks' && change.record !== null) {
        deviceDirectory.applied({ kind: 'masks', uuid: change.uuid, record: change.record });
        await media.follower.apply(change.record.orgUuid, change.uuid);
      }
    },
    storeEnds: (uuid) => unstoredEnds.storeEnds(uuid),
    endAccess: (...end) => unstoredEnds.endAccess(...end),
    listViewers: viewersOfCluster(cluster, shareViewers),
    endViewer: viewerEnd(cluster, shareViewers, grantLifetimeMs),
    unblockAddress: (orgUuid, uuid, address) => shareViewers.unblock(orgUuid, uuid, address),
    countViewers: (uuids) => shareViewers.counts(uuids),
  } satisfies Partial<GatewaySide['calls']>;
}

function cameraCalls({ stored, media, door, cluster }: EarlierStages) {
  const { hub, follower, notices, recording } = media;
  const { apiStills, stills, sessions } = door;
  return {
    clipUploadsChanged: (isFailing) => {
      recording.clipUploads.isFailing = isFailing;
    },
    cameraProbed: (orgUuid, cameraUuid, verdict) => notices.probed(orgUuid, cameraUuid, verdict),
    publishKeyChanged: (orgUuid, cameraUuid) => follower.apply(orgUuid, cameraUuid),
    decodeKeyFrame: async (orgUuid, frame, maxWidthPx) => {
      // The other thread's buffers arrive as plain arrays.
      const fmp4 = frame.fmp4.map(({ buffer, byteOffset, length }) =>
        Buffer.from(buffer, byteOffset, length),
      );
      const still = await stills.unkeptJpeg(orgUuid, { ...frame, fmp4 }, maxWidthPx);
      return still === null ? null : { bytes: still.bytes, widthPx: still.widthPx, heightPx: still.heightPx };
    },
    streamSamples: () => sampleStreams(hub, sessions),
    openPreview: openPreview({ stored, media, door }),
    takeStill: (cameraUuid, request) => apiStills.take(cameraUuid, request),
    recordingRule: (cameraUuid) => recording.ruleInEffect(cameraUuid),
    copyFromRecorder: async (cameraUuid, fromMs, toMs, looker) => {
      const { isGrowing, error } = await door.recorders.copy(cameraUuid, fromMs, toMs, looker);
      return { isGrowing, error: error === null ? null : wireErrorOf(error) };
    },
    recorderFootage: (cameraUuids, fromMs, toMs) =>
      Promise.all(cameraUuids.map((each) => door.recorders.footage(each, fromMs, toMs))),
    unlistedRecordings: (stream) => recording.catalog.unlisted(stream),
    readElsewhere: async (job) => (await recording.readElsewhere?.(job)) ?? null,
    eventsSeen: recordSeen(cluster, (cameraUuid, fromMs, toMs) =>
      recording.recordAround(cameraUuid, fromMs, toMs),
    ),
  } satisfies Partial<GatewaySide['calls']>;
}

function openPreview({
  stored: { audit },
  media: { hub, follower },
  door: { deviceGate, deviceDirectory },
}: Pick<EarlierStages, 'stored' | 'media' | 'door'>): GatewaySide['calls']['openPreview'] {
  return async (request) => {
    // A camera that was created a moment ago: its event may still be on its way.
    if (hub.get(request.cameraUuid) === undefined) await follower.apply(request.orgUuid, request.cameraUuid);
    const response = await deviceGate.preview(request);
    const device = deviceDirectory.find(request.cameraUuid);
    if (response.allowed && device !== null && response.grantText !== request.grantText) {
      const { address, userAgent } = request;
      audit.deviceOpened(device, request.actor, { address, userAgent });
    }
    return response;
  };
}

function gatewayMetrics(
  { stored, media, door, cluster }: Omit<EarlierStages, 'reload'>,
  levels: ServiceLevelSide,
): ReturnType<typeof createMetrics> {
  const { apiThread, certificates } = stored;
  const { hub, decoders, recording, rtmp, cameraThreads } = media;
  const { sessions, groups, traffic, stills, directory, counters, frontDoor, uploads, viewerThreads } = door;
  return createMetrics({
    renditions: () => sampleRenditions(hub),
    mediaBlocks: () => allBlockBytes(cameraThreads),
    clocks: () => sampleClocks(hub),
    cameras: () => countCameras(hub),
    offline: () => sampleOffline(hub),
    shares: () => sampleShares({ sessions, groupSessions: groups.sessions, traffic, directory, hub }),
    recordings: () => sampleRecordings(hub, recording.samples()),
    recorder: () => ({
      waitingBytes: recording.waitingBytes(),
      deletedFiles: recording.deletedFiles(),
      unreadableFiles: recording.unreadableFiles(),
      isUploadFailing: recording.isUploadFailing(),
      isClipUploadFailing: recording.clipUploads.isFailing,
    }),
    uploads: () => {
      const { counts, running, unfinished } = uploads.service;
      const { receivedBytes, imported } = counts;
      return { running: running.size, unfinished, receivedBytes, imported, failures: counts.failures() };
    },
    spool: () => recording.spool(),
    viewers: () => sessions.viewers,
    stills: () => stills,
    ffmpegWorkers: () => decoders.workers.sample,
    rtmp: () => rtmp.counts(),
    rtsp: () => door.rtsp?.desk ?? NO_RTSP,
    certificates: () => certificateStates(certificates),
    cluster: () => cluster?.sample() ?? null,
    redisUp: () => counters.status() === 'up',
    changesFollowed: () => stored.foreignChanges.isUp ?? true,
    mediaConnections: () => viewerThreads?.state().connections ?? frontDoor.connectionTable.counts(),
    mediaResponses: () => mediaResponsesOf(door),
    sharedMedia: () => ({ responses: traffic.sharedResponses, bytes: traffic.sharedBytes }),
    pictureSockets: () => frontDoor.pictureSockets,
    soundSockets: () => frontDoor.soundSockets,
    pastBudget: () => frontDoor.pastBudget,
    service: {
      levels: door.levels,
      probed: () => levels.schedule.shares(),
      process: () => levels.schedule.process,
      nameOf: (share) => directory.find(share as Ruuid)?.share.name ?? '',
    },
    apiThread: () => ({ starts: apiThread.starts, busySec: apiThread.busySec }),
    cameraThreads: () => cameraThreads?.state() ?? { starts: 0, busySec: 0, streams: 0 },
    viewerThreads: () => ({
      starts: viewerThreads?.starts ?? 0,
      busySec: viewerThreads?.state().busySec ?? 0,
      windows: viewerThreads?.state().windows ?? 0,
    }),
  });
}

/** Sums over all threads. */
function mediaResponsesOf({ frontDoor: { mediaResponses }, viewerThreads }: FrontDoorStage): {
  readonly size: number;
  cuts(): Readonly<Record<CutReason, number>>;
} {
  if (viewerThreads === null) return mediaResponses;
  const { responses, cuts } = viewerThreads.state();
  const own = mediaResponses.cuts();
  return {
    size: mediaResponses.size + responses,
    cuts: () => ({
      access: own.access + cuts.access,
      'too-slow': own['too-slow'] + cuts['too-slow'],
      recalled: own.recalled + cuts.recalled,
    }),
  };
}

/** Whether it was called before. */
function onceBegun(): () => boolean {
  let calls = 0;
  return () => calls++ > 0;
}
