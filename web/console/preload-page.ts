/** Pages that are loaded before they open. */

import { pageAt } from './pages.ts';
import { pathBelowConsole } from './places.ts';

/** Loads the modules of the page at this path, before it is known who may open it. A failure shows when it opens. */
export function preloadPage(path: string): void {
  void pageAt(pathBelowConsole(path))?.component.preload();
}
