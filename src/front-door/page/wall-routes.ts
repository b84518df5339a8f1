/**
 * Routes of a shared video wall: opening it, and reading its current state. Its media are under the grants of its cameras, like those of
 * any share (docs/design/access.md#video-walls).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpeningRefused } from '../../sharing/share-gate.ts';
import type { OpenedWall, OpenTile, RefusedTile, WallGate } from '../../sharing/wall-gate.ts';
import type { WallMember, WallView } from '../../sharing/wall-members.ts';
import { compatibleUrl } from '../live/compatible-url.ts';
import { emptyBodyIsObject, OPEN_BODY, type OpenBody } from '../response/open-body.ts';
import { sendJson, sendOpeningRefused } from '../response/refusal-response.ts';
import type { FrontDoorParts, ShareViewer } from '../session/front-door-parts.ts';
import type { OpeningLog } from '../session/opening-log.ts';

export interface WallRouteParts {
  readonly gate: WallGate;
  readonly openingLog: OpeningLog;
  /** Called for everyone who opens a wall. */
  readonly onWallOpened: (wall: WallView, viewer: ShareViewer) => void;
}

/** Walls carry no audio. */
const AUDIENCE = 'silent';

export class WallRoutes {
  readonly #parts: FrontDoorParts;
  readonly #walls: WallRouteParts;

  constructor(parts: FrontDoorParts, walls: WallRouteParts) {
    this.#parts = parts;
    this.#walls = walls;
  }

  register(app: FastifyInstance): void {
    app.post<{ Params: { token: string }; Body: OpenBody }>(
      '/wall/:token/open',
      { config: { access: 'share-link' }, schema: { body: OPEN_BODY }, preValidation: emptyBodyIsObject },
      (request, reply) => this.#open(request.params.token, request.body.password || null, request, reply),
    );
    // With the wall's grant as the token.
    app.get<{ Params: { token: string } }>(
      '/wall/:token/cameras',
      { config: { access: 'grant' } },
      async (request, reply) => {
        const looked = await this.#walls.gate.look(request.params.token, request.ip);
        this.#respond(request, reply, looked);
        return reply;
      },
    );
  }

  async #open(
    wallToken: string,
    password: string | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { gate, openingLog, onWallOpened } = this.#walls;
    openingLog.noteProxy(request);
    const onNear = (members: readonly WallMember[]): void => {
      for (const { share } of members) this.#parts.cameras.get(share.cameraUuid)?.touch(AUDIENCE);
    };
    const opened = await gate.open({ wallToken, password, address: request.ip, onNear });
    if (opened.allowed) {
      const { wall } = opened;
      this.#parts.log.debug({ share: wall.wallShare.uuid }, 'video wall opened');
      onWallOpened(wall, { address: request.ip, userAgent: request.headers['user-agent'] ?? null });
    }
    this.#respond(request, reply, opened);
    return reply;
  }

  #respond(request: FastifyRequest, reply: FastifyReply, opened: OpenedWall | OpeningRefused): void {
    const nowEpochMs = this.#parts.clock.epochMs();
    if (!opened.allowed) {
      this.#walls.openingLog.refused(request.routeOptions.url, opened);
      sendOpeningRefused(reply, opened, nowEpochMs);
      return;
    }
    const { wall, grantText, expiresAtSec, tiles } = opened;
    sendJson(reply, 200, {
      status: 'open',
      name: wall.name,
      camerasUrl: `${this.#parts.basePath}/wall/${grantText}/cameras`,
      layout: layoutBody(wall.layout),
      cameras: tiles.map((tile) => (tile.allowed ? this.#openTile(tile) : refusedTile(tile))),
      grantsExpireAtSec: expiresAtSec,
      serverTimeMs: nowEpochMs,
      expiresAtSec: wall.wallShare.expiresAtSec,
    });
  }

  #openTile({ member, grantText }: OpenTile): object {
    const { uuid, name, cameraUuid, vodEnabled } = member.share;
    const camera = this.#parts.cameras.get(cameraUuid);
    const folder = `${this.#parts.basePath}/live/${grantText}`;
    const hasPicture = (camera?.keyFrame() ?? null) !== null;
    return {
      id: uuid,
      name,
      playlistUrl: `${folder}/${camera?.hasSubStream() ? 'index.m3u8' : 'file.m3u8'}`,
      ...(camera === undefined ? {} : compatibleUrl(camera, folder)),
      posterUrl: hasPicture ? `${folder}/poster.jpg` : null,
      ...(vodEnabled ? { pastUrl: `${folder}/vod` } : {}),
    };
  }
}

function layoutBody({ kind, tourSec, cells }: WallView['layout']): object {
  return { kind, tourSec, cells: cells.map(({ memberUuid, ...cell }) => ({ id: memberUuid, ...cell })) };
}

function refusedTile({ member, refusal }: RefusedTile): object {
  const { uuid, name } = member.share;
  return {
    id: uuid,
    name,
    reason: refusal.reason,
    ...(refusal.untilEpochMs === null ? {} : { until: refusal.untilEpochMs }),
    ...(member.unscheduledMessage === null ? {} : { message: member.unscheduledMessage }),
  };
}
