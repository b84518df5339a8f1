/** Healthy cameras, with every engine and every kind of audio. */

import { type Behaviour, plays } from '../behaviour.ts';
import { camera, READINGS, SOUNDS } from '../cameras.ts';

const group = 'well';

export const cases: readonly Behaviour[] = READINGS.flatMap((reading) =>
  SOUNDS.map((sound) =>
    plays(
      { group, name: `sound: ${sound}`, reading, start: camera({ sound }) },
      {
        sound: sound === 'none' ? 'absent' : 'heard',
        takesWorker: sound === 'G.711',
      },
    ),
  ),
);
