/**
 * How the process's file descriptors are divided up, based on its actual limit (docs/design/failure.md#descriptors).
 * Listeners get what cameras, workers and the store do not need, the API before the media: a call that revokes a
 * share gets through while viewers fill their connections.
 */

import { readFileSync } from 'node:fs';
import type { ConnectionLimits } from '../../connections/connection-table.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { MAX_MEDIA_CONNECTIONS } from '../../front-door/build-front-door.ts';

export interface DescriptorPlan {
  /** Descriptors that the process can have. */
  readonly limit: number;
  /** The portion for cameras, ffmpeg workers, the store and the runtime. */
  readonly reserved: number;
  readonly media: ConnectionLimits;
  /** Viewers by RTSP; 0 if it is off. */
  readonly rtsp: number;
  readonly api: ConnectionLimits;
}

export interface DescriptorNeeds {
  readonly limit: number;
  readonly cameras: number;
  readonly ffmpegWorkers: number;
  readonly viewerThreads: number;
  /** Viewers by RTSP connect to listeners of their own. */
  readonly hasRtsp: boolean;
  /** Connections from one address to the media listener; null: half of all. */
  readonly maxPerAddress: number | null;
}

/** Below this the operator gets a warning: a page takes up to two connections per viewer, a proxy one. */
export const FEW_DESCRIPTORS = 4_096;

/**
 * Descriptors for the runtime, the log, the listeners, the database, Redis and webhooks. An idle gateway has about fifty.
 */
const OWN_DESCRIPTORS = 80;
/** Three pipes, plus the audio pipe. */
const PER_WORKER = 4;
/** Its event loop, and its listener. */
const PER_VIEWER_THREAD = 8;
/** Two streams, each with a connection that is being replaced. Over UDP, a playing camera takes up to ten. */
const PER_CAMERA = 4;
const LEAST_CAMERA_SHARE = 1 / 8;
const LARGEST_CAMERA_SHARE = 1 / 2;
const API_SHARE = 1 / 8;
const RTSP_SHARE = 1 / 16;
const LARGEST_RTSP_SHARE = 1 / 4;
/** The two connections of a tunnel. */
const PER_RTSP_VIEWER = 2;
const MAX_API_CONNECTIONS = 2_000;
/** The gateway does not work with fewer; there is then hardly any reserve. */
const LEAST_CONNECTIONS = 16;
/** If the limit cannot be read. */
const ASSUMED_LIMIT = 1_024;
const LARGEST_LIMIT = 1_048_576;
const PROCESS_LIMITS = '/proc/self/limits';

export function planDescriptors({
  limit,
  cameras,
  ffmpegWorkers,
  viewerThreads,
  hasRtsp,
  maxPerAddress,
}: DescriptorNeeds): DescriptorPlan {
  const rtsp = hasRtsp ? Math.floor(Math.min(LIMITS.rtspViewers.total, limit * RTSP_SHARE)) : 0;
  const arrivals = hasRtsp ? LIMITS.rtspArrivals.total : 0;
  const forRtsp = Math.floor(Math.min(limit * LARGEST_RTSP_SHARE, rtsp * PER_RTSP_VIEWER + arrivals));
  const own = forRtsp + OWN_DESCRIPTORS + PER_WORKER * ffmpegWorkers + PER_VIEWER_THREAD * viewerThreads;
  const forCameras = Math.floor(
    Math.min(limit * LARGEST_CAMERA_SHARE, Math.max(limit * LEAST_CAMERA_SHARE, PER_CAMERA * cameras)),
  );
  const api = clampConnections(Math.floor(limit * API_SHARE), MAX_API_CONNECTIONS);
  const media = clampConnections(limit - own - forCameras - api, MAX_MEDIA_CONNECTIONS);
  return {
    limit,
    reserved: own + forCameras,
    rtsp,
    media: {
      maxConnections: media,
      maxPerAddress: Math.min(media, maxPerAddress ?? Math.ceil(media / 2)),
      maxDescriptor: limit - forCameras - api,
    },
    api: {
      maxConnections: api,
      maxPerAddress: Math.ceil(api / 2),
      maxDescriptor: limit - forCameras,
    },
  };
}

/**
 * The limit of this process (RLIMIT_NOFILE, getrlimit(2)). Node has already raised the soft limit to the hard one.
 */
export function descriptorLimit(file = PROCESS_LIMITS): number {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    // Not Linux.
    return ASSUMED_LIMIT;
  }
  const soft = /^Max open files +(\d+|unlimited)/m.exec(text)?.[1];
  if (soft === undefined) return ASSUMED_LIMIT;
  return soft === 'unlimited' ? LARGEST_LIMIT : Math.min(LARGEST_LIMIT, Number(soft));
}

function clampConnections(count: number, most: number): number {
  return Math.max(LEAST_CONNECTIONS, Math.min(most, count));
}
