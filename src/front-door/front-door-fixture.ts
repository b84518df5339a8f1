/** The front door with real sharing and a fake camera, for tests: requests are injected. Nothing listens by default. */

import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Callers } from '../accounts/callers.ts';
import { ClipLibrary } from '../clips/clip-library.ts';
import { SharedClips } from '../clips/shared-clips.ts';
import { SharedTimelapses } from '../clips/shared-timelapses.ts';
import { jpegTables } from '../codec/jpeg/quantization-tables.ts';
import { HttpListener, type HttpListenerOptions } from '../connections/http-listener.ts';
import { GatewayError } from '../core/errors.ts';
import { type Log, silentLog } from '../core/log.ts';
import { MemoryRateLimiter } from '../counters/rate-limiter.ts';
import { AlertTimes } from '../events/alert-times.ts';
import { createSuspectLookUps } from '../http/authentication.ts';
import { PLAYBACK_ERRORS } from '../playback/errors.ts';
import { PastPlayback } from '../playback/past-playback.ts';
import { PastSound } from '../playback/past-sound.ts';
import { RangeMovies, type RangeMoviesOptions } from '../playback/range-movies.ts';
import type { PastMedia } from '../playback/recorded-media.ts';
import { ThumbnailSheets, type ThumbnailSheetsOptions } from '../playback/thumbnail-sheets.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { PastAccess } from '../sharing/past-access.ts';
import type { ItemProgress } from '../sharing/shared-group.ts';
import { openSharingFixture, type SharingFixture } from '../sharing/sharing-fixture.ts';
import type { Share } from '../store/entities.ts';
import type { StillFormat } from '../thumbnails/still-format.ts';
import type { Still } from '../thumbnails/stills.ts';
import { buildFrontDoor, type FrontDoorOptions } from './build-front-door.ts';
import { FakeLiveCamera, FakeLiveCameras } from './fake-live-camera.ts';
import { GroupLists } from './files/group-lists.ts';
import type { GroupParts } from './files/group-routes.ts';
import { sealedArchives } from './files/sealed-archive.ts';
import { SealedCases } from './files/sealed-case.ts';
import { LoopbackClient } from './loopback-client-fixture.ts';
import { loadWebAssets } from './page/web-assets.ts';
import type { EncodeFile } from './past/encoded-files.ts';
import { ShareTraffic } from './response/share-traffic.ts';
import type { FrontDoorParts } from './session/front-door-parts.ts';
import type { HeldStills, Stills } from './session/stills.ts';

const PUBLIC_MEDIA_URL = 'https://media.example/video';

/** Wrong credentials that an address may send in a burst. */
export const WRONG_CREDENTIALS_AT_ONCE = 3;

/** Preparing them takes longer than most tests. */
const assets = loadWebAssets({ publicMediaUrl: PUBLIC_MEDIA_URL });

export interface FrontDoorFixtureOptions {
  readonly maxWaitingRequests?: number;
  readonly maxViewersPerShare?: number;
  readonly opensPerMinute?: number;
  readonly hasSubStream?: boolean;
  /** The camera's current still image. */
  readonly poster?: Buffer | Promise<Buffer>;
  /** Overrides `poster`. */
  readonly stills?: Stills;
  readonly heldStills?: HeldStills;
  readonly readiness?: FrontDoorOptions['readiness'];
  readonly trustProxy?: readonly string[];
  readonly securityText?: FrontDoorOptions['securityText'];
  /** What its server supports in addition to HTTP/1.1. */
  readonly listener?: Partial<HttpListenerOptions>;
  readonly log?: Log;
  readonly onDeviceOpened?: FrontDoorParts['onDeviceOpened'];
  /** Recorded media of the camera; default: the past is not served. */
  readonly pastMedia?: PastMedia;
  /** Thumbnails of a recording file, by the offset of their segment; default: recordings get none. */
  readonly thumbnails?: ThumbnailSheetsOptions['unstored'];
  /** The progress of items that are being made; default: unknown. */
  readonly itemProgress?: ItemProgress;
  /** Makes MP4s of it; default: none. */
  readonly maker?: RangeMoviesOptions['maker'];
  /** As PastParts. Default: none. */
  readonly encodeFile?: EncodeFile;
  /** As PastParts. */
  readonly internalFiles?: string | null;
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

/** An image of one pixel, as far as its sizes are concerned. */
export function stillOf(bytes: Buffer | null, format: StillFormat, takenAtEpochMs: number): Still | null {
  if (bytes === null) return null;
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, format, widthPx: 1, heightPx: 1, takenAtEpochMs, digest };
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
  const callers = new Callers(sharing.store, clock);
  const failures = new MemoryRateLimiter({ burst: WRONG_CREDENTIALS_AT_ONCE, perSec: 0.1 }, clock);
  const authentication = { callers, failures, suspectLookUps: createSuspectLookUps(), consoleUrl: null };
  const app = buildFrontDoor({
    gate,
    sessions,
    counters,
    clock,
    cameras,
    traffic,
    walls: sharing.wallGate,
    devices: { gate: sharing.deviceGate, authentication },
    previewsFramedBy: (host) => [`http://${host}:8080`],
    ...(options.onDeviceOpened === undefined ? {} : { onDeviceOpened: options.onDeviceOpened }),
    stills: options.stills ?? {
      still: async (_camera, { format }) => stillOf(await poster, format, clock.epochMs()),
    },
    assets: () => assets,
    readiness: options.readiness ?? (async () => ({ ready: true, checks: { store: 'ok' } })),
    log: options.log ?? silentLog,
    publicMediaUrl: PUBLIC_MEDIA_URL,
    ...(maxWaitingRequests === undefined ? {} : { maxWaitingRequests }),
    ...(trustProxy === undefined ? {} : { trustProxy }),
    securityText: options.securityText ?? null,
    listener: new HttpListener({
      certificate: null,
      isHttp2Plain: false,
      hasProxyHeader: false,
      trustProxy: trustProxy ?? [],
      clock,
      ...options.listener,
    }),
    ...(options.pastMedia === undefined
      ? {}
      : {
          past: {
            ...pastOf(options.pastMedia, options.maker ?? NO_MAKER, sharing, options.thumbnails ?? null),
            encodeFile: options.encodeFile ?? null,
            internalFiles: options.internalFiles ?? null,
          },
        }),
    groups: groupsOf(sharing, options.itemProgress ?? (async (_kind, uuids) => uuids.map(() => null))),
    ...(options.heldStills === undefined ? {} : { heldStills: options.heldStills }),
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
      await callers.close();
      await sharing.close();
    },
  };
}

function groupsOf(
  { groupGate, groupSessions, directory, store, clock }: SharingFixture,
  progress: ItemProgress,
): GroupParts {
  return {
    gate: groupGate,
    sessions: groupSessions,
    directory,
    openSealed: sealedArchives(store),
    cases: new SealedCases({ store, clock }),
    lists: new GroupLists({
      items: { clip: new SharedClips(store), timelapse: new SharedTimelapses(store) },
      progress,
      clock,
    }),
    onGroupOpened: () => undefined,
  };
}

const NO_MAKER: RangeMoviesOptions['maker'] = {
  make: () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED)),
};

function pastOf(
  media: PastMedia,
  maker: RangeMoviesOptions['maker'],
  { clock, directory, store }: SharingFixture,
  unstored: ThumbnailSheetsOptions['unstored'] | null,
): NonNullable<FrontDoorOptions['past']> {
  const hasThumbnails = unstored !== null;
  const read = (): never => {
    throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, {});
  };
  const playback = new PastPlayback({
    media,
    maskedBy: (uuid) => directory.masked.find(uuid),
    hasThumbnails,
    clock,
  });
  return {
    playback,
    access: new PastAccess(directory, clock),
    movies: new RangeMovies({ media, maker, clock }),
    sound: new PastSound({ playback, encoderOf: () => null, clock }),
    encodeFile: null,
    library: new ClipLibrary(store.resources),
    alertTimes: new AlertTimes(store.events),
    media,
    thumbnails: hasThumbnails
      ? new ThumbnailSheets({ unstored, read: async () => read(), tables: jpegTables(50) })
      : null,
  };
}
