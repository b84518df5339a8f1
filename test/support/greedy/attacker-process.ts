/** Attacks until it is ended, and writes the results once a second. Its argument: a Ground as JSON. */

import { Attacker, type Ground } from './attack-ground.ts';
import { attackAll, type Tally } from './attacks.ts';

const ending = new AbortController();
const tally: Tally = {};
setInterval(
  () =>
    process.stdout.write(
      `${JSON.stringify({ tally, open: attacker.open, connected: attacker.connected })}\n`,
    ),
  1_000,
);
const attacker = new Attacker(JSON.parse(process.argv[2]!) as Ground, ending.signal);
await attackAll(attacker, tally);
