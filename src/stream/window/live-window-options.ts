/** What a live window is made with. */

import type { Clock } from '../../core/clock.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { LiveWindowLimits } from './live-window-limits.ts';
import type { OtherRendition } from './playlist-texts.ts';
import type { SharedPathOptions } from './shared-paths.ts';

export interface LiveWindowOptions {
  readonly clock: Clock;
  readonly limits: LiveWindowLimits;
  readonly numbering: Numbering;
  /** Segments with lower numbers were published: the first one here is a discontinuity. */
  readonly isContinuation: boolean;
  /** Called when a segment begins, before its number is visible. */
  readonly onNumbering: (numbering: Numbering) => void;
  /** The camera's other stream, which the playlists report on; absent if it has none. */
  readonly other?: OtherRendition;
  /** Absent: viewers get all media under their own paths. */
  readonly shared?: SharedPathOptions;
}
