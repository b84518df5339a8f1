/**
 * A synthetic camera: a real RTSP 1.0 server (RFC 2326) that repeats a clip to any number of clients, over TCP and UDP,
 * optionally with digest authentication. For the demo, for tests, and for trying things out.
 *
 * As with a real camera, all clients see the same frame at the same time; each begins at the next key frame. The frame
 * number in the picture counts up over the length of the clip; RTP timestamps continue over its repetitions.
 */

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { CameraConnection, type ConnectionCamera } from './camera-connection.ts';
import type { Clip } from './clip.ts';
import { ClipBroadcast } from './clip-broadcast.ts';
import { describeClip } from './clip-description.ts';
import { ClipSchedule } from './clip-schedule.ts';
import type { CameraCredentials } from './digest-gate.ts';
import type { CameraFaults } from './faults.ts';
import type { CameraHabits } from './habits.ts';
import { UdpPorts } from './udp-ports.ts';

export interface SyntheticCameraOptions {
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly clip: Clip;
  /** Default: `/stream`. A query after it is ignored. */
  readonly path?: string;
  /** Digest authentication. */
  readonly credentials?: CameraCredentials;
  /** Limit on sessions at a time; the next one gets 453. */
  readonly maxClients?: number;
  /** The transports that SETUP accepts; others get 461. Default: both. */
  readonly transports?: readonly ('tcp' | 'udp')[];
  /** Default: 60. */
  readonly sessionTimeoutSec?: number;
  readonly faults?: CameraFaults;
  readonly habits?: CameraHabits;
  /** How long before its start frame 0 was taken: tells the moments of several cameras' frames apart. Default: 0. */
  readonly startedAgoMs?: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SyntheticCamera {
  /** Without credentials. */
  readonly url: string;
  readonly port: number;
  /** When its frame 0 was taken, by the wall clock. */
  readonly startEpochMs: number;
  /** RTSP connections, playing or not. */
  connectedClients(): number;
  playingClients(): number;
  /** Disconnects all clients; resolves when the ports are free. Idempotent. */
  close(): Promise<void>;
}

const DEFAULT_PATH = '/stream';
const DEFAULT_SESSION_TIMEOUT_SEC = 60;
/** Limit on connections at a time, whatever they do. */
const MAX_CONNECTIONS = 1_024;

/** Rejects with the system's error if it cannot listen on the address. */
export async function startSyntheticCamera(options: SyntheticCameraOptions): Promise<SyntheticCamera> {
  const { listen, log, transports = ['tcp', 'udp'] } = options;
  const connections = new Set<CameraConnection>();
  const onRtcp = (address: string): void => {
    for (const connection of connections) connection.heard(address);
  };
  const udp = transports.includes('udp') ? await UdpPorts.bind(listen.host, onRtcp) : null;
  const camera = shareCamera(options, transports, udp);
  const server = net.createServer((socket) => {
    const connection = new CameraConnection(camera, socket);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listenOn(server, listen.host, listen.port).catch(async (error: unknown) => {
    await udp?.close();
    throw error;
  });
  log.info({ host: listen.host, port, path: camera.path }, 'synthetic camera listening');
  const release = async (): Promise<void> => {
    camera.broadcast.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of connections) connection.destroy();
    await Promise.all([closed, udp?.close()]);
  };
  let released: Promise<void> | null = null;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    url: `rtsp://${host}:${port}${camera.path}`,
    port,
    startEpochMs: camera.schedule.startEpochMs,
    connectedClients: () => connections.size,
    playingClients: () => camera.broadcast.clientCount,
    close: () => {
      released ??= release();
      return released;
    },
  };
}

/** The state that connections share: one schedule, one broadcast, one session count. */
function shareCamera(
  options: SyntheticCameraOptions,
  transports: readonly ('tcp' | 'udp')[],
  udp: UdpPorts | null,
): ConnectionCamera {
  const { clip, clock, faults = {}, habits = {}, log, maxClients = Number.POSITIVE_INFINITY } = options;
  const { startedAgoMs = 0 } = options;
  const schedule = new ClipSchedule(clip, clock.monoMs() - startedAgoMs, clock.epochMs() - startedAgoMs);
  const sdp = describeClip(clip, options.listen.host);
  let sessions = 0;
  let connections = 0;
  return {
    path: normalisedPath(options.path ?? DEFAULT_PATH),
    sdp: habits.describe?.(sdp) ?? sdp,
    clip,
    transports,
    credentials: options.credentials ?? null,
    sessionTimeoutSec: options.sessionTimeoutSec ?? DEFAULT_SESSION_TIMEOUT_SEC,
    faults,
    startsAtOnce: habits.startsAtOnce === true,
    takeHabits: () => habits.connection?.(connections++) ?? {},
    schedule,
    broadcast: new ClipBroadcast(clip, schedule, clock, faults, habits.packetize),
    udp,
    clock,
    log,
    admit: () => {
      if (sessions >= maxClients) return false;
      sessions += 1;
      return true;
    },
    leave: () => {
      sessions -= 1;
    },
  };
}

async function listenOn(server: net.Server, host: string, port: number): Promise<number> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening;
  return (server.address() as AddressInfo).port;
}

function normalisedPath(path: string): string {
  return `/${withoutTrailingSlashes(path).replace(/^\/+/, '')}`;
}
