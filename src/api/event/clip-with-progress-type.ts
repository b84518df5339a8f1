/** A saved clip with how far it has come, as clients wait for it (events/saved-clips.ts). */

import type { Static } from 'typebox';
import type { SavedClip } from '../../events/saved-clips.ts';
import { int32, int64, namedType, nullable, plainText } from '../fields/field-types.ts';
import { CLIP_DETAIL_FIELDS, SAVED_CLIP_PROPERTIES, savedClipAnswer } from './saved-clip-type.ts';

const COMPLETE_PERCENT = 100;

export const CLIP_WITH_PROGRESS_SCHEMA = namedType('SavedClipWithProgress', {
  ...SAVED_CLIP_PROPERTIES,
  /** UNKNOWN where none was reported: scripts read it of every clip. */
  status: CLIP_DETAIL_FIELDS.status,
  percentComplete: nullable(
    int32('100 where the status is COMPLETE; otherwise absent.', 0, COMPLETE_PERCENT),
  ),
  currentOperation: nullable(plainText('Always absent: the gateway renders no clips.')),
  lastUpdatedSec: int64('When it was changed last, in epoch seconds.'),
});

export function clipWithProgressAnswer(clip: SavedClip): Static<typeof CLIP_WITH_PROGRESS_SCHEMA> {
  const answer = savedClipAnswer(clip);
  const status = answer.status ?? 'UNKNOWN';
  return {
    ...answer,
    status,
    percentComplete: status === 'COMPLETE' ? COMPLETE_PERCENT : null,
    currentOperation: null,
    lastUpdatedSec: Math.floor(clip.updatedAtMs / 1_000),
  };
}
