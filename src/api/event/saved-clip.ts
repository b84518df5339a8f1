/** Saved clips as resources. */

import type { Ruuid } from '../../core/ruuid.ts';
import { resourceKind } from '../../store/resource.ts';

export interface SavedClipBody {
  readonly deviceUuids: readonly Ruuid[];
  readonly locationUuid: Ruuid | null;
  /** When what it shows began. */
  readonly timestampMs: number;
  readonly durationSec: number;
  readonly title: string;
  readonly description: string;
  readonly visibility: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE';
}

export const SAVED_CLIPS = resourceKind<SavedClipBody>('savedClip');
