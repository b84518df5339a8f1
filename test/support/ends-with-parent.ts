/**
 * Processes that a test starts end with the test's own process, however it ends: a killed run ends nothing, and its
 * leftovers would take ports and cores from the next one.
 */

import { existsSync } from 'node:fs';

/** Part of util-linux. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/**
 * Arguments to spawn in place of the command: the process becomes the command, under the same process ID. Without
 * setpriv(1), the command.
 */
export function endingWithParent(
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  if (SETPRIV === undefined) return [command, [...args]];
  return [SETPRIV, ['--pdeathsig', 'KILL', '--', command, ...args]];
}
