/**
 * The front door with real sharing and a fake camera, for tests: requests are injected; nothing listens unless asked
 * to.
 */

import type { AddressInfo } from 'node:net';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { type Log, silentLog } from '../core/log.ts';
import { openSharingFixture, type SharingFixture } from '../sharing/sharing-fixture.ts';
import type { Share } from '../store/entities.ts';
import { buildFrontDoor, type FrontDoorOptions } from './build-front-door.ts';
import { FakeLiveCamera, FakeLiveCameras } from './fake-live-camera.ts';
import { LoopbackClient } from './loopback-client.ts';
import { ShareTraffic } from './share-traffic.ts';
import { loadWebAssets } from './web-assets.ts';

const PUBLIC_MEDIA_URL = 'https://media.example/video';

/** Compressing them takes longer than most tests. */
const assets = loadWebAssets({ publicMediaUrl: PUBLIC_MEDIA_URL });

export interface FrontDoorFixtureOptions {
  readonly maxWaitingRequests?: number;
  readonly maxViewersPerShare?: number;
  readonly opensPerMinute?: number;
  readonly hasSubStream?: boolean;
  readonly poster?: Buffer | Promise<Buffer>;
  readonly readiness?: FrontDoorOptions['readiness'];
  readonly trustProxy?: readonly string[];
  readonly log?: Log;
}

export interface FrontDoorFixture {
  readonly app: FastifyInstance;
  readonly sharing: SharingFixture;
  readonly camera: FakeLiveCamera;
  readonly traffic: ShareTraffic;
  /** A share of the camera. */
  share(fields?: object): Promise<Share>;
  /** The path at which players find the viewer's media, with a trailing slash. */
  openShare(share: Share, password?: string): Promise<string>;
  shareToken(share: Share): string;
  /** Removes the camera from the configuration. */
  removeCamera(): void;
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** Listens on loopback, for what injected requests cannot show. */
  listen(): Promise<LoopbackClient>;
  close(): Promise<void>;
}

export async function openFrontDoorFixture(options: FrontDoorFixtureOptions = {}): Promise<FrontDoorFixture> {
  const {
    maxWaitingRequests,
    maxViewersPerShare,
    opensPerMinute,
    hasSubStream = false,
    poster = null,
    trustProxy,
  } = options;
  const sharing = await openSharingFixture({
    ...(maxViewersPerShare === undefined ? {} : { maxViewersPerShare }),
    ...(opensPerMinute === undefined ? {} : { opensPerMinute }),
  });
  const cameras = new FakeLiveCameras();
  const camera = cameras.add(new FakeLiveCamera(sharing.camera.uuid, { hasSubStream }));
  const { gate, sessions, counters, clock } = sharing;
  const traffic = new ShareTraffic();
  const app = buildFrontDoor({
    ...{ gate, sessions, counters, clock, cameras, traffic },
    posters: { poster: async () => poster },
    assets: await assets,
    readiness: options.readiness ?? (async () => ({ ready: true, checks: { store: 'ok' } })),
    log: options.log ?? silentLog,
    publicMediaUrl: PUBLIC_MEDIA_URL,
    ...(maxWaitingRequests === undefined ? {} : { maxWaitingRequests }),
    ...(trustProxy === undefined ? {} : { trustProxy }),
  });
  await app.ready();
  const shareToken = (share: Share) =>
    new URL(sharing.shares.urls(share).pageUrl).pathname.split('/').at(-1)!;
  return {
    app,
    sharing,
    camera,
    traffic,
    share: (fields = {}) => sharing.shares.create(sharing.orgUuid, { ...sharing.request, ...fields }),
    async openShare(share, password) {
      const url = `/share/${shareToken(share)}/open`;
      const answer = await app.inject({ method: 'POST', url, payload: { password: password ?? null } });
      const { playlistUrl } = answer.json() as { playlistUrl: string };
      return playlistUrl.slice('/video'.length, playlistUrl.lastIndexOf('/') + 1);
    },
    shareToken,
    removeCamera: () => void cameras.cameras.delete(camera.uuid),
    get: (url, headers = {}) => app.inject({ method: 'GET', url, headers }),
    inject: (request) => app.inject(request),
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 });
      return new LoopbackClient((app.server.address() as AddressInfo).port);
    },
    async close() {
      await app.close();
      await sharing.close();
    },
  };
}
