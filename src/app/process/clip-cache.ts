/** Where clips for synthetic cameras are kept between runs: ffmpeg takes a few seconds to make them. */

import { homedir } from 'node:os';
import { join } from 'node:path';

/** `SLUICE_CLIP_CACHE`, or the user's cache folder (XDG Base Directory Specification). */
export function clipCacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.SLUICE_CLIP_CACHE) return env.SLUICE_CLIP_CACHE;
  const base = env.XDG_CACHE_HOME ? env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'sluice');
}
