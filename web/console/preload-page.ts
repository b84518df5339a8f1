/** Pages that are loaded before they open. */

import { PAGES } from './pages.ts';
import { place } from './places.ts';

/** Loads the modules of the page at this path, before it is known who may open it. A failure shows when it opens. */
export function preloadPage(path: string): void {
  const names = namesOf(path);
  const found = PAGES.find((page) => {
    const wanted = namesOf(place(page.path));
    return (
      wanted.length === names.length && wanted.every((name, i) => name.startsWith(':') || name === names[i])
    );
  });
  void found?.component.preload();
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter(Boolean);
}
