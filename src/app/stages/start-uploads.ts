/** Clips that recorders hand over, as the gateway wires them: after the recordings, before the listener for viewers. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyWorking } from '../../accounts/key-end.ts';
import { actAs } from '../../audit/acting-principal.ts';
import { principalOfKey } from '../../audit/audit-trail.ts';
import { UploadedClips } from '../../clips/uploaded-clips.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { DeviceAccessParts } from '../../front-door/session/device-entries.ts';
import type { UploadParts } from '../../front-door/uploads/upload-routes.ts';
import type { DeviceDirectory } from '../../sharing/device-directory.ts';
import { FfmpegConverter } from '../../uploads/ffmpeg-converter.ts';
import { NO_NODES, OwnUploads, type UploadNodes } from '../../uploads/own-uploads.ts';
import { SpoolThread, spoolPort } from '../../uploads/spool-thread.ts';
import type { UploadRightsSource } from '../../uploads/upload-access.ts';
import { UploadService } from '../../uploads/upload-service.ts';
import { recordingsFolder, UPLOADS_FOLDER } from '../config/data-folder.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

export async function startUploads(
  { config, clock, log }: GatewayOptions,
  {
    stored: { store },
    media: { recording, decoders },
    cluster,
  }: {
    readonly stored: StoreStage;
    readonly media: MediaStage;
    readonly cluster: Cluster | null;
  },
  { directory, authentication }: { directory: DeviceDirectory } & Pick<DeviceAccessParts, 'authentication'>,
  onImported: (cameraUuid: Ruuid) => void,
  cleanup: Cleanup,
): Promise<UploadParts> {
  const { maxSizeBytes, atOncePerKey, atOnce, keepUnfinishedMs } = config.uploads;
  const nodes = cluster === null ? NO_NODES : nodesOf(cluster);
  // Nodes may share the folder of the recordings.
  const folder = join(recordingsFolder(config), UPLOADS_FOLDER, nodes.nodeId);
  const spool = new SpoolThread({ launch: spoolPort({ folder }), clock, log });
  cleanup.add('uploads thread', () => spool.close());
  // All of it: the remaining room is for live recordings, which leave half.
  const { minFreeBytes } = config.recording;
  const clips = new UploadedClips(store, clock, log);
  const { workers, ffmpeg } = decoders;
  const service = new UploadService({
    uploads: new OwnUploads(store.uploads, nodes),
    spool,
    imports: recording.imports,
    clock,
    log,
    converter: new FfmpegConverter({
      spool,
      pool: workers,
      binary: ffmpeg,
      maxBytes: 2 * maxSizeBytes,
      minFreeBytes,
      log,
    }),
    keepMs: config.recording.keep.mainMs,
    rights: rightsOf(directory, store, clock),
    onImported: async (clip) => {
      onImported(clip.upload.cameraUuid);
      const { upload, durationMs } = clip;
      // Also after a restart, when no request waits for it.
      const key = await store.apiKeys.find(upload.orgUuid, upload.keyUuid);
      return actAs(principalOfKey(key), () =>
        clips.add({ ...upload, durationMs, recordingNumber: upload.recordingNumber! }),
      );
    },
    limits: {
      maxBytes: maxSizeBytes,
      atOncePerKey,
      atOnce,
      keepUnfinishedMs,
      minFreeBytes,
    },
    onNoRoom: (orgUuid, byteLength) => recording.makeRoom(orgUuid, byteLength),
  });
  cleanup.add('uploads', () => service.close());
  const unsubscribe = directory.onChange(() => service.recheck());
  cleanup.add('changes that concern uploads', async () => unsubscribe());
  await service.begin(existsSync(folder));
  return { service, directory, authentication, maxBytes: maxSizeBytes, keepUnfinishedMs };
}

/** Current upload rights of keys. */
function rightsOf(directory: DeviceDirectory, store: StoreStage['store'], clock: Clock): UploadRightsSource {
  return {
    uploadRights: (keyUuid, cameraUuid) => {
      // Another process may have revoked it: it is read again, at most twice a second.
      directory.confirm({ principal: { kind: 'key', uuid: keyUuid } });
      return directory.uploadRights(keyUuid, cameraUuid);
    },
    storedRights: async ({ keyUuid, orgUuid }, cameraUuid) => {
      const key = await store.apiKeys.find(orgUuid, keyUuid);
      return {
        key: key === null || !isKeyWorking(key, clock.epochMs()) ? null : key,
        camera: await store.cameras.find(orgUuid, cameraUuid),
      };
    },
  };
}

function nodesOf({ nodeId, node }: Cluster): UploadNodes {
  return {
    nodeId,
    isAlive: (other) => node.registry.nodes().some((each) => each.nodeId === other),
  };
}
