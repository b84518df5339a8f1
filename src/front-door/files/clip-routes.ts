/**
 * Files of clips, timelapses and alerts, and MP4s of any time, for callers with a key or a federated session:
 * `/media/metadata/<deviceUuid>/<region>/<uuid>.mp4` and `.jpeg`, the same without the device, `/media/timelapse/<uuid>.mp4`
 * and `.jpeg`, and `/media/<deviceUuid>/<region>/vod/<start>/<duration>/clip.mp4` (docs/design/clips.md#delivery). A file is
 * delivered under the access to its camera. `/media/metadata/<deviceUuid>/<region>/<uuid>/` has the recording of its time:
 * `clip.mpd`, `seg_init.mp4` and `seg_<n>.m4v`, as the command line of the API family downloads alerts.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClipLibrary, DeliverableClip } from '../../clips/clip-library.ts';
import type { ClipFileBody, ClipImage } from '../../clips/clip-records.ts';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { isRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SCRIPT_MANIFEST_PATH } from '../../dash/script-manifest.ts';
import type { AlertTime, AlertTimes } from '../../events/alert-times.ts';
import { parsePastName } from '../../playback/past-names.ts';
import type { PastPlayback } from '../../playback/past-playback.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { OpenedDevice } from '../../sharing/device-gate.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { EncodedFiles } from '../past/encoded-files.ts';
import type { MovieRoutes } from '../past/movie-routes.ts';
import type { PastBudget } from '../past/past-budget.ts';
import { livePath } from '../past/past-device-routes.ts';
import type { RangeTexts } from '../past/past-request.ts';
import type { PastRoutes } from '../past/past-routes.ts';
import { downloadNameFor } from '../response/download-name.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import type { FileKind } from '../response/file-response.ts';
import { internalLocation, sendInternally } from '../response/internal-files.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendRedirect, sendRefused } from '../response/refusal-response.ts';
import { videoQuery } from '../response/requested-video.ts';
import type { DeviceEntries, DeviceParams, DeviceRequest, EntryRequest } from '../session/device-entries.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { hasSessionCookie } from '../session/media-credentials.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import { sendStoredFile, servedFileOf } from './stored-file-response.ts';

export interface ClipParts {
  readonly library: ClipLibrary;
  readonly alertTimes: AlertTimes;
  readonly media: Pick<PastMedia, 'lend'>;
  readonly encoded: EncodedFiles;
  readonly playback: Pick<PastPlayback, 'cameraOf'>;
  readonly budget: PastBudget;
  /** Where a reverse proxy finds files that are stored as they are sent; null: it does not. Default null. */
  readonly internalFiles?: string | null;
}

interface ClipParams extends DeviceParams {
  readonly name: string;
}

interface ClipPieceParams extends ClipParams {
  /** The ID of the clip or alert. */
  readonly id: string;
}

/** `uuid`: of a clip, a timelapse or an alert. */
interface NamedFile {
  readonly uuid: Ruuid;
  readonly extension: string;
}

/** How a device is found that the path does not name. */
type Finding = Required<Pick<EntryRequest, 'deviceOf' | 'unknown'>>;
type ClipRequest = FastifyRequest<{ Params: ClipParams }>;

const BY_CREDENTIALS = { config: { access: 'credentials' } } as const;
const FOLDERS = ['/media/metadata/:device/:region', '/media/metadata/:device/:region/ft/:token'] as const;
/** Clients that know a clip, a timelapse or an alert, and not its camera: it is the first one. */
const FOLDERS_WITHOUT_DEVICE = [
  '/media/metadata/:region',
  '/media/metadata/:region/ft/:token',
  '/media/timelapse',
  '/media/timelapse/ft/:token',
] as const;
const RANGE_FOLDERS = ['/media/:device/:region', '/media/:device/:region/ft/:token'] as const;
/** Folders of pieces, with the path back to the parent of `/live`. */
const PIECE_FOLDERS = [
  { folder: '/media/metadata/:device/:region/:id', root: '../../../../../' },
  { folder: '/media/metadata/:device/:region/ft/:token/:id', root: '../../../../../../../' },
] as const;
const CLIP_MANIFEST = 'clip.mpd';
/** By extension. */
const KINDS: Readonly<Record<string, string>> = { mp4: 'video/mp4', jpeg: 'image/jpeg' };
const NAME_PATTERN = /^(.{22})\.(mp4|jpeg)$/;

export class ClipRoutes {
  readonly #parts: FrontDoorParts;
  readonly #entries: DeviceEntries;
  readonly #clips: ClipParts;
  readonly #movies: MovieRoutes;
  readonly #past: PastRoutes;
  readonly #replies: ViewerReplies;

  constructor(
    parts: FrontDoorParts,
    entries: DeviceEntries,
    clips: ClipParts,
    { movies, past }: { readonly movies: MovieRoutes; readonly past: PastRoutes },
  ) {
    this.#past = past;
    this.#parts = parts;
    this.#entries = entries;
    this.#clips = clips;
    this.#movies = movies;
    this.#replies = new ViewerReplies(parts);
  }

  register(app: FastifyInstance): void {
    for (const folder of FOLDERS) {
      app.get<{ Params: ClipParams }>(`${folder}/:name`, BY_CREDENTIALS, (request, reply) => {
        this.#sendClip(request, reply).catch((thrown) => reply.send(thrown));
      });
    }
    for (const folder of FOLDERS_WITHOUT_DEVICE) {
      app.get<{ Params: ClipParams }>(`${folder}/:name`, BY_CREDENTIALS, (request, reply) => {
        const id = nameOf(request.params.name)?.uuid ?? null;
        const deviceOf = async (orgUuid: Ruuid) => (id === null ? null : this.#cameraOf(orgUuid, id));
        const unknown = new GatewayError(FRONT_DOOR_ERRORS.CLIP_UNKNOWN);
        this.#sendClip(request, reply, { deviceOf, unknown }).catch((thrown) => reply.send(thrown));
      });
    }
    for (const { folder, root } of PIECE_FOLDERS) {
      app.get<{ Params: ClipPieceParams }>(`${folder}/:name`, BY_CREDENTIALS, (request, reply) => {
        this.#sendPiece(request, reply, root).catch((thrown) => reply.send(thrown));
      });
    }
    for (const folder of RANGE_FOLDERS) {
      const path = `${folder}/vod/:start/:duration/clip.mp4`;
      app.get<{ Params: DeviceParams & RangeTexts }>(path, BY_CREDENTIALS, (request, reply) => {
        this.#open(request, reply)
          .then((opened) => {
            if (opened !== null) this.#movies.respond(opened.grantText, request, reply);
          })
          .catch((thrown) => reply.send(thrown));
      });
    }
  }

  #open(
    request: FastifyRequest<{ Params: DeviceParams }>,
    reply: FastifyReply,
    finding?: Finding,
  ): Promise<OpenedDevice | null> {
    return this.#entries.openPast(request as DeviceRequest, reply, finding);
  }

  /** An alert whose clip is not made yet has only the device that raised it. */
  async #cameraOf(orgUuid: Ruuid, id: Ruuid): Promise<Ruuid | null> {
    const { library, alertTimes } = this.#clips;
    return (await library.cameraOf(orgUuid, id)) ?? alertTimes.deviceOf(orgUuid, id);
  }

  async #sendClip(request: ClipRequest, reply: FastifyReply, finding?: Finding): Promise<void> {
    const opened = await this.#open(request, reply, finding);
    if (opened === null) return;
    const { device, grantText, actorUuid } = opened;
    const named = nameOf(request.params.name);
    const clip =
      named === null
        ? null
        : await this.#clips.library.find(device.orgUuid, named.uuid, device.uuid, actorUuid);
    const isMasked = opened.shownUuid !== device.uuid;
    // Stored images have no masks.
    const isWithheld = isMasked && named?.extension !== 'mp4';
    const stored =
      clip === null || named === null || isWithheld ? null : storedOf(clip.file, named.extension);
    const absence = stored === null ? await this.#absence(opened, named) : null;
    // Reading the store took a while: the session decides now.
    const session = this.#parts.sessions.access(grantText, request);
    if (!session.allowed) {
      sendRefused(reply, session, this.#parts.clock.epochMs());
      return;
    }
    if (clip === null || named === null || stored === null || session.cameraUuid !== opened.shownUuid) {
      throw new GatewayError(absence ?? FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
    }
    const kind: FileKind = {
      type: KINDS[named.extension]!,
      downloadName: downloadNameFor(request, {
        titles: [clip.title || named.uuid, device.name],
        fromMs: clip.file.startEpochMs,
        extension: named.extension,
      }),
    };
    if (isMasked || (named.extension === 'mp4' && videoQuery(rawQuery(request)) !== '')) {
      await this.#sendEncoded(session, clip, kind.downloadName, request, reply);
      return;
    }
    const location = internalLocation(this.#clips.internalFiles ?? null, request, stored);
    if (location !== null) {
      sendInternally(reply, location, kind);
      return;
    }
    const leave = this.#clips.budget.enter(session);
    try {
      const { media, budget } = this.#clips;
      const parts = { responses: this.#parts.responses, replies: this.#replies, media, budget };
      await sendStoredFile(parts, session, request, reply, {
        stored,
        writtenAtMs: clip.writtenAtMs,
        ...kind,
        mayContinue: () => true,
      });
    } finally {
      leave();
    }
  }

  /** For every device, with the masks that its viewer sees. */
  async #sendEncoded(
    session: ViewerSession,
    { file, writtenAtMs }: DeliverableClip,
    downloadName: string | null,
    request: ClipRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { media, encoded, budget } = this.#clips;
    const leave = budget.enter(session);
    try {
      const { cameraUuid, durationMs } = file;
      const { masks } = this.#clips.playback.cameraOf(session.cameraUuid);
      // Masks that are not known hide all of it.
      if (masks === null && session.cameraUuid !== session.deviceUuid) {
        throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
      }
      const begun = await encoded.begin(session, {
        source: servedFileOf(file, writtenAtMs, media),
        durationMs,
        hasAudio: true,
        masks,
        cameraUuid,
        orgUuid: session.orgUuid,
      });
      // A worker was started: the session decides now.
      const current = this.#parts.sessions.access(session.grantText, request);
      if (!current.allowed || current !== session) {
        begun.discard();
        if (current.allowed) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
        sendRefused(reply, current, this.#parts.clock.epochMs());
        return;
      }
      const onSent = (bytes: number) => this.#replies.count(session, bytes);
      await begun.send(reply, { downloadName, mayContinue: () => true, onSent });
    } finally {
      leave();
    }
  }

  /** Why a file is not there, as far as the caller may know. */
  async #absence({ device, actorUuid }: OpenedDevice, named: NamedFile | null): Promise<ErrorDefinition> {
    if (named === null) return FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND;
    const { library, alertTimes } = this.#clips;
    const raisedBy = await alertTimes.deviceOf(device.orgUuid, named.uuid);
    if (raisedBy === device.uuid) {
      const { ALERT_IMAGE_ABSENT, ALERT_CLIP_ABSENT } = FRONT_DOOR_ERRORS;
      return named.extension === 'jpeg' ? ALERT_IMAGE_ABSENT : ALERT_CLIP_ABSENT;
    }
    const isIncomplete = await library.isIncomplete(device.orgUuid, named.uuid, device.uuid, actorUuid);
    return isIncomplete ? FRONT_DOOR_ERRORS.CLIP_INCOMPLETE : FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND;
  }

  /** Sends the recording of the clip's or alert's time, as long as it exists: whole segments. */
  async #sendPiece(
    request: FastifyRequest<{ Params: ClipPieceParams }>,
    reply: FastifyReply,
    root: string,
  ): Promise<void> {
    const { id, name } = request.params;
    const opened = await this.#open(request, reply);
    if (opened === null) return;
    const { grantText } = opened;
    const isNamed = isRuuid(id) && (name === CLIP_MANIFEST || parsePastName(name) !== null);
    const time = isNamed ? await this.#timeOf(opened, id) : null;
    if (time === null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
    const range = { start: secText(time.fromMs), duration: secText(time.toMs - time.fromMs) };
    const to = { grantText, request, reply };
    if (name !== CLIP_MANIFEST) this.#past.sendJoinedMediaOf(range, to, name);
    else if (hasSessionCookie(request.headers)) {
      sendRedirect(reply, `${livePath(root, grantText, range)}${SCRIPT_MANIFEST_PATH}`);
    } else this.#past.sendManifestOf(range, to, livePath(root, grantText, range));
  }

  /**
   * An alert's own time, without pre-roll: programs count seconds from the beginning of its pieces. That of the clip
   * otherwise. null: there is neither.
   */
  async #timeOf({ device, actorUuid }: OpenedDevice, id: Ruuid): Promise<AlertTime | null> {
    const ofAlert = await this.#clips.alertTimes.of(device.orgUuid, id);
    if (ofAlert !== null) return ofAlert;
    const clip = await this.#clips.library.find(device.orgUuid, id, device.uuid, actorUuid);
    if (clip === null || clip.file.isImageOnly === true) return null;
    return { fromMs: clip.file.startEpochMs, toMs: clip.file.endEpochMs };
  }
}

function nameOf(name: string): NamedFile | null {
  const [, uuid = '', extension = ''] = NAME_PATTERN.exec(name) ?? [];
  return isRuuid(uuid) ? { uuid, extension } : null;
}

/** Whole milliseconds, as ranges have them. */
function secText(ms: number): string {
  return (Math.max(1, Math.round(ms)) / 1_000).toFixed(3);
}

function storedOf(file: ClipFileBody, extension: string): ClipImage | null {
  if (extension === 'jpeg') return file.image;
  return file.isImageOnly === true ? null : file;
}
