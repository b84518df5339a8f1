/**
 * The past of a camera for viewers with a grant: playlists and manifests of any range, and their media
 * (docs/design/playback.md). `/live/<grant>/vod/<start>/<duration>/`, in epoch seconds and seconds.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClipLibrary } from '../../clips/clip-library.ts';
import { GatewayError } from '../../core/errors.ts';
import { MANIFEST_NAME } from '../../dash/media-names.ts';
import {
  SCRIPT_FOLDER,
  SCRIPT_MANIFEST_PATH,
  scriptManifest,
  scriptPath,
} from '../../dash/script-manifest.ts';
import type { AlertTimes } from '../../events/alert-times.ts';
import type { MediaExtension } from '../../hls/media-names.ts';
import {
  H264_FOLDER,
  KEY_FRAMES_FOLDER,
  KEY_FRAMES_NAME,
  type PastContent,
  parsePastName,
  SUB_FOLDER,
  TRACK_FOLDERS,
  withoutAudio,
} from '../../playback/past-names.ts';
import type { PastPlayback } from '../../playback/past-playback.ts';
import { type PastSound, parsePastSoundName } from '../../playback/past-sound.ts';
import { isWithin, type PastTimeline, type TimeSpan } from '../../playback/past-timeline.ts';
import type { RangeMovies } from '../../playback/range-movies.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { LentBytes } from '../../playback/recording-reads.ts';
import type { ThumbnailSheets } from '../../playback/thumbnail-sheets.ts';
import type { PastAccess } from '../../sharing/past-access.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import {
  AUDIO,
  MANIFEST,
  MEDIA,
  type MediaKind,
  PLAYLIST,
  sendBytes,
  sendMedia,
  sentBytes,
} from '../response/media-response.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendJson } from '../response/refusal-response.ts';
import { bareQueryOf, type VariantQuery, variantQueryOf, videoQuery } from '../response/requested-video.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import type { EncodeFile } from './encoded-files.ts';
import { type PastBudget, pastMedia } from './past-budget.ts';
import {
  type AllowedPast,
  type PastRequestParts,
  type RangeTexts,
  type ReadyPast,
  respondPast,
} from './past-request.ts';

/** The dependencies of the past's routes; without them, there are none. */
export interface PastParts {
  readonly playback: PastPlayback;
  readonly access: PastAccess;
  readonly movies: RangeMovies;
  readonly sound: PastSound;
  /** Makes files for every device, and with masks; null: this gateway has no encoder. */
  readonly encodeFile: EncodeFile | null;
  readonly library: ClipLibrary;
  readonly alertTimes: AlertTimes;
  readonly media: PastMedia;
  /** null: recordings get none. */
  readonly thumbnails: ThumbnailSheets | null;
  /** As ClipParts. Default null. */
  readonly internalFiles?: string | null;
}

/** A holder of the grant. */
export interface PastReceiver {
  readonly grantText: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface RangeParams extends GrantParams, RangeTexts {}

interface NameParams extends RangeParams {
  readonly name: string;
}

const FOLDER = '/live/:grant/vod/:start/:duration';
/** Of recorded sound that is read for a piece: some segments of PCM as FLAC. */
const SOUND_PIECE_BYTES = 2 * 1_048_576;
const SOUND_PIECE: MediaKind = { type: 'application/octet-stream', cacheControl: 'no-store' };
/** When there is something to see in the range, as the page's timeline shows it. */
const WINDOWS_NAME = 'windows.json';
/** In which hours there is something to see, for a list of days. */
const HOURS_PATH = '/live/:grant/vod/hours.json';
const BY_GRANT = { config: { access: 'grant' } } as const;
/** `file.m3u8` lists `.m4v`, `stream.m3u8` the same media as `.mp4` (src/hls/media-names.ts). */
const PLAYLISTS = [
  { name: 'file.m3u8', extension: 'm4v' },
  { name: 'stream.m3u8', extension: 'mp4' },
] as const;

/** What playlists of HLS list. */
const HLS_CONTENT: ReadonlySet<PastContent> = new Set(['recorded', 'h264', 'key-frames']);
/** The variants of a range. */
const MULTIVARIANT_NAME = 'index.m3u8';
const STREAMS = ['main', 'sub'] as const;
type PastStream = (typeof STREAMS)[number];

interface WantedMedia {
  readonly stream: PastStream;
  readonly wanted: PastContent;
  /** As `joinedSegment`. */
  readonly isJoined: boolean;
}

/** What is in the folder of each stream. */
const TRACK_STREAMS = [
  ['video', 'main'],
  ['audio', 'audio'],
  ['h264-video', 'h264'],
] as const;

export class PastRoutes {
  readonly #parts: FrontDoorParts;
  readonly #past: PastParts;
  readonly #replies: ViewerReplies;
  readonly #budget: PastBudget;

  constructor(parts: FrontDoorParts, past: PastParts, budget: PastBudget) {
    this.#parts = parts;
    this.#past = past;
    this.#budget = budget;
    this.#replies = new ViewerReplies(parts);
  }

  register(app: FastifyInstance): void {
    app.get<{ Params: RangeParams }>(`${FOLDER}/${MULTIVARIANT_NAME}`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) => {
        return this.#multivariant(allowed, variantQueryOf(rawQuery(request)), '');
      }),
    );
    for (const stream of STREAMS) {
      const folder = `${FOLDER}${stream === 'sub' ? `/${SUB_FOLDER}` : ''}`;
      this.#registerPlaylists(app, folder, stream);
      this.#registerMedia(app, folder, stream);
    }
    app.get<{ Params: RangeParams }>(`${FOLDER}/${MANIFEST_NAME}`, BY_GRANT, (request, reply) =>
      this.sendManifest(request.params.grant, request, reply, null),
    );
    app.get<{ Params: RangeParams }>(`${FOLDER}/${SCRIPT_MANIFEST_PATH}`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, async (allowed) => {
        const text = scriptManifest(await this.#manifestText(allowed, wantsH264(request), null, false));
        return this.#textSender(allowed.session, text, MANIFEST);
      }),
    );
    app.get<{ Params: RangeParams }>(`${FOLDER}/${KEY_FRAMES_NAME}`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) => this.#keyFrames(allowed)),
    );
    app.get<{ Params: NameParams }>(`${FOLDER}/${KEY_FRAMES_FOLDER}/:name`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) =>
        this.#media(allowed, request, request.params.name, {
          stream: 'main',
          wanted: 'key-frames',
          isJoined: false,
        }),
      ),
    );
    app.get<{ Params: RangeParams }>(`${FOLDER}/${WINDOWS_NAME}`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) => this.#windows(allowed)),
    );
    app.get<{ Params: GrantParams }>(HOURS_PATH, BY_GRANT, (request, reply) => {
      const listed = () => this.#past.playback.listedTime();
      const make = (allowed: AllowedPast) => this.#hours(allowed);
      void respondPast(this.#of, request.params.grant, listed, request, reply, make);
    });
  }

  #registerPlaylists(app: FastifyInstance, folder: string, stream: PastStream): void {
    for (const { name, extension } of PLAYLISTS) {
      app.get<{ Params: RangeParams }>(`${folder}/${name}`, BY_GRANT, (request, reply) =>
        this.#respond(request, reply, async (allowed) => {
          return wantsH264(request)
            ? this.#playlist(allowed, stream, extension, 'h264', `${H264_FOLDER}/`)
            : this.#playlist(allowed, stream, extension, 'recorded', '');
        }),
      );
      app.get<{ Params: RangeParams }>(`${folder}/${H264_FOLDER}/${name}`, BY_GRANT, (request, reply) =>
        this.#respond(request, reply, (allowed) => this.#playlist(allowed, stream, extension, 'h264', '')),
      );
    }
  }

  #registerMedia(app: FastifyInstance, folder: string, stream: PastStream): void {
    const add = (path: string, wanted: PastContent): void => {
      app.get<{ Params: NameParams }>(`${path}/:name`, BY_GRANT, (request, reply) =>
        this.#respond(request, reply, (allowed) =>
          this.#media(allowed, request, request.params.name, { stream, wanted, isJoined: false }),
        ),
      );
    };
    add(folder, 'recorded');
    add(`${folder}/${H264_FOLDER}`, 'h264');
    for (const [track, id] of TRACK_STREAMS) {
      if (stream === 'sub' && track === 'audio') continue;
      add(`${folder}/${TRACK_FOLDERS[track]}`, track);
      if (stream === 'main') add(`${folder}/${SCRIPT_FOLDER}${scriptPath(id)}`, track);
      else add(`${FOLDER}/${SCRIPT_FOLDER}/${SUB_FOLDER}/${TRACK_FOLDERS[track]}`, track);
    }
  }

  /** The manifest, with `baseUrl` as the folder of its files; null: its own. */
  sendManifest(
    grantText: string,
    request: FastifyRequest<{ Params: RangeTexts }>,
    reply: FastifyReply,
    baseUrl: string | null,
  ): void {
    this.sendManifestOf(request.params, { grantText, request, reply }, baseUrl);
  }

  /** The same for a range that the path does not name. */
  sendManifestOf(range: RangeTexts, to: PastReceiver, baseUrl: string | null): void {
    this.#respondRange(range, to, async (allowed) => this.#manifest(allowed, wantsH264(to.request), baseUrl));
  }

  /** A Multivariant Playlist that leads to playlists in `folder`: one, unless the query chooses. */
  sendMultivariant(
    grantText: string,
    request: FastifyRequest<{ Params: RangeTexts }>,
    reply: FastifyReply,
    folder: string,
  ): void {
    const make = (allowed: AllowedPast) =>
      this.#multivariant(allowed, bareQueryOf(rawQuery(request)), folder);
    this.#respond(request, reply, async (allowed) => make(allowed), grantText);
  }

  /**
   * An init segment or segment with all that its viewer may hear, for programs that join them into a file
   * (PastPlayback.joinedSegment).
   */
  sendJoinedMedia(
    grantText: string,
    request: FastifyRequest<{ Params: RangeTexts }>,
    reply: FastifyReply,
    name: string,
  ): void {
    this.sendJoinedMediaOf(request.params, { grantText, request, reply }, name);
  }

  /** The same for a range that the path does not name. */
  sendJoinedMediaOf(range: RangeTexts, to: PastReceiver, name: string): void {
    this.#respondRange(range, to, (allowed) =>
      this.#media(allowed, to.request, name, { stream: 'main', wanted: 'recorded', isJoined: true }),
    );
  }

  #respond(
    request: FastifyRequest<{ Params: RangeTexts & Partial<GrantParams> }>,
    reply: FastifyReply,
    make: (allowed: AllowedPast) => Promise<ReadyPast>,
    grantText = request.params.grant!,
  ): void {
    this.#respondRange(request.params, { grantText, request, reply }, make);
  }

  #respondRange(
    range: RangeTexts,
    { grantText, request, reply }: PastReceiver,
    make: (allowed: AllowedPast) => Promise<ReadyPast>,
  ): void {
    void respondPast(this.#of, grantText, range, request, reply, make);
  }

  get #of(): PastRequestParts {
    return { parts: this.#parts, access: this.#past.access, budget: this.#budget };
  }

  async #multivariant(
    allowed: AllowedPast,
    { video, maxHeightPx }: VariantQuery,
    folder: string,
  ): Promise<ReadyPast> {
    const { session, spans } = allowed;
    session.notePast('hls');
    const variants = { hasAudio: session.includeAudio, video, maxHeightPx, folder };
    const text = await this.#past.playback.multivariant(await this.#timelineOf(allowed), spans, variants);
    return this.#textSender(session, text, PLAYLIST);
  }

  async #playlist(
    allowed: AllowedPast,
    stream: PastStream,
    extension: MediaExtension,
    wanted: PastContent,
    folder: string,
  ): Promise<ReadyPast> {
    allowed.session.notePast('hls');
    const timeline = await this.#timelineOf(allowed, stream);
    const content = allowed.session.includeAudio ? wanted : withoutAudio(wanted);
    const text = await this.#past.playback.playlist(timeline, allowed.spans, extension, content, folder);
    return this.#textSender(allowed.session, text, PLAYLIST);
  }

  /** What was recorded without masks is not shown with them. */
  async #keyFrames(allowed: AllowedPast): Promise<ReadyPast> {
    const { playback } = this.#past;
    if (playback.cameraOf(allowed.session.cameraUuid).masks !== null) throw notFound();
    return this.#playlist(allowed, 'main', 'mp4', 'key-frames', `${KEY_FRAMES_FOLDER}/`);
  }

  /** What a video recorder has is shown, too, and pulled only when it plays. */
  async #windows({ session, range, spans }: AllowedPast): Promise<ReadyPast> {
    const { playback } = this.#past;
    const own = await playback.windows(await playback.timeline(session.cameraUuid, range), spans);
    const others = session.shareUuid === null ? await playback.onRecorder(session.cameraUuid, range) : [];
    const windows = others.length === 0 ? own : joinedWindows([...own, ...others]);
    const body = { windows, serverTimeMs: this.#parts.clock.epochMs() };
    return { send: (reply) => sendJson(reply, 200, body), discard: () => undefined };
  }

  async #hours({ session, spans }: AllowedPast): Promise<ReadyPast> {
    const runs = await this.#past.playback.hours(session.cameraUuid, spans);
    const hours = runs.map(({ hour, count }) => [hour, count]);
    const body = { hours, serverTimeMs: this.#parts.clock.epochMs() };
    return { send: (reply) => sendJson(reply, 200, body), discard: () => undefined };
  }

  async #manifest(allowed: AllowedPast, isH264: boolean, baseUrl: string | null): Promise<ReadyPast> {
    return this.#textSender(allowed.session, await this.#manifestText(allowed, isH264, baseUrl), MANIFEST);
  }

  /** Scripts take the images of a manifest for video. */
  async #manifestText(
    allowed: AllowedPast,
    isH264: boolean,
    baseUrl: string | null,
    mayHaveThumbnails = true,
  ): Promise<string> {
    const { session, spans } = allowed;
    session.notePast('dash');
    const timeline = await this.#timelineOf(allowed);
    const content = { hasAudio: session.includeAudio, isH264, mayHaveThumbnails };
    return this.#past.playback.manifest(timeline, spans, content, baseUrl);
  }

  async #media(
    allowed: AllowedPast,
    request: FastifyRequest,
    name: string,
    { stream, wanted, isJoined }: WantedMedia,
  ): Promise<ReadyPast> {
    const { session } = allowed;
    const piece = stream === 'main' && wanted === 'recorded' ? parsePastSoundName(name) : null;
    if (piece !== null) return this.#soundPiece(allowed, piece);
    const parsed = parsePastName(name);
    const timeline = parsed === null ? null : await this.#timelineOf(allowed, stream);
    if (parsed === null || timeline === null || (wanted === 'audio' && !session.includeAudio))
      throw notFound();
    // A share without audio shows the video alone.
    const content = session.includeAudio ? wanted : withoutAudio(wanted);
    const kind = content === 'audio' ? AUDIO : MEDIA;
    if (parsed.kind === 'init') return this.#init(timeline, parsed.run, content, allowed, request, kind);
    const segment = timeline.segment(parsed.number);
    if (segment === null || !isWithin(segment, allowed.spans)) throw notFound();
    session.noteFetch();
    this.#past.playback.watched(timeline, segment, session);
    session.notePast(HLS_CONTENT.has(wanted) ? 'hls' : 'dash');
    const { playback } = this.#past;
    const next = timeline.segment(parsed.number + 1);
    if (next !== null && isWithin(next, allowed.spans)) void playback.prepare(next, wanted);
    const read = () =>
      isJoined ? playback.joinedSegment(timeline, segment, content) : playback.segment(segment, content);
    return this.#segment(segment.media.byteLength, read, session, kind);
  }

  /** Its bytes are few; what is read for them counts while it is read. */
  async #soundPiece(allowed: AllowedPast, number: number): Promise<ReadyPast> {
    const { session, spans } = allowed;
    if (!session.includeAudio) throw notFound();
    const timeline = await this.#timelineOf(allowed);
    session.noteFetch();
    session.notePast('dash');
    const giveBack = this.#budget.take(session, SOUND_PIECE_BYTES);
    try {
      const piece = await this.#past.sound.piece(timeline, spans, number);
      if (piece === null) throw notFound();
      return {
        send: (reply) => {
          if (!this.#replies.begin(reply, session, null, piece.length)) return;
          sendBytes(reply, SOUND_PIECE, piece);
          this.#replies.count(session, sentBytes(reply, piece.length));
        },
        discard: () => undefined,
      };
    } finally {
      giveBack();
    }
  }

  async #init(
    timeline: PastTimeline,
    runNumber: number,
    content: PastContent,
    { session, spans }: AllowedPast,
    request: FastifyRequest,
    kind: MediaKind,
  ): Promise<ReadyPast> {
    const run = timeline.run(runNumber);
    const isShown = timeline.segments.some((segment) => segment.run === run && isWithin(segment, spans));
    const init = run === null || !isShown ? null : await this.#past.playback.init(run, content);
    if (init === null) throw notFound();
    return {
      send: (reply) => {
        if (!this.#replies.begin(reply, session, null, init.length)) return;
        this.#replies.count(session, sendMedia(reply, init, request.headers.range, kind));
      },
      discard: () => undefined,
    };
  }

  /** Its bytes count from before they are read until the response has ended. */
  async #segment(
    byteLength: number,
    read: () => Promise<LentBytes | null>,
    session: ViewerSession,
    kind: MediaKind,
  ): Promise<ReadyPast> {
    const giveBack = this.#budget.take(session, byteLength);
    let isLent = false;
    try {
      const lent = await read();
      if (lent === null) throw notFound();
      isLent = true;
      const release = (): void => {
        lent.release();
        giveBack();
      };
      return {
        send: (reply) => this.#replies.sendLent(reply, session, pastMedia(lent.bytes, release), kind),
        discard: release,
      };
    } finally {
      if (!isLent) giveBack();
    }
  }

  /**
   * Links do not show what a video recorder has: their owner decides about the gateway's recordings alone. Fails MEDIA_NOT_FOUND.
   */
  async #timelineOf({ session, range }: AllowedPast, stream: PastStream = 'main'): Promise<PastTimeline> {
    const looker = session.shareUuid === null ? session : null;
    const timeline = await this.#past.playback.timeline(session.cameraUuid, range, looker);
    if (stream === 'main') return timeline;
    if (timeline.sub === null) throw notFound();
    return timeline.sub;
  }

  /** Lists of the past are made for one viewer and can be long: compressing them would hold up the media. */
  #textSender(session: ViewerSession, text: string, kind: MediaKind): ReadyPast {
    const body = Buffer.from(text, 'latin1');
    return {
      send: (reply) => {
        if (!this.#replies.begin(reply, session, null, body.length)) return;
        sendBytes(reply, kind, body);
        this.#replies.count(session, sentBytes(reply, body.length));
      },
      discard: () => undefined,
    };
  }
}

/** Fails VIDEO_UNKNOWN. */
function wantsH264(request: FastifyRequest): boolean {
  return videoQuery(rawQuery(request)) !== '';
}

/** In order of time. */
function joinedWindows(windows: readonly TimeSpan[]): TimeSpan[] {
  const joined: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of windows.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}

function notFound(): GatewayError {
  return new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
}
