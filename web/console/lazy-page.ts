/** Pages are loaded when they are opened. A page that cannot be loaded fails as others do, and the menu stays (app.tsx). */

import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';
import { t } from './words.ts';

export type LazyPage = ReturnType<typeof lazy<FunctionComponent>>;

/** Its file did not come. Another try needs a new document: browsers may remember the failure. */
export class PageMissing extends Error {
  constructor() {
    super(t('The gateway did not answer. The page opens when it does again.'));
    this.name = 'PageMissing';
  }
}

/** With `preload`, which loads it before it opens. */
export function lazyPage(load: () => Promise<FunctionComponent>): LazyPage {
  return lazy<FunctionComponent>(() => load().catch(() => Missing));
}

function Missing(): never {
  throw new PageMissing();
}
