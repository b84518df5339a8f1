/**
 * V8's new space. It grows with what survives a collection, and each of a gateway's parts survives some: it grows
 * to 32 MiB and more, most of it garbage. Kept at its first size, it is collected a few times a second, for a
 * millisecond each, and the process stays small.
 */

import { setFlagsFromString } from 'node:v8';

/** Keeps the new space of the process, from now on, from growing beyond its initial size. */
export function keepNewSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Sets the new space of threads that start from now on. In threads that create long responses, many objects live a little longer than a
 * small new space allows, and would be collected with the old space: 8 MiB serve half again as many requests.
 */
export function beginThreadsWithNewSpace(semiSpaceMiB: number): void {
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMiB}`);
}
