import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';

/** Path under which viewers reach the front door, without a trailing slash: '' at the root. */
export function basePathOf(publicMediaUrl: string): string {
  return withoutTrailingSlashes(new URL(publicMediaUrl).pathname);
}
