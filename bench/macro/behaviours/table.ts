/** All cases, by group. */

import type { Behaviour } from './behaviour.ts';
import { cases as clocks } from './cases/clocks.ts';
import { cases as conversation } from './cases/conversation.ts';
import { cases as descriptions } from './cases/descriptions.ts';
import { cases as login } from './cases/login.ts';
import { cases as network } from './cases/network.ts';
import { cases as packets } from './cases/packets.ts';
import { cases as pictures } from './cases/pictures.ts';
import { cases as sound } from './cases/sound.ts';
import { cases as well } from './cases/well.ts';

export const BEHAVIOURS: readonly Behaviour[] = [
  ...well,
  ...login,
  ...clocks,
  ...sound,
  ...network,
  ...pictures,
  ...descriptions,
  ...conversation,
  ...packets,
];
