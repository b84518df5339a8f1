/** Logins: what cameras ask for, and passwords that are wrong. */

import { type Behaviour, refused } from '../behaviour.ts';
import { camera, credentials, READINGS, USER } from '../cameras.ts';

const group = 'login';

export const cases: readonly Behaviour[] = READINGS.map((reading) =>
  refused(
    {
      group,
      name: 'wrong password',
      reading,
      start: camera({ credentials: credentials('right'), userInfo: `${USER}:wrong` }),
    },
    [reading === 'worker' ? 'FFMPEG_CAMERA_AUTH' : 'RTSP_AUTH_FAILED'],
  ),
);
