/**
 * Opens the share before the rest of the page is parsed, so that the gateway wakes the camera and issues the grant while
 * the player is still loading. The catalog of the viewer's language loads with it.
 */

import { type OpenResult, openShare } from './open.ts';
import { loadCatalog } from './words/catalog.ts';

/** In flight since this module ran. */
export const firstOpen: Promise<OpenResult> = openShare(null);

void loadCatalog();
