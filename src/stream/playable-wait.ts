/** What viewers wait for before they can play, and what keeps the camera open meanwhile. */

import type { ErrorDefinition } from '../core/errors.ts';
import { STREAM_ERRORS } from './media/errors.ts';
import type { Audience, Interest } from './media/live-media.ts';
import { MANIFEST_INTERESTS } from './media/renditions.ts';

export interface PlayableWait {
  readonly audience: Audience;
  /**
   * The main stream's video, as it is or transcoded; a picture for a still image; or the Multivariant Playlist or the
   * manifest, which may wait for the substream too; or the manifest of the transcoded video.
   */
  readonly what: 'video' | 'compatible' | 'picture' | 'variants' | 'manifest' | 'compatible-manifest';
}

/** Interests in the transcoded main stream. */
const COMPATIBLE: Readonly<Record<Audience, Interest>> = { sound: 'h264', silent: 'h264-silent' };

export function interestsOf({ audience, what }: PlayableWait): readonly Interest[] {
  switch (what) {
    case 'manifest':
      return MANIFEST_INTERESTS.camera[audience];
    case 'compatible-manifest':
      return MANIFEST_INTERESTS.transcoded[audience];
    case 'compatible':
      return [COMPATIBLE[audience]];
    default:
      return [audience];
  }
}

/** Why a camera that sends only sound cannot satisfy the wait; null: it can, or is not known to send only sound. */
export function absenceOf(wait: PlayableWait, hasPicture: boolean | null): ErrorDefinition | null {
  if (hasPicture !== false) return null;
  if (wait.audience === 'silent') return STREAM_ERRORS.STREAM_SOUND_ONLY;
  return isForTranscoded(wait) ? STREAM_ERRORS.STREAM_NO_PICTURE : null;
}

/** Whether it is the transcoder that has to deliver. */
export function isForTranscoded({ what }: PlayableWait): boolean {
  return what === 'compatible' || what === 'compatible-manifest';
}
