/**
 * The Multivariant Playlist that a player gets for its link or its credentials. Its URIs hold the player's own grant, so
 * nothing that was needed to get it has to be sent again. If the camera is not playing yet, the response waits for it.
 */

import type { FastifyReply } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Audience, LiveCamera } from '../../stream/media/live-media.ts';
import { RenderedPlaylist } from '../../stream/media/rendered-playlist.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { sendPlaylist } from '../response/media-response.ts';
import { offlineError, sendFailure } from '../response/refusal-response.ts';
import { variantsWithin } from '../response/requested-height.ts';
import type { VariantQuery } from '../response/requested-video.ts';
import { WaitingReply } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { COLD_WAIT_MS } from './viewer-routes.ts';

/** How quickly a player that waits for a camera learns that its access has ended. */
const RECHECK_MS = 500;

/** Sends a refusal. */
export type Refuse = (reply: FastifyReply) => void;

export interface MultivariantRequest {
  readonly camera: LiveCamera;
  readonly audience: Audience;
  /** Where the grant's files are, relative to the requested URL; with a trailing slash. */
  readonly folder: string;
  readonly variant: VariantQuery;
  /** Decides again, because time has passed; null: still allowed. */
  readonly reconsider: () => Refuse | null;
}

type Parts = Pick<FrontDoorParts, 'room' | 'clock'>;

/** Sends it, now or as soon as the camera plays. Fails with TOO_MANY_WAITING or SHUTTING_DOWN. */
export function respondMultivariant(parts: Parts, reply: FastifyReply, wanted: MultivariantRequest): void {
  if (sendMultivariant(reply, wanted)) return;
  const { camera, audience, reconsider } = wanted;
  const state = camera.status();
  if (state.state === 'offline') {
    sendFailure(reply, offlineError(state, parts.clock.epochMs()));
    return;
  }
  // The client may have left while its credentials were checked; no event would end the wait.
  if (reply.raw.destroyed) return;
  const deliver = (): void => {
    const refuse = reconsider();
    if (refuse !== null) refuse(reply);
    else if (!sendMultivariant(reply, wanted)) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
    }
  };
  const { room } = parts;
  const maxWaitMs = COLD_WAIT_MS;
  const waiting = new WaitingReply({ room, reply, session: null, source: camera, deliver, maxWaitMs });
  // One variant does not wait for the others.
  if (wanted.variant.video === 'main') camera.awaitPlayable(audience, waiting);
  else camera.awaitMultivariant(audience, waiting);
  recheck(parts, waiting, reconsider);
}

/** A player that waits here has no viewer session that could be cut off. */
function recheck(parts: Parts, waiting: WaitingReply, reconsider: MultivariantRequest['reconsider']): void {
  if (waiting.isOver) return;
  const refuse = reconsider();
  if (refuse !== null) waiting.endWith(refuse);
  else parts.clock.after(RECHECK_MS, () => recheck(parts, waiting, reconsider));
}

function sendMultivariant(reply: FastifyReply, wanted: MultivariantRequest): boolean {
  const { camera, audience, folder, variant } = wanted;
  const text = camera.multivariantPlaylist(folder, audience, 'stream.m3u8', variant.video);
  if (text === null) return false;
  sendPlaylist(reply, new RenderedPlaylist(variantsWithin(text, variant.maxHeightPx)));
  return true;
}
