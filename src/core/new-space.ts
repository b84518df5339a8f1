/**
 * V8's new space. It grows with what survives a collection, and a gateway's every part survives some: to 32 MiB and more,
 * most of it garbage. Kept at its first size it is collected a few times a second, a millisecond each, and the
 * process stays small.
 */

import { setFlagsFromString } from 'node:v8';

/** For the process, from now on. */
export function keepNewSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
