/** Debian's Chromium decodes no H.265: what it plays of the recording is H.264. */

import { describePastPlayers } from './past-players.ts';

describePastPlayers({ codec: 'h265', hlsQuery: '&video=h264' });
