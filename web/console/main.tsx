/** The console's start: finds out who is signed in, then shows the console or the way in. */

import { render } from 'preact';
import { App } from './app.tsx';
import { preloadPage } from './preload-page.ts';
import { registerWorker } from './push-browser.ts';
import { selectPasswords } from './select-passwords.ts';
import { loadSession, wasSignedIn } from './session.ts';

selectPasswords(document);
void loadSession();
// Requested together with the question, not after its answer.
if (wasSignedIn()) preloadPage(location.pathname);
render(<App />, document.getElementById('console')!);
// After everything that the first page needs.
addEventListener('load', registerWorker);
