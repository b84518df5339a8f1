/** Whom a worker is for: what decides who waits. */

/** The order is that in which waiting starts are admitted. */
export const URGENCIES = ['alarm', 'viewer', 'recording', 'picture'] as const;

/**
 * `alarm`: an alarm partner looks. `viewer`: someone else does. `recording`: nobody does, but it is kept. `picture`: it is for a
 * still image.
 */
export type Urgency = (typeof URGENCIES)[number];

/** Of several at once; `picture` if there is none. */
export function mostUrgent(urgencies: Iterable<Urgency>): Urgency {
  let first: Urgency = 'picture';
  for (const urgency of urgencies) {
    if (URGENCIES.indexOf(urgency) < URGENCIES.indexOf(first)) first = urgency;
  }
  return first;
}
