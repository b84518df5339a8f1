/**
 * The past of a device for callers with a key or a federated session: `/media/<deviceUuid>/<region>/vod/<start>/<duration>/`. The playlist
 * and the manifest redirect to the URLs of the caller's grant. Segments are also here, for programs that request them next to the manifest,
 * with their credentials.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { MANIFEST_NAME } from '../../dash/media-names.ts';
import { SCRIPT_MANIFEST_PATH } from '../../dash/script-manifest.ts';
import { parsePastName } from '../../playback/past-names.ts';
import { parsePastSoundName } from '../../playback/past-sound.ts';
import type { OpenedDevice } from '../../sharing/device-gate.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendFailure, sendRedirect } from '../response/refusal-response.ts';
import { videoQuery } from '../response/requested-video.ts';
import type { DeviceEntries, DeviceParams, DeviceRequest } from '../session/device-entries.ts';
import { hasSessionCookie } from '../session/media-credentials.ts';
import type { RangeTexts } from './past-request.ts';
import type { PastRoutes } from './past-routes.ts';

interface PastDeviceParams extends DeviceParams, RangeTexts {}

interface PastNameParams extends PastDeviceParams {
  readonly name: string;
}

const BY_CREDENTIALS = { config: { access: 'credentials' } } as const;

export class PastDeviceRoutes {
  readonly #entries: DeviceEntries;
  readonly #routes: PastRoutes;

  constructor(entries: DeviceEntries, routes: PastRoutes) {
    this.#entries = entries;
    this.#routes = routes;
  }

  /** `folder`: of a device; `root`: the way from it back to where `/live` is. */
  register(app: FastifyInstance, folder: string, root: string): void {
    const range = `${folder}/vod/:start/:duration`;
    // The path from the range to the folder of the device.
    const rangeRoot = `../../../${root}`;
    app.get<{ Params: PastDeviceParams }>(`${range}/file.m3u8`, BY_CREDENTIALS, (request, reply) => {
      this.#open(request, reply, ({ grantText }) => {
        const path = livePath(rangeRoot, grantText, request.params);
        this.#routes.sendMultivariant(grantText, request, reply, path);
      });
    });
    app.get<{ Params: PastDeviceParams }>(`${range}/${MANIFEST_NAME}`, BY_CREDENTIALS, (request, reply) => {
      this.#open(request, reply, ({ grantText }) => {
        const folder = livePath(rangeRoot, grantText, request.params);
        const isForScripts = hasSessionCookie(request.headers);
        const query = videoQuery(rawQuery(request));
        const search = query === '' ? '' : `?${query}`;
        if (isForScripts) sendRedirect(reply, `${folder}${SCRIPT_MANIFEST_PATH}${search}`);
        else this.#routes.sendManifest(grantText, request, reply, folder);
      });
    });
    app.get<{ Params: PastNameParams }>(`${range}/:name`, BY_CREDENTIALS, (request, reply) => {
      const { name } = request.params;
      if (parsePastName(name) === null && parsePastSoundName(name) === null) {
        sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
        return;
      }
      this.#open(request, reply, ({ grantText }) => {
        this.#routes.sendJoinedMedia(grantText, request, reply, request.params.name);
      });
    });
  }

  #open(
    request: FastifyRequest<{ Params: PastDeviceParams }>,
    reply: FastifyReply,
    respond: (opened: OpenedDevice) => void,
  ): void {
    this.#entries
      .openPast(request as DeviceRequest, reply)
      .then((opened) => {
        if (opened !== null) respond(opened);
      })
      .catch((thrown) => reply.send(thrown));
  }
}

/** Where the grant plays the range, with a trailing slash. */
export function livePath(root: string, grantText: string, { start, duration }: RangeTexts): string {
  return `${root}live/${grantText}/vod/${encodeURIComponent(start)}/${encodeURIComponent(duration)}/`;
}
