/** Looks up a program the way a shell does. */

import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** The first executable file `name` in the folders of `searchPath` (as in PATH; relative ones are skipped), or null. */
export async function findExecutable(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return null;
}
