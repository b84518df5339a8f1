/** A saved clip with how far it has come, as clients wait for it (events/saved-clips.ts). */

import type { Static } from 'typebox';
import type { ClipProgress } from '../../clips/clips.ts';
import type { SavedClip } from '../../events/saved-clips.ts';
import { int32, int64, namedType, nullable, plainText } from '../../http/fields/field-types.ts';
import { CLIP_DETAIL_FIELDS, SAVED_CLIP_PROPERTIES, savedClipAnswer } from './saved-clip-type.ts';

const COMPLETE_PERCENT = 100;
const NO_PROGRESS: ClipProgress = { status: null, percent: null, failureCode: null };

export const CLIP_WITH_PROGRESS_SCHEMA = namedType('SavedClipWithProgress', {
  ...SAVED_CLIP_PROPERTIES,
  /** UNKNOWN where none was reported: scripts read it of every clip. */
  status: CLIP_DETAIL_FIELDS.status,
  percentComplete: nullable(
    int32('How much is written; 100 where the status is COMPLETE; absent if unknown.', 0, COMPLETE_PERCENT),
  ),
  currentOperation: nullable(plainText('Why a clip of the gateway has failed; otherwise absent.')),
  lastUpdatedSec: int64('When it was changed last, in epoch seconds.'),
});

export function clipWithProgressAnswer(
  clip: SavedClip,
  progress: ClipProgress = NO_PROGRESS,
): Static<typeof CLIP_WITH_PROGRESS_SCHEMA> {
  const answer = savedClipAnswer(clip);
  const status = progress.status ?? answer.status ?? 'UNKNOWN';
  return {
    ...answer,
    status,
    percentComplete: status === 'COMPLETE' ? COMPLETE_PERCENT : progress.percent,
    currentOperation: progress.failureCode,
    lastUpdatedSec: Math.floor(clip.updatedAtMs / 1_000),
  };
}
