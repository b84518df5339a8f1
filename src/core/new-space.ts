/**
 * V8's new space. It grows with what survives a collection, and a gateway's every part survives some: to 32 MiB and more,
 * most of it garbage. Kept at its first size it is collected a few times a second, a millisecond each, and the
 * process stays small.
 */

import { setFlagsFromString } from 'node:v8';

/** For the process, from now on: no new space grows beyond what it began with. */
export function keepNewSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For threads that are started from now on. Where long answers are made, much lives a little longer than a small new space
 * lets it, and would be collected with the old: 8 MiB answer half as many requests more.
 */
export function beginThreadsWithNewSpace(semiSpaceMiB: number): void {
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMiB}`);
}
