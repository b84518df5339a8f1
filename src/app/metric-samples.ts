/**
 * Reads the state of the hub, the viewer sessions and the traffic counters for the metrics, at the time of a scrape.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { ShareTraffic } from '../front-door/share-traffic.ts';
import type { ShareDirectory } from '../sharing/share-directory.ts';
import type { ViewerSessions } from '../sharing/viewer-sessions.ts';
import {
  CONNECTION_STATES,
  type ConnectionState,
  type StreamConnection,
} from '../stream/camera-connection.ts';
import type { StreamHub } from '../stream/hub.ts';
import type { CameraCount, OfflineSample, RenditionSample, ShareSample } from './metrics.ts';

/** Series of offline streams per scrape; beyond this, `sluice_cameras` still counts them all. */
export const MAX_OFFLINE_SERIES = 2_000;

export function sampleRenditions(hub: StreamHub): RenditionSample[] {
  const samples: RenditionSample[] = [];
  for (const stream of hub.all()) {
    const { uuid: camera, name } = stream;
    for (const profile of stream.profiles()) {
      const isLive = profile.state().state === 'live';
      for (const { name: rendition, packager } of profile.openRenditions()) {
        const { instances } = profile;
        const stats = packager.stats();
        const joiningFrames = profile.joiningFrames + stats.joiningFrames;
        samples.push({ camera, name, rendition, isLive, instances, ...stats, joiningFrames });
      }
    }
  }
  return samples;
}

/** For main streams; every state, including those that no camera is in. */
export function countCameras(hub: StreamHub): CameraCount[] {
  const counts = new Map<ConnectionState, number>(CONNECTION_STATES.map((state) => [state, 0]));
  for (const camera of hub.all()) {
    const { state } = camera.report().main;
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

export function sampleShares(context: {
  sessions: ViewerSessions;
  traffic: ShareTraffic;
  directory: ShareDirectory;
  hub: StreamHub;
}): ShareSample[] {
  const { sessions, traffic, directory, hub } = context;
  const viewers = new Map<Ruuid, number>(sessions.viewersByShare());
  const samples: ShareSample[] = [];
  for (const share of traffic.shares()) {
    const known = directory.find(share)?.share;
    if (known === undefined) continue;
    const { name, cameraUuid: camera } = known;
    const cameraName = hub.get(camera)?.name ?? '';
    const sentBytes = traffic.bytesOf(share);
    samples.push({ share, name, camera, cameraName, viewers: viewers.get(share) ?? 0, sentBytes });
    viewers.delete(share);
  }
  // Viewers that have received nothing yet, and shares for which there was no counter.
  const others = viewers.values().reduce((sum, count) => sum + count, 0);
  const together = { share: '', name: '', camera: '', cameraName: '' };
  return [...samples, { ...together, viewers: others, sentBytes: traffic.otherBytes }];
}

function faultOf(
  connection: StreamConnection | null,
): Omit<OfflineSample, 'camera' | 'name' | 'profile'> | null {
  const fault = connection?.state === 'offline' ? connection.fault : null;
  if (fault === null) return null;
  const { reason, code, host, port, errno } = fault;
  return { reason, code, host: host ?? '', port: port === null ? '' : String(port), errno: errno ?? '' };
}
