/**
 * Reads the state of the hub, the viewer sessions and the traffic counters for the metrics, at the time of a scrape.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import type { RecordingSample } from '../../recording/recorder.ts';
import { deviceAudienceUuid } from '../../sharing/device-grant.ts';
import type { ShareDirectory } from '../../sharing/share-directory.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import {
  CONNECTION_STATES,
  type ConnectionState,
  type StreamConnection,
  shownConnectionState,
} from '../../stream/camera-connection.ts';
import type { StreamHub } from '../../stream/hub.ts';
import type { ClockSample } from './clock-metrics.ts';
import type { CameraCount, OfflineSample, RenditionSample, ShareSample } from './metrics.ts';
import type { RecordingMetrics } from './recording-metrics.ts';

/** Series of offline streams per scrape; beyond this, `sluice_cameras` still counts them all. */
export const MAX_OFFLINE_SERIES = 2_000;

export function sampleRenditions(hub: StreamHub): RenditionSample[] {
  const samples: RenditionSample[] = [];
  for (const stream of hub.all()) {
    const { uuid: camera, name } = stream;
    for (const profile of stream.profiles()) {
      const isLive = profile.state().state === 'live';
      for (const { name: rendition, packager } of profile.renditions.named()) {
        const { instances } = profile;
        const stats = packager.stats();
        const joiningFrames = profile.drops.joiningFrames + stats.joiningFrames;
        samples.push({ camera, name, rendition, isLive, instances, ...stats, joiningFrames });
      }
    }
  }
  return samples;
}

/** Samples streams that are open and were watched for a few seconds. */
export function sampleClocks(hub: StreamHub): ClockSample[] {
  const samples: ClockSample[] = [];
  for (const stream of hub.all()) {
    const { uuid: camera, name } = stream;
    for (const reading of stream.clockReadings()) samples.push({ camera, name, ...reading });
  }
  return samples;
}

/** Counts main streams by state, including states without a camera. */
export function countCameras(hub: StreamHub): CameraCount[] {
  const counts = new Map<ConnectionState, number>(CONNECTION_STATES.map((state) => [state, 0]));
  for (const camera of hub.all()) {
    const state = shownConnectionState(camera.report().main);
    counts.set(state, counts.get(state)! + 1);
  }
  return [...counts].map(([state, cameras]) => ({ state, cameras }));
}

export function sampleOffline(hub: StreamHub): OfflineSample[] {
  const samples: OfflineSample[] = [];
  for (const camera of hub.all()) {
    const { main, sub } = camera.report();
    for (const [profile, connection] of [
      ['main', main],
      ['sub', sub],
    ] as const) {
      const fault = faultOf(connection);
      if (fault !== null) samples.push({ camera: camera.uuid, name: camera.name, profile, ...fault });
    }
    if (samples.length >= MAX_OFFLINE_SERIES) break;
  }
  return samples;
}

/** Shares, and cameras that are viewed without one, whose samples name no share. */
export function sampleShares(context: {
  sessions: ViewerSessions;
  /** Sessions of shared groups of files. */
  groupSessions: ViewerSessions;
  traffic: ShareTraffic;
  directory: ShareDirectory;
  hub: StreamHub;
}): ShareSample[] {
  const { sessions, groupSessions, traffic, directory, hub } = context;
  const viewers = new Map<Ruuid, number>([
    ...sessions.viewersByAudience(),
    ...groupSessions.viewersByAudience(),
  ]);
  const samples: ShareSample[] = [];
  const camerasByAudience = new Map([...hub.all()].map(({ uuid }) => [deviceAudienceUuid(uuid), uuid]));
  for (const share of traffic.shares()) {
    const known =
      directory.find(share)?.stored ?? groupOf(directory, share) ?? unshared(camerasByAudience.get(share));
    if (known === null) continue;
    const { name } = known;
    const camera = known.cameraUuid ?? '';
    const cameraName = known.cameraUuid === null ? '' : (hub.get(known.cameraUuid)?.name ?? '');
    const sentBytes = traffic.bytesOf(share);
    const shared = 'uuid' in known ? known.uuid : '';
    samples.push({ share: shared, name, camera, cameraName, viewers: viewers.get(share) ?? 0, sentBytes });
    viewers.delete(share);
  }
  // Viewers that have received nothing yet, and audiences for which there was no counter.
  const others = viewers.values().reduce((sum, count) => sum + count, 0);
  const together = { share: '', name: '', camera: '', cameraName: '' };
  return [...samples, { ...together, viewers: others, sentBytes: traffic.otherBytes }];
}

/** It shows no camera. */
function groupOf(directory: ShareDirectory, uuid: Ruuid) {
  const group = directory.findGroup(uuid);
  return group === undefined ? null : { uuid, name: group.name, cameraUuid: null };
}

function unshared(cameraUuid: Ruuid | undefined): { name: string; cameraUuid: Ruuid } | null {
  return cameraUuid === undefined ? null : { name: '', cameraUuid };
}

/** Streams that were never recorded since the start have no series. */
export function sampleRecordings(hub: StreamHub, recordings: readonly RecordingSample[]): RecordingMetrics[] {
  return recordings
    .filter(({ state, segments, droppedSegments }) => state !== 'off' || segments + droppedSegments > 0)
    .map(({ stream, state, segments, droppedSegments, byteLength }) => ({
      camera: stream.cameraUuid,
      name: hub.get(stream.cameraUuid)?.name ?? '',
      rendition: stream.rendition,
      isRecording: state === 'recording',
      hasFailed: state === 'failed',
      segments,
      droppedSegments,
      byteLength,
    }));
}

function faultOf(
  connection: StreamConnection | null,
): Omit<OfflineSample, 'camera' | 'name' | 'profile'> | null {
  const fault = connection?.state === 'offline' ? connection.fault : null;
  if (fault === null) return null;
  const { reason, code, host, port, errno } = fault;
  return { reason, code, host: host ?? '', port: port === null ? '' : String(port), errno: errno ?? '' };
}
