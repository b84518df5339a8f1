/**
 * What a row shows of its alert. The gateway's memory has the image for the first seconds, the recording has it once its block is
 * written. In between, and when a row comes back to the screen, the image that was shown stays.
 */

export type AlertImageState =
  | { readonly kind: 'loading' | 'none' }
  | { readonly kind: 'image'; readonly data: string };

export const LOADING: AlertImageState = { kind: 'loading' };
export const NO_IMAGE: AlertImageState = { kind: 'none' };

/** More are loaded again. */
const MAX_KEPT = 100;

/** By alert, the oldest first. */
const kept = new Map<string, AlertImageState>();

/** The state of the alert's image now that `found` is known. */
export function shownImage(alertUuid: string, found: AlertImageState): AlertImageState {
  if (found.kind !== 'image') return kept.get(alertUuid) ?? found;
  kept.delete(alertUuid);
  kept.set(alertUuid, found);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return found;
}
