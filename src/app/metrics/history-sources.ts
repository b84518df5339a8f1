/** Sources of the history of counters: the hub, the viewers, the recorder, the process. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import type { RecordingSample } from '../../recording/recorder.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { StreamHub } from '../../stream/hub.ts';
import type { PackagerStats } from '../../stream/packaging/packaging.ts';
import type { ProfileStream } from '../../stream/profile-stream.ts';
import type { HistorySources, SampledCamera, StreamReading } from '../../system/history-sampler.ts';

const DELAY_RESOLUTION_MS = 50;
const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
const P99 = 99;

/** Lateness of this thread's timers, between two readings. */
export class EventLoopLateness {
  readonly #histogram = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The 99th percentile since the last call, in milliseconds; null: no timer fired. */
  p99Ms(): number | null {
    const isEmpty = this.#histogram.count === 0;
    const lateMs = this.#histogram.percentile(P99) / NS_PER_MS - DELAY_RESOLUTION_MS;
    this.#histogram.reset();
    return isEmpty ? null : Math.max(0, lateMs);
  }

  close(): void {
    this.#histogram.disable();
  }
}

export interface HistoryParts {
  readonly hub: StreamHub;
  readonly sessions: ViewerSessions;
  readonly traffic: ShareTraffic;
  readonly recordings: () => readonly RecordingSample[];
  readonly workers: () => { readonly running: number; readonly waiting: number };
  readonly lateness: EventLoopLateness;
}

export function historySources(parts: HistoryParts): HistorySources {
  const { hub, sessions, traffic, recordings, workers, lateness } = parts;
  return {
    system: () => {
      const { running, waiting } = workers();
      const { user, system } = process.cpuUsage();
      return {
        viewers: sessions.viewers,
        bytesOut: traffic.totalBytes,
        playlists: traffic.playlists,
        recordedBytes: recordings().reduce((sum, { byteLength }) => sum + byteLength, 0),
        cpuMs: (user + system) / US_PER_MS,
        rssBytes: residentBytes(),
        eventLoopDelayP99Ms: lateness.p99Ms(),
        workersRunning: running,
        workersWaiting: waiting,
      };
    },
    *cameras() {
      for (const stream of hub.all()) yield sampledCamera(stream);
    },
    viewersByCamera: () => sessions.viewersByCamera(),
  };
}

/** Resident memory of the process. null: it has no descriptor left to read it with. */
export function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    // Other code that runs out of descriptors reports it.
    return null;
  }
}

function sampledCamera(camera: CameraStream): SampledCamera {
  return {
    uuid: camera.uuid,
    isStreaming: () => camera.status().state === 'live',
    isOffline: () => camera.report().main.state === 'offline',
    streams: () => camera.profiles().flatMap((profile) => streamReading(profile) ?? []),
  };
}

/** null: the stream is not open. Its renditions have the same video: the first one that was opened represents all. */
function streamReading(profile: ProfileStream): StreamReading | null {
  let first: { opening: object; stats: PackagerStats } | null = null;
  for (const { packager } of profile.renditions.named()) {
    const stats = packager.stats();
    if (first === null || stats.frames > first.stats.frames) first = { opening: packager, stats };
  }
  if (first === null) return null;
  const { frames, pictures, droppedFrames, publishedBytes } = first.stats;
  return {
    profile: profile.name,
    opening: first.opening,
    frames,
    pictures,
    droppedFrames,
    keyFrameDistanceMs: profile.keys.distanceMs,
    bytes: publishedBytes,
    clockDriftPpm: profile.clockReading?.driftPpm ?? null,
  };
}
