/** The page that shows that an address works (reach.html), in the language of who opened it. */

import { wordPage } from './words/page-words.ts';

await wordPage();
