/** A real RTSP camera in TypeScript: what the demo shows, tests watch and users try things with. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Secret } from '../../core/secret.ts';
import { CameraClient, type CameraContext } from './camera-client.ts';
import type { Clip } from './clip.ts';
import { createTemplates } from './rtp-templates.ts';

export interface SyntheticCameraOptions {
  /** Port 0: the system chooses. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly clip: Clip;
  /** Default `/stream`. */
  readonly path?: string;
  readonly credentials?: {
    readonly username: string;
    readonly password: Secret;
    readonly algorithm: 'MD5' | 'SHA-256';
  };
  readonly clock: Clock;
  readonly log: Log;
}

export interface SyntheticCamera {
  /** Without credentials. */
  readonly url: string;
  readonly port: number;
  /** Connections that receive media now. */
  playingClients(): number;
  close(): Promise<void>;
}

/** Connections beyond this are refused. */
const MAX_CLIENTS = 1_024;

export async function startSyntheticCamera(options: SyntheticCameraOptions): Promise<SyntheticCamera> {
  const { clip, clock, log, listen } = options;
  const path = options.path ?? '/stream';
  const context: CameraContext = {
    clip,
    templates: createTemplates(clip),
    path,
    clock,
    log,
    startMonoMs: clock.monoMs(),
    credentials: options.credentials ?? null,
  };
  const clients = new Set<CameraClient>();
  const server = createServer((socket) => {
    const client = new CameraClient(socket, context);
    clients.add(client);
    socket.on('close', () => clients.delete(client));
  });
  server.maxConnections = MAX_CLIENTS;
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    url: `rtsp://${host}:${port}${path}`,
    port,
    playingClients: () => [...clients].filter((client) => client.isPlaying).length,
    close: async () => {
      for (const client of clients) client.close();
      server.close();
      await once(server, 'close');
    },
  };
}
