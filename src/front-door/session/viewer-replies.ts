/** How routes use the camera of a viewer with a grant. */

import type { FastifyReply } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { Interest, LiveCamera } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { offlineError, sendFailure } from '../response/refusal-response.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import { GrantReplies } from './grant-replies.ts';

export class ViewerReplies extends GrantReplies {
  readonly #parts: Pick<FrontDoorParts, 'cameras' | 'clock'>;

  constructor(parts: FrontDoorParts) {
    super(parts);
    this.#parts = parts;
  }

  /** Keeps `contents` of the viewer's camera open. null: it is not configured, and the response was sent. */
  touchedCamera(
    session: ViewerSession,
    contents: readonly Interest[],
    reply: FastifyReply,
  ): LiveCamera | null {
    const camera = this.#parts.cameras.get(session.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return null;
    }
    for (const content of contents) camera.touch(content, session.urgency);
    return camera;
  }

  /** False: the camera is offline, or has nothing that this viewer may get, and the response was sent. */
  canPlay(camera: LiveCamera, session: ViewerSession, reply: FastifyReply): boolean {
    const state = camera.status();
    if (state.state !== 'offline') return this.hasSomething(camera, session, reply);
    sendFailure(reply, offlineError(state, this.#parts.clock.epochMs()));
    return false;
  }

  /** False: the camera sends only audio, which this viewer may not hear, and the response was sent. */
  hasSomething(camera: LiveCamera, { audience }: ViewerSession, reply: FastifyReply): boolean {
    if (audience === 'sound' || camera.hasPicture() !== false) return true;
    sendFailure(reply, new GatewayError(STREAM_ERRORS.STREAM_SOUND_ONLY));
    return false;
  }
}
