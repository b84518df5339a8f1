/**
 * The URLs that `getMediaUris` gives out, for callers with a key or a federated session: `/media/<deviceUuid>/<region>/`
 * (docs/design/access.md#devices). Whatever plays from there has its grant under `/live/`, like a share's viewer.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import {
  MANIFEST_NAME,
  parseDashName,
  STREAM_IDS,
  STREAM_NAMES,
  type StreamId,
} from '../../dash/media-names.ts';
import { SCRIPT_MANIFEST_PATH } from '../../dash/script-manifest.ts';
import type { OpenedDevice } from '../../sharing/device-gate.ts';
import type { Content, LiveCamera } from '../../stream/media/live-media.ts';
import { ledOnContents, manifestQueryOf, videoOf } from '../live/dash-routes.ts';
import { respondMultivariant } from '../live/multivariant-response.ts';
import { PastDeviceRoutes } from '../past/past-device-routes.ts';
import type { PastRoutes } from '../past/past-routes.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure, sendRedirect } from '../response/refusal-response.ts';
import { bareQueryOf } from '../response/requested-video.ts';
import type { DeviceEntries, DeviceParams, DeviceRequest, EntryRequest } from '../session/device-entries.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { hasSessionCookie } from '../session/media-credentials.ts';
import type { StillRoutes } from '../stills/still-routes.ts';

/** With the way back to where `/live` and `/media` are. */
export const DEVICE_FOLDERS = [
  { folder: '/media/:device/:region', root: '../../../' },
  { folder: '/media/:device/:region/ft/:token', root: '../../../../../' },
] as const;

export const BY_CREDENTIALS = { config: { access: 'credentials' } } as const;

interface SegmentParams extends DeviceParams {
  readonly name: string;
}

const HLS: EntryRequest = { contents: ['sound'] };
const STILL: EntryRequest = { contents: [] };

export class DeviceRoutes {
  readonly #parts: FrontDoorParts;
  readonly #entries: DeviceEntries;
  readonly #stillRoutes: StillRoutes;
  readonly #past: PastDeviceRoutes | null;

  /** `past`: the past for viewers with a grant; null: there is no past. */
  constructor(
    parts: FrontDoorParts,
    entries: DeviceEntries,
    stillRoutes: StillRoutes,
    past: PastRoutes | null,
  ) {
    this.#parts = parts;
    this.#entries = entries;
    this.#stillRoutes = stillRoutes;
    this.#past = past === null ? null : new PastDeviceRoutes(entries, past);
  }

  register(app: FastifyInstance): void {
    for (const { folder, root } of DEVICE_FOLDERS) {
      app.get<{ Params: DeviceParams }>(`${folder}/file.m3u8`, BY_CREDENTIALS, (request, reply) => {
        this.#sendLive(request, reply, root).catch((thrown) => reply.send(thrown));
      });
      app.get<{ Params: DeviceParams }>(`${folder}/${MANIFEST_NAME}`, BY_CREDENTIALS, (request, reply) => {
        const name = hasSessionCookie(request.headers) ? SCRIPT_MANIFEST_PATH : MANIFEST_NAME;
        const path = `${name}${manifestQueryOf(request)}`;
        this.#leadOn(request, reply, root, path, videoOf(request)).catch((thrown) => reply.send(thrown));
      });
      app.get<{ Params: DeviceParams }>(`${folder}/snapshot.jpeg`, BY_CREDENTIALS, (request, reply) => {
        this.#sendSnapshot(request, reply).catch((thrown) => reply.send(thrown));
      });
      this.#past?.register(app, folder, root);
      for (const id of STREAM_IDS) {
        const stream = STREAM_NAMES[id].folder;
        const back = root + '../'.repeat(stream.split('/').length);
        this.#registerMedia(app, `${folder}/${stream}`, id, back);
      }
      // Scripts find the video next to the manifest.
      this.#registerMedia(app, folder, 'main', root);
    }
  }

  /** Media of a stream in `folder`; `root`: the way from there back to where `/live` is. */
  #registerMedia(app: FastifyInstance, folder: string, id: StreamId, root: string): void {
    app.get<{ Params: SegmentParams }>(`${folder}/:name`, BY_CREDENTIALS, (request, reply) => {
      const { name } = request.params;
      const path = parseDashName(id, name) === null ? null : `${STREAM_NAMES[id].folder}/${name}`;
      this.#leadOn(request, reply, root, path, id).catch((thrown) => reply.send(thrown));
    });
  }

  async #sendLive(request: DeviceRequest, reply: FastifyReply, root: string): Promise<void> {
    const variant = bareQueryOf(rawQuery(request));
    const opened = await this.#entries.open(request, reply, HLS);
    const camera = opened === null ? null : this.#cameraOf(opened, reply);
    if (opened === null || camera === null) return;
    respondMultivariant(this.#parts, reply, {
      camera,
      audience: 'sound',
      folder: `${root}live/${opened.grantText}/`,
      variant,
      reconsider: () => this.#entries.reconsider(opened),
    });
  }

  /**
   * To the same file under the client's grant; `path` null: there is none; `id`: the stream that it belongs to. Players of DASH resolve a
   * manifest's URIs against the URL that the redirect led to, and request it there again. ffmpeg 5 and some scripts never look at that
   * URL: they put the names that they find in the manifest in place of `file.mpd`, and send their credentials each time.
   */
  async #leadOn(
    request: DeviceRequest,
    reply: FastifyReply,
    root: string,
    path: string | null,
    id: StreamId,
  ): Promise<void> {
    // ffmpeg requests a manifest again where it found it first, however it was led on.
    const wanted: EntryRequest = { contents: ledOnContents('sound', id), isReturning: true };
    const opened = await this.#entries.open(request, reply, wanted);
    if (opened === null || this.#cameraOf(opened, reply) === null) return;
    if (path !== null) sendRedirect(reply, `${root}live/${opened.grantText}/${path}`);
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
  }

  async #sendSnapshot(request: DeviceRequest, reply: FastifyReply): Promise<void> {
    const opened = await this.#entries.open(request, reply, STILL);
    const camera = opened === null ? null : this.#cameraOf(opened, reply);
    if (opened === null || camera === null) return;
    const viewer = {
      cameraUuid: camera.uuid,
      audience: openContentOf(camera),
      session: null,
      refusal: () => this.#entries.reconsider(opened),
      maySee: () => true,
    };
    this.#stillRoutes.sendSnapshot(viewer, request, reply);
  }

  /** null: it is not configured, and the response was sent. */
  #cameraOf({ shownUuid }: OpenedDevice, reply: FastifyReply): LiveCamera | null {
    const camera = this.#parts.cameras.get(shownUuid);
    if (camera !== undefined) return camera;
    sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
    return null;
  }
}

/** The content that the camera already plays; otherwise the one without audio, which images do not need. */
function openContentOf(camera: LiveCamera): Extract<Content, 'sound' | 'silent'> {
  return camera.rendition('main') === null ? 'silent' : 'sound';
}
