/**
 * What RTSP clients may watch: the same links and grants, and the same decision, as with HTTP (docs/design/rtsp-out.md). A link is
 * opened with its password in HTTP Basic; the grant that results belongs to the connection.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { Pool } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import { RECORDED_RENDITION } from '../../recording/recorded-cameras.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import type { RtspRequest } from '../../rtsp/message.ts';
import type { ReplayOrder, ServerRefusal } from '../../rtsp/server/server-session.ts';
import type { ShareGate } from '../../sharing/share-gate.ts';
import { SHARE_TOKEN_CHARS } from '../../sharing/share-token.ts';
import type { ShareView } from '../../sharing/share-view.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { shareUrgency } from '../../sharing/viewing-urgency.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { LiveCamera } from '../../stream/media/live-media.ts';
import type { LiveUnits } from '../../stream/source/unit-feed.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { offlineError } from '../response/refusal-response.ts';
import { viewerHolders } from '../response/viewer-holders.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { OpeningLog } from '../session/opening-log.ts';
import { RecordedUnits } from './recorded-units.ts';
import type { RtspCarrier } from './rtsp-carrier.ts';
import { RtspFeed } from './rtsp-feed.ts';
import { refusalOfAccess, refusalOfFailure, refusalOfOpening, refusalOfPast } from './rtsp-refusal.ts';
import type { ReplayPast, RtspReplay } from './rtsp-replay.ts';
import { type RtspCounts, RtspView, type ViewEnd } from './rtsp-view.ts';

/** A camera as RTSP clients see it. */
export interface RtspCamera extends Pick<LiveCamera, 'touch' | 'status' | 'isCutOff'> {
  /** null: the camera has no such stream. */
  unitsOf(profile: 'main' | 'sub'): LiveUnits | null;
}

export interface RtspCameras {
  get(cameraUuid: Ruuid): RtspCamera | undefined;
}

export interface RtspDeskOptions {
  readonly gate: Pick<ShareGate, 'open'>;
  readonly sessions: Pick<ViewerSessions, 'access' | 'isWatched' | 'nameOf'>;
  readonly cameras: RtspCameras;
  readonly traffic: Pick<FrontDoorParts['traffic'], 'count'>;
  readonly onShareOpened: FrontDoorParts['onShareOpened'];
  readonly openingLog: Pick<OpeningLog, 'refused'>;
  readonly clock: Clock;
  /** Absent or null: recordings are not served. */
  readonly past?: ReplayPast | null;
  /** Default: as many as the registry has; fewer if the process can have only few files. */
  readonly maxViewers?: number;
}

/** As for a request over HTTP for a camera that has yet to be opened. */
export const COLD_WAIT_MS = 25_000;
/** A replay without an end is of a time from which something has to be shown in that time. */
const REPLAY_LOOK_MS = 86_400_000;
/** Why a camera has no live video while its recordings may be there. */
const ABSENCES: ReadonlySet<string> = new Set([
  STREAM_ERRORS.STREAM_OFFLINE.code,
  FRONT_DOOR_ERRORS.CAMERA_SLOW_START.code,
]);
const ROUTE = 'rtsp /live/:grant';
const PATH = /^\/live\/([\w-]{1,256})(\/sub)?$/;
const BASIC = /^Basic +([A-Za-z0-9+/_-]{1,1024}={0,2})$/i;
/** For a device, which was opened without a link. */
const NO_NAME = 'Live video';

/** The requested stream, as far as the viewer may have it. */
interface Watched {
  readonly session: ViewerSession;
  readonly camera: RtspCamera;
  readonly units: LiveUnits;
}

export class RtspDesk {
  readonly counts: RtspCounts = { sentFrames: 0, droppedFrames: 0 };
  readonly #options: RtspDeskOptions;
  readonly #places: Pool<typeof LIMITS.rtspViewers>;
  readonly #queues = new Pool(LIMITS.rtspQueues);
  readonly #feeds = new Map<LiveUnits, RtspFeed>();
  readonly #views = new Set<RtspView>();
  /** Views of the past alone, and why. */
  readonly #withoutLive = new WeakMap<RtspView, GatewayError>();
  #isClosed = false;

  constructor(options: RtspDeskOptions) {
    this.#options = options;
    this.#places = new Pool(LIMITS.rtspViewers, options.maxViewers);
  }

  get views(): number {
    return this.#views.size;
  }

  /** A view of the presentation at `path`, with its tracks known. Never rejects. */
  async open(
    path: string,
    request: RtspRequest,
    carrier: RtspCarrier,
    onEnd: (why: ViewEnd) => void,
  ): Promise<RtspView | ServerRefusal> {
    try {
      if (this.#isClosed) throw new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN);
      const [, token, sub] = PATH.exec(path) ?? [];
      if (token === undefined) return refusalOfFailure(new GatewayError(FRONT_DOOR_ERRORS.RTSP_PATH_UNKNOWN));
      const grantText = await this.#grantOf(token, request, carrier.address);
      if (typeof grantText !== 'string') return grantText;
      const watched = this.#find(grantText, sub === undefined ? 'main' : 'sub', request, carrier);
      if ('statusCode' in watched) return watched;
      return await this.#beginAny(watched, carrier, onEnd);
    } catch (thrown) {
      return refusalOfFailure(toGatewayError(thrown));
    }
  }

  /** Why the view has no live video; null: it has. */
  liveRefusal(view: RtspView): ServerRefusal | null {
    const absence = this.#withoutLive.get(view);
    return absence === undefined ? null : refusalOfFailure(absence);
  }

  /**
   * A replay of the camera's recording. The refusal: why the viewer cannot have it. Recordings have no masks, and here nothing burns them in.
   */
  replay(view: RtspView, order: ReplayOrder): RtspReplay | ServerRefusal {
    const { past = null, clock } = this.#options;
    const { session } = view;
    if (past === null || session.cameraUuid !== session.deviceUuid) {
      return refusalOfFailure(new GatewayError(FRONT_DOOR_ERRORS.RTSP_PAST_ABSENT));
    }
    const toMs = Math.min(order.toMs ?? order.fromMs + REPLAY_LOOK_MS, clock.epochMs());
    const spans = past.access.spans(session, order.fromMs, Math.max(toMs, order.fromMs + 1)) ?? [];
    if (spans.length === 0) return refusalOfPast(clock.epochMs());
    try {
      return view.openReplay(past, order, recordedStream(session));
    } catch (thrown) {
      return refusalOfFailure(toGatewayError(thrown));
    }
  }

  /**
   * Does for each view what requests do for other viewers: decides the access again, marks the viewer as present, and keeps the camera
   * open. Call every second.
   */
  look(): void {
    const { sessions, cameras } = this.#options;
    for (const view of this.#views) {
      const { session } = view;
      if (view.look()) session.noteFetch();
      if (view.isOver) continue;
      try {
        const access = sessions.access(session.grantText);
        if (!access.allowed) view.onCutOff(access);
        else if (cameras.get(session.cameraUuid)?.isCutOff === true) {
          view.onGone(new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH));
        }
      } catch {
        // What cannot be decided is not allowed.
        view.onCutOff({ allowed: false, reason: 'unknown', untilEpochMs: null });
      }
    }
  }

  /** The gateway is stopping: ends all views, and begins no more. */
  dismiss(): void {
    this.#isClosed = true;
    for (const view of [...this.#views]) view.goAway();
  }

  /** The grant of a link, which is opened now, or the grant that the path names. Rejects like the gate. */
  async #grantOf(token: string, request: RtspRequest, address: string): Promise<string | ServerRefusal> {
    if (token.length !== SHARE_TOKEN_CHARS) return token;
    const { gate, cameras, clock, onShareOpened, openingLog } = this.#options;
    const password = passwordOf(request);
    const onNear = ({ share }: ShareView): void =>
      cameras.get(share.cameraUuid)?.touch('units', shareUrgency(share));
    const opened = await gate.open({ shareToken: token, password, address, onNear });
    if (opened.allowed) {
      const userAgent = request.headers.get('User-Agent');
      onShareOpened(opened.view.stored, { email: opened.viewerEmail, address, userAgent });
      return opened.grantText;
    }
    openingLog.refused(ROUTE, opened);
    return refusalOfOpening(opened, clock.epochMs());
  }

  /** Opens the camera. Fails if it cannot be served now. */
  #find(
    grantText: string,
    profile: 'main' | 'sub',
    { headers }: RtspRequest,
    { address }: RtspCarrier,
  ): Watched | ServerRefusal {
    const { sessions, cameras, clock } = this.#options;
    const userAgent = headers.get('User-Agent') ?? undefined;
    const session = sessions.access(grantText, { ip: address, headers: { 'user-agent': userAgent } });
    if (!session.allowed) return refusalOfAccess(session, clock.epochMs());
    const camera = cameras.get(session.cameraUuid);
    if (camera === undefined) throw new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT);
    if (camera.isCutOff) throw new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH, { retryAfterSec: 1 });
    const units = camera.unitsOf(profile);
    if (units === null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
    session.noteLive('rtsp', profile);
    return { session, camera, units };
  }

  /** The camera's live video, or, while it is offline, the past alone if the viewer may see that. Fails if there is neither. */
  async #beginAny(
    watched: Watched,
    carrier: RtspCarrier,
    onEnd: (why: ViewEnd) => void,
  ): Promise<RtspView | ServerRefusal> {
    let absence = this.#offline(watched);
    try {
      if (absence === null) return await this.#begin(watched, carrier, onEnd);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || !ABSENCES.has(thrown.code)) throw thrown;
      absence = thrown;
    }
    const units = await this.#recorded(watched.session);
    if (units === null) throw absence;
    const view = await this.#begin({ ...watched, units }, carrier, onEnd);
    if (view instanceof RtspView) this.#withoutLive.set(view, absence);
    return view;
  }

  #offline({ camera }: Watched): GatewayError | null {
    const state = camera.status();
    return state.state === 'offline' ? offlineError(state, this.#options.clock.epochMs()) : null;
  }

  /** null: there is none, or the viewer may not see it. */
  async #recorded(session: ViewerSession): Promise<RecordedUnits | null> {
    const { past = null, clock } = this.#options;
    const nowMs = clock.epochMs();
    if (past === null || session.cameraUuid !== session.deviceUuid) return null;
    if (past.access.spans(session, nowMs - 1, nowMs) === null) return null;
    const leave = past.budget.enter(session);
    try {
      return await RecordedUnits.newest(past.media, recordedStream(session), nowMs);
    } finally {
      leave();
    }
  }

  /** Resolves once the tracks are known. */
  async #begin(
    { session, camera, units }: Watched,
    carrier: RtspCarrier,
    onEnd: (why: ViewEnd) => void,
  ): Promise<RtspView | ServerRefusal> {
    const { clock, traffic, sessions } = this.#options;
    const holders = viewerHolders(session);
    const place = this.#places.take({ ...holders, address: subscriberOf(carrier.address) });
    if (!place.isTaken) {
      throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_RTSP_VIEWERS, { boundOf: place.level });
    }
    camera.touch('units', session.urgency);
    let isBegun = false;
    const view = new RtspView({
      session,
      feed: this.#feedOf(units),
      carrier,
      clock,
      counts: this.counts,
      queues: this.#queues,
      name: sessions.nameOf(session) ?? NO_NAME,
      queueHolders: { organization: holders.organization, link: holders.link },
      onSent: (viewer, bytes) => traffic.count(viewer, bytes, sessions),
      onEnd: (ended, why) => {
        this.#views.delete(ended);
        place.giveBack();
        if (isBegun) onEnd(why);
      },
    });
    this.#views.add(view);
    const timer = clock.after(COLD_WAIT_MS, () => view.leave());
    const tracks = await view.begin();
    timer.cancel();
    if (tracks === null || view.isOver) {
      const access = sessions.access(session.grantText);
      if (!access.allowed) return refusalOfAccess(access, clock.epochMs());
      throw (
        this.#offline({ session, camera, units }) ?? new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START)
      );
    }
    isBegun = true;
    if (tracks.length > 0) return view;
    view.leave();
    throw new GatewayError(STREAM_ERRORS.STREAM_SOUND_ONLY);
  }

  #feedOf(units: LiveUnits): RtspFeed {
    const known = this.#feeds.get(units);
    if (known !== undefined) return known;
    const feed: RtspFeed = new RtspFeed(units, this.#options.clock, () => {
      if (this.#feeds.get(units) === feed) this.#feeds.delete(units);
    });
    this.#feeds.set(units, feed);
    return feed;
  }
}

function recordedStream({ cameraUuid, profile }: ViewerSession): RecordedStream {
  return { cameraUuid, rendition: profile === 'sub' ? 'sub' : RECORDED_RENDITION };
}

/** The password from HTTP Basic (RFC 7617; any user name); null if there is none. */
function passwordOf({ headers }: RtspRequest): string | null {
  const basic = BASIC.exec(headers.get('Authorization')?.trim() ?? '')?.[1];
  if (basic === undefined) return null;
  const userAndPassword = Buffer.from(basic, 'base64').toString('utf8');
  const colon = userAndPassword.indexOf(':');
  const password = colon < 0 ? '' : userAndPassword.slice(colon + 1);
  return password === '' ? null : password;
}
