/** What the endpoints about what links show have in common. */

import type { Static } from 'typebox';
import { flag, int64, namedType, nullable, oneOf } from '../../http/fields/field-types.ts';
import type { VisibilityChange } from '../../sharing/share-visibility.ts';

/** The part of the access decision's reasons that does not depend on who asks. */
export const NOT_VISIBLE_REASONS = ['expired', 'hidden-by-schedule', 'device-removed'] as const;

export type NotVisibleReason = (typeof NOT_VISIBLE_REASONS)[number];

export const NOT_VISIBLE_REASON = nullable(
  oneOf(NOT_VISIBLE_REASONS, 'Why it shows nothing, as viewers learn it; absent: it is visible.'),
);

export const VISIBILITY_CHANGE_SCHEMA = namedType('SharedStreamVisibilityChange', {
  atMs: int64('When, epoch milliseconds.'),
  isVisible: flag('Whether it is visible from then on.'),
  reason: NOT_VISIBLE_REASON,
});

/** Everyone who has the link and the password is asked about, so nothing else is left. */
export function notVisibleReason(reason: string | null): NotVisibleReason | null {
  return NOT_VISIBLE_REASONS.find((one) => one === reason) ?? null;
}

export function visibilityChangeAnswer(
  change: VisibilityChange | null,
): Static<typeof VISIBILITY_CHANGE_SCHEMA> | null {
  if (change === null) return null;
  const { atEpochMs, isVisible, reason } = change;
  return { atMs: atEpochMs, isVisible, reason: notVisibleReason(reason) };
}
