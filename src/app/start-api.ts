/** The last stage of the gateway: metrics, retention, and the API's thread, which now gets the current state. */

import type { GatewaySide } from './api-thread/api-thread.ts';
import type { Cleanup } from './cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { countCameras, sampleOffline, sampleRenditions, sampleShares } from './metric-samples.ts';
import { createMetrics } from './metrics.ts';
import { RetentionSweeper } from './retention.ts';
import type { FrontDoorStage } from './start-front-door.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

/** The stages that exist before the API. */
export interface EarlierStages {
  readonly stored: StoreStage;
  readonly media: MediaStage;
  readonly door: FrontDoorStage;
}

/** Resolves when the API listens. */
export async function startApi(
  { config, clock, log }: GatewayOptions,
  stages: EarlierStages,
  cleanup: Cleanup,
): Promise<void> {
  const { store, apiThread } = stages.stored;
  const retention = new RetentionSweeper({ store, periods: config.retention, clock, log });
  cleanup.add('retention', () => retention.stop());
  cleanup.add('API', () => apiThread.close());
  await apiThread.start(gatewaySide(stages));
}

function gatewaySide({ stored, media, door }: EarlierStages): GatewaySide {
  const { audit, apiChanges } = stored;
  const { hub, follower, descriptors } = media;
  const { directory, unstoredEnds, readiness, mediaUrl } = door;
  const metrics = gatewayMetrics({ stored, media, door });
  return {
    now: () => ({
      mediaUrl,
      connections: descriptors.api,
      cameras: [...hub.all()].map((camera) => [camera.uuid, camera.report()]),
      cameraSounds: [...hub.all()].map((camera) => [camera.uuid, camera.sound]),
    }),
    takeOver: async () => {
      await Promise.all([directory.refresh(), follower.refresh()]);
    },
    calls: {
      putShare: (share) => directory.putShare(share),
      removeShare: (uuid) => directory.removeShare(uuid),
      endShare: (orgUuid, uuid, principal) => unstoredEnds.endShare(orgUuid, uuid, principal),
      putSchedule: (schedule) => directory.putSchedule(schedule),
      removeSchedule: (uuid) => directory.removeSchedule(uuid),
      auditSettled: () => audit.settled(),
      cameraProbed: (orgUuid, cameraUuid, verdict) => follower.probed(orgUuid, cameraUuid, verdict),
      readiness: () => readiness(),
      metrics: async () => ({ contentType: metrics.contentType, body: await metrics.render() }),
      changed: (changes) => {
        for (const change of changes) apiChanges.publish(change);
      },
    },
  };
}

function gatewayMetrics({ stored, media, door }: EarlierStages): ReturnType<typeof createMetrics> {
  const { apiThread } = stored;
  const { hub, decoders } = media;
  const { sessions, traffic, directory, counters, frontDoor } = door;
  return createMetrics({
    renditions: () => sampleRenditions(hub),
    cameras: () => countCameras(hub),
    offline: () => sampleOffline(hub),
    shares: () => sampleShares({ sessions, traffic, directory, hub }),
    viewers: () => sessions.viewers,
    ffmpegWorkers: () => decoders.workers.counts,
    redisUp: () => counters.status() === 'up',
    mediaConnections: () => frontDoor.connectionTable.counts(),
    mediaAnswers: () => frontDoor.mediaAnswers,
    apiThread: () => ({ starts: apiThread.starts, busySec: apiThread.busySec }),
  });
}
