import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';

/** Path under which viewers reach the front door, without a slash at its end: '' at the root. */
export function basePathOf(publicMediaUrl: string): string {
  return withoutTrailingSlashes(new URL(publicMediaUrl).pathname);
}
