/** The console's start: finds out who is signed in, then shows the console or the way in. */

import { render } from 'preact';
import { App } from './app.tsx';
import { loadSession } from './session.ts';

void loadSession();
render(<App />, document.getElementById('console')!);
