/** The front door: the HTTP server under `<media_url>`, for viewers and pullers (docs/design/access.md). */

import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { type ConnectionLimits, ConnectionTable } from '../connections/connection-table.ts';
import type { HttpListener } from '../connections/http-listener.ts';
import { respondPlainly } from '../connections/plain-connections.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Counters } from '../counters/counters.ts';
import { SECURITY_TEXT_PATH, type SecurityText, sendSecurityText } from '../http/security-text.ts';
import type { ShareGate } from '../sharing/share-gate.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import type { ViewerSessions } from '../sharing/viewer-sessions.ts';
import type { WallGate } from '../sharing/wall-gate.ts';
import type { LiveCamera, LiveCameras } from '../stream/media/live-media.ts';
import type { PublicUrlVisits } from '../system/public-url-visits.ts';
import { REQUEST_MS } from '../uploads/running-uploads.ts';
import { limitBodyTimes } from './body-times.ts';
import { DeviceRoutes } from './device/device-routes.ts';
import { ClipRoutes } from './files/clip-routes.ts';
import { type GroupParts, GroupRoutes } from './files/group-routes.ts';
import { DashRoutes } from './live/dash-routes.ts';
import { PlainLive, type PlainLiveParts } from './live/plain-live.ts';
import { SharedMediaRoutes } from './live/shared-media-routes.ts';
import { ViewerRoutes } from './live/viewer-routes.ts';
import { registerCheckRoutes } from './page/check-routes.ts';
import { LinkRoutes } from './page/link-routes.ts';
import { LinkWaits } from './page/link-waits.ts';
import { registerPageRoutes } from './page/page-routes.ts';
import { type FramingOrigins, PreviewRoutes } from './page/preview-routes.ts';
import { type WallRouteParts, WallRoutes } from './page/wall-routes.ts';
import type { WebAssetsOnDemand } from './page/web-assets.ts';
import { EncodedFiles } from './past/encoded-files.ts';
import { MovieRoutes } from './past/movie-routes.ts';
import { PastBudget } from './past/past-budget.ts';
import { type PastParts, PastRoutes } from './past/past-routes.ts';
import { ThumbnailRoutes } from './past/thumbnail-routes.ts';
import { PictureMessages } from './pictures/picture-message.ts';
import { ReachableCameras } from './reachable-cameras.ts';
import { basePathOf } from './response/base-path.ts';
import { FRONT_DOOR_ERRORS } from './response/errors.ts';
import { MediaResponses } from './response/media-responses.ts';
import { keepRawQuery } from './response/raw-query.ts';
import { COMMON_HEADERS, sendFailure, sendJson } from './response/refusal-response.ts';
import { ShareTraffic } from './response/share-traffic.ts';
import { WaitingRoom } from './response/waiting-reply.ts';
import { collectRoutes, type DeclaredRoute } from './session/access-rule.ts';
import { type DeviceAccessParts, DeviceEntries } from './session/device-entries.ts';
import type { FrontDoorParts } from './session/front-door-parts.ts';
import { OpeningLog } from './session/opening-log.ts';
import { registerReportRoute } from './session/report-route.ts';
import type { HeldStills, Stills } from './session/stills.ts';
import { registerViewerSignIn, type ViewerSignIn } from './session/viewer-sign-in.ts';
import { isSocketUpgrade, registerSocketRoutes, type SocketParts } from './socket-routes.ts';
import { LiveSockets } from './sockets/live-sockets.ts';
import { SoundMessages } from './sounds/sound-message.ts';
import { TalkDesk, type TalkDeskOptions } from './sounds/talk-desk.ts';
import { StillRoutes } from './stills/still-routes.ts';
import { type UploadParts, UploadRoutes } from './uploads/upload-routes.ts';

export interface FrontDoorOptions {
  readonly gate: ShareGate;
  readonly sessions: ViewerSessions;
  readonly cameras: LiveCameras;
  readonly stills: Stills;
  /** Absent: there are none. */
  readonly heldStills?: HeldStills;
  /** Counts the bytes sent to viewers; absent: the counts are not read. */
  readonly traffic?: ShareTraffic;
  readonly counters: Pick<Counters, 'viewerCounts'>;
  readonly assets: WebAssetsOnDemand;
  /** Whether the gateway can do its work; `checks` names the checks. */
  /** What /.well-known/security.txt contains; absent or null: it does not exist. */
  readonly securityText?: SecurityText | null;
  readonly readiness: () => Promise<{ ready: boolean; checks: Readonly<Record<string, string>> }>;
  readonly clock: Clock;
  readonly log: Log;
  /** Base of this listener as viewers reach it. */
  readonly publicMediaUrl: string;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[];
  /** What the server supports in addition to HTTP/1.1; absent: nothing. */
  readonly listener?: HttpListener;
  /** Default: limited only by the process's descriptor limit. */
  readonly connections?: ConnectionLimits;
  readonly maxWaitingRequests?: number;
  /** Called for every viewer that is admitted. */
  readonly onShareOpened?: FrontDoorParts['onShareOpened'];
  /** Recorded video; absent: the past is not served. */
  readonly past?: PastParts;
  /** Access to devices without a share; absent: devices cannot be watched. */
  readonly devices?: DeviceAccessParts;
  readonly onDeviceOpened?: FrontDoorParts['onDeviceOpened'];
  /** Origins whose pages may frame previews; absent: none. */
  readonly previewsFramedBy?: FramingOrigins;
  /** Shared video walls; absent: there are none. */
  readonly walls?: WallGate;
  readonly onWallOpened?: WallRouteParts['onWallOpened'];
  /** Shared groups of files, which `past` reads; absent: there are none. */
  readonly groups?: GroupParts;
  /** Checks of the public URL; absent: there are none. */
  readonly publicUrlVisits?: Pick<PublicUrlVisits, 'visited'>;
  /** Receives the playback reports of viewer pages; absent or null: pages do not report. */
  readonly onViewerReport?: FrontDoorParts['onViewerReport'];
  /** Absent or null: live video is not signed. */
  readonly liveSigner?: FrontDoorParts['liveSigner'];
  /** Absent or null: viewers cannot sign in. */
  readonly viewerSignIn?: ViewerSignIn | null;
  /** Who may talk to cameras, and what is noted of it; absent: this gateway has no way to speakers. */
  readonly talk?: Pick<TalkDeskOptions, 'actorOf' | 'begin'>;
  /** Absent: clips cannot be handed over. */
  readonly uploads?: UploadParts;
}

/** The listener's state for others. Fastify does not check the names of decorations; the compiler checks these. */
interface FrontDoorState {
  /** Every route of the front door with its access rule. */
  readonly declaredRoutes: readonly DeclaredRoute[];
  /** Requests that wait for new video. */
  readonly waitingRoom: WaitingRoom;
  /** Media in transit to viewers. */
  readonly mediaResponses: MediaResponses;
  /** Viewers of access units. */
  readonly pictureSockets: LiveSockets;
  /** Listeners. */
  readonly soundSockets: LiveSockets;
  /** The limits on reads of the past. */
  readonly pastBudget: PastBudget;
}

declare module 'fastify' {
  interface FastifyInstance extends FrontDoorState {
    readonly connectionTable: ConnectionTable;
  }
}

const NO_LINKS = { isLink: () => false };
const NO_HELD_STILLS: HeldStills = { find: () => null };
/** A password plus the JSON around it. */
const MAX_BODY_BYTES = 4_096;
/** Grants are 64 characters; percent-encoding may triple a character. */
const MAX_PARAM_CHARS = 256;
/** A request that is not complete after this time is dropped; only uploads may take longer. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Uploads have limits of their own, which are reached earlier. */
const UPLOAD_TIMEOUT_MS = REQUEST_MS + 60_000;
/** Longer than requests wait for video, and longer than proxies keep a quiet connection to us. */
const QUIET_CONNECTION_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How often Node looks for late requests. */
const LATENESS_CHECK_MS = 5_000;
export const MAX_MEDIA_CONNECTIONS = 50_000;
/**
 * Limit for one address, half of the total: a company behind one address gets its video, but cannot keep others from
 * theirs.
 */
export const DEFAULT_MEDIA_CONNECTIONS: ConnectionLimits = {
  maxConnections: MAX_MEDIA_CONNECTIONS,
  maxPerAddress: MAX_MEDIA_CONNECTIONS / 2,
  maxDescriptor: Number.POSITIVE_INFINITY,
};

const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Range, If-None-Match, X-Auth-Scheme, X-Auth-Apikey, X-Auth-Ft, X-Auth-Access-Token, X-Auth-Org',
  'access-control-max-age': '86400',
} as const;

/** A media listener without routes, and its connections. */
export function createMediaServer({
  trustProxy: trusted = [],
  connections: limits = DEFAULT_MEDIA_CONNECTIONS,
  listener,
  clock,
  log,
}: Pick<FrontDoorOptions, 'trustProxy' | 'connections' | 'listener' | 'clock' | 'log'>): FastifyInstance {
  const app = fastify({
    ...listener?.serverOptions,
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: UPLOAD_TIMEOUT_MS,
    connectionTimeout: QUIET_CONNECTION_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: LATENESS_CHECK_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      // Proxies request upgrades with any request.
      shouldUpgradeCallback: isSocketUpgrade,
    },
    trustProxy: trusted.length === 0 ? false : [...trusted],
    // Fastify's own response has neither Retry-After nor CORS headers.
    return503OnClosing: false,
    ajv: { customOptions: { coerceTypes: false } },
    // Malformed URLs: Fastify's own response would repeat them, and they hold grants.
    frameworkErrors: (thrown, _request, reply) =>
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.BAD_REQUEST, {}, thrown)),
    routerOptions: {
      maxParamLength: MAX_PARAM_CHARS,
      ignoreTrailingSlash: true,
      querystringParser: keepRawQuery,
    },
  });
  const connections = new ConnectionTable({ listener: 'media', limits, trustProxy: trusted, clock, log });
  connections.guard(app.server);
  connections.guardUpgrades(app.server);
  app.decorate('connectionTable', connections);
  return app;
}

/** Answers requests before Node's server and the routes do, if possible. */
export function respondLivePlainly(app: FastifyInstance, parts: Omit<PlainLiveParts, 'keepAliveMs'>): void {
  respondPlainly(app.server, {
    responses: new PlainLive({ ...parts, keepAliveMs: KEEP_ALIVE_TIMEOUT_MS }),
    timeouts: { firstMs: REQUEST_TIMEOUT_MS, quietMs: QUIET_CONNECTION_TIMEOUT_MS },
    onRequest: (connection) => app.connectionTable.note(connection),
  });
}

/** Registers the routes without listening. Closing sends 503 to all waiting requests. */
export function buildFrontDoor(options: FrontDoorOptions): FastifyInstance {
  const { clock, log } = options;
  const app = createMediaServer(options);
  const room = new WaitingRoom(clock, options.maxWaitingRequests);
  const responses = new MediaResponses(clock, log);
  const { sessions, traffic = new ShareTraffic() } = options;
  const cameras = new ReachableCameras(options.cameras, options.clock);
  const onSent = (session: ViewerSession, bytes: number) => traffic.count(session, bytes, sessions);
  const common = { sessions, cameras, clock, onSent };
  const pictureSockets = new LiveSockets({
    ...common,
    limit: LIMITS.pictureSockets,
    interestOf: ({ audience }) => audience,
  });
  const soundSockets = new LiveSockets({
    ...common,
    limit: LIMITS.soundSockets,
    interestOf: () => 'units',
  });
  const state: FrontDoorState = {
    declaredRoutes: collectRoutes(app),
    waitingRoom: room,
    mediaResponses: responses,
    pictureSockets,
    soundSockets,
    pastBudget: new PastBudget(),
  };
  for (const [name, part] of Object.entries(state)) app.decorate(name, part);
  app.addHook('preClose', async () => {
    room.dismiss();
    pictureSockets.dismiss();
    soundSockets.dismiss();
  });
  refuseWhenClosed(app, room);
  limitBodyTimes(app, clock, REQUEST_TIMEOUT_MS);
  addBodyParser(app);
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PATH_NOT_FOUND)),
  );
  addFailureResponses(app, options.log);
  const messages = { pictureMessages: new PictureMessages(), soundMessages: new SoundMessages() };
  const { talk } = options;
  const talkDesk = new TalkDesk({
    actorOf: talk?.actorOf ?? (() => null),
    // The speaker is the camera's, also where viewers see it with masks.
    speakerOf: ({ deviceUuid }) => (talk === undefined ? null : (cameras.get(deviceUuid)?.speaker ?? null)),
    begin: talk?.begin ?? (async () => 'capability-unavailable'),
    clock,
    log,
  });
  const sockets = { pictureSockets, soundSockets, talkDesk, ...messages };
  addRoutes(app, { ...options, cameras }, { room, responses, traffic }, sockets);
  return app;
}

function addRoutes(
  app: FastifyInstance,
  options: FrontDoorOptions,
  own: Pick<FrontDoorParts, 'room' | 'responses' | 'traffic'>,
  sockets: SocketParts,
): void {
  const basePath = basePathOf(options.publicMediaUrl);
  const { gate, sessions, cameras, stills, counters, clock, log, walls } = options;
  const { onShareOpened = () => undefined, onDeviceOpened = () => undefined } = options;
  const {
    heldStills = NO_HELD_STILLS,
    viewerSignIn = null,
    onViewerReport = null,
    liveSigner = null,
  } = options;
  const parts = {
    ...own,
    gate,
    sessions,
    cameras,
    stills,
    heldStills,
    counters,
    clock,
    log,
    basePath,
    onShareOpened,
    onDeviceOpened,
    viewerSignIn,
    onViewerReport,
    liveSigner,
    carriesTalk: options.talk !== undefined,
  };
  respondLivePlainly(app, {
    ...own,
    sessions,
    clock,
    playable: (session) => {
      const camera = cameras.get(session.cameraUuid);
      return camera !== undefined && canPlay(camera, session) ? camera : null;
    },
  });
  const viewerRoutes = new ViewerRoutes(parts);
  viewerRoutes.register(app);
  new SharedMediaRoutes(parts).register(app);
  if (onViewerReport !== null) registerReportRoute(app, sessions, onViewerReport);
  const openingLog = new OpeningLog(clock, log);
  const dashRoutes = new DashRoutes(parts);
  dashRoutes.register(app);
  new LinkRoutes(parts, viewerRoutes, dashRoutes, openingLog).register(app);
  const waitPlaces = new Pool(LIMITS.linkWaits);
  new LinkWaits(gate, clock, waitPlaces).register(app, '/share/:token/wait');
  if (viewerSignIn !== null) registerViewerSignIn(app, parts, viewerSignIn);
  const stillRoutes = new StillRoutes(parts);
  stillRoutes.register(app);
  const pastRoutes = options.past === undefined ? null : new PastRoutes(parts, options.past, app.pastBudget);
  pastRoutes?.register(app);
  const { past } = options;
  const budget = app.pastBudget;
  if (past !== undefined && past.thumbnails !== null) {
    new ThumbnailRoutes(parts, { ...past, thumbnails: past.thumbnails }, budget).register(app);
  }
  const encoded = new EncodedFiles(past?.encodeFile ?? null, parts.responses);
  const movieRoutes = past === undefined ? null : new MovieRoutes(parts, { ...past, encoded, budget });
  movieRoutes?.register(app);
  const entries =
    options.devices === undefined ? null : new DeviceEntries(parts, options.devices, openingLog);
  if (entries !== null) {
    new DeviceRoutes(parts, entries, stillRoutes, pastRoutes).register(app);
    if (past !== undefined && movieRoutes !== null && pastRoutes !== null) {
      const routes = { movies: movieRoutes, past: pastRoutes };
      new ClipRoutes(parts, entries, { ...past, encoded, budget }, routes).register(app);
    }
  }
  if (options.devices !== undefined) {
    new PreviewRoutes(parts, options.assets, options.previewsFramedBy ?? (() => [])).register(app);
  }
  registerSocketRoutes(app, parts, sockets, entries);
  if (walls !== undefined) {
    const { onWallOpened = () => undefined } = options;
    new WallRoutes(parts, { gate: walls, openingLog, onWallOpened }).register(app);
    new LinkWaits(walls, clock, waitPlaces).register(app, '/wall/:token/wait');
  }
  if (options.uploads !== undefined) {
    new UploadRoutes({ ...options.uploads, basePath, clock, log, openingLog }).register(app);
  }
  const { groups } = options;
  if (groups !== undefined && past !== undefined) {
    new GroupRoutes(parts, { ...groups, openingLog, media: past.media, encoded, budget }).register(app);
  }
  registerPageRoutes(app, options.assets, {
    shares: gate,
    walls: walls ?? NO_LINKS,
    groups: groups?.gate ?? NO_LINKS,
  });
  if (options.publicUrlVisits !== undefined) {
    registerCheckRoutes(app, options.assets, options.publicUrlVisits);
  }
  const config = { access: 'public' } as const;
  app.options('/*', { config }, (_request, reply) => {
    reply.code(204).headers(PREFLIGHT_HEADERS).send();
  });
  app.get(SECURITY_TEXT_PATH, { config }, async (_request, reply) => {
    if (sendSecurityText(reply, options.securityText ?? null, clock.epochMs())) return reply;
    throw new GatewayError(FRONT_DOOR_ERRORS.PATH_NOT_FOUND);
  });
  app.get('/healthz', { config }, (_request, reply) => sendJson(reply, 200, { status: 'ok' }));
  app.get('/readyz', { config }, async (_request, reply) => {
    const readiness = await options.readiness();
    sendJson(reply, readiness.ready ? 200 : 503, readiness);
    return reply;
  });
}

function canPlay(camera: LiveCamera, { audience }: ViewerSession): boolean {
  return camera.status().state !== 'offline' && (audience === 'sound' || camera.hasPicture() !== false);
}

/** Connections that were open when the gateway began to stop may still send requests. */
export function refuseWhenClosed(app: FastifyInstance, room: WaitingRoom): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (room.isClosed) sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
    else done();
  });
}

/** An empty body is `{}`, whatever its type. */
function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)));
    } catch (error) {
      done(new GatewayError(FRONT_DOOR_ERRORS.BAD_REQUEST, {}, error));
    }
  });
}

/** Paths hold grants and tokens: the log gets the route's pattern, never the URL. */
export function addFailureResponses(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const error = clientFault(thrown) ?? toGatewayError(thrown);
    const fields = { route: request.routeOptions.url, method: request.method, err: error };
    if (error.kind === 'internal') log.error(fields, 'request failed');
    else log.debug(fields, 'request refused');
    sendFailure(reply, error);
  });
}

/** Requests that Fastify itself rejects: bodies too large, wrong fields, broken percent escapes. */
function clientFault(thrown: FastifyError): GatewayError | null {
  const { statusCode } = thrown;
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  return new GatewayError(FRONT_DOOR_ERRORS.BAD_REQUEST, {}, thrown);
}
