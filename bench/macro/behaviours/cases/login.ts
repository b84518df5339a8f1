/** Logins: the challenges that cameras send, and wrong passwords. */

import { type Behaviour, plays, refused } from '../behaviour.ts';
import { type CameraOptions, camera, credentials, READINGS, USER } from '../cameras.ts';
import { editingHead, reply, responding } from '../responses.ts';

const group = 'login';
const PASSWORD = 'right';
const ODD_PASSWORD = 'p@ss:w/ö?#%&"\\';
const userInfo = `${USER}:${PASSWORD}`;

const withLogin = (options: CameraOptions = {}) =>
  camera({ credentials: credentials(PASSWORD), userInfo, ...options });

/** Requires Basic for every request except OPTIONS, and accepts one password. RFC 7617 */
function basic(challenges: readonly string[] = ['Basic realm="camera"']) {
  const right = `Basic ${Buffer.from(userInfo).toString('base64')}`;
  return responding((request, response) =>
    request.method === 'OPTIONS' || request.headers.get('Authorization') === right
      ? response
      : reply(
          request,
          '401 Unauthorized',
          challenges.map((each) => `WWW-Authenticate: ${each}`),
        ),
  );
}

const authFailed = (reading: string) => [reading === 'worker' ? 'FFMPEG_CAMERA_AUTH' : 'RTSP_AUTH_FAILED'];

export const cases: readonly Behaviour[] = [
  ...READINGS.flatMap((reading) => [
    plays({ group, name: 'digest with MD5', reading, start: withLogin() }),
    plays({ group, name: 'basic', reading, start: camera({ habits: basic(), userInfo }) }),
    plays({
      group,
      name: 'a password with unusual characters',
      reading,
      start: camera({
        credentials: credentials(ODD_PASSWORD),
        userInfo: `${USER}:${encodeURIComponent(ODD_PASSWORD)}`,
      }),
    }),
    refused(
      { group, name: 'wrong password', reading, start: withLogin({ userInfo: `${USER}:wrong` }) },
      authFailed(reading),
    ),
    refused(
      { group, name: 'wrong user', reading, start: withLogin({ userInfo: `root:${PASSWORD}` }) },
      authFailed(reading),
    ),
    refused(
      { group, name: 'no password is given', reading, start: camera({ credentials: credentials(PASSWORD) }) },
      authFailed(reading),
    ),
  ]),
  ...(['tcp', 'udp'] as const).map((reading) =>
    plays({
      group,
      name: 'digest with SHA-256',
      reading,
      start: withLogin({ credentials: credentials(PASSWORD, 'SHA-256') }),
    }),
  ),
  refused(
    {
      group,
      name: 'digest with SHA-256, which ffmpeg does not know',
      reading: 'worker',
      start: withLogin({ credentials: credentials(PASSWORD, 'SHA-256') }),
    },
    ['FFMPEG_CAMERA_AUTH', 'FFMPEG_CAMERA_REFUSED', 'FFMPEG_EXITED'],
  ),
  plays(
    {
      group,
      name: 'digest with SHA-256, G.711 that wants a worker',
      reading: 'tcp',
      start: withLogin({ credentials: credentials(PASSWORD, 'SHA-256'), sound: 'G.711' }),
    },
    { takesWorker: true, sound: 'heard' },
  ),
  plays({
    group,
    name: 'digest without qop, as RFC 2069',
    reading: 'tcp',
    start: withLogin({ habits: editingHead('DESCRIBE', (line) => line.replace(/, *qop="[^"]*"/, '')) }),
  }),
  plays({
    group,
    name: 'digest and basic offered, basic first',
    reading: 'tcp',
    start: withLogin({
      habits: editingHead('DESCRIBE', (line) =>
        line.startsWith('WWW-Authenticate') ? `WWW-Authenticate: Basic realm="camera"\r\n${line}` : line,
      ),
    }),
  }),
  refused(
    {
      group,
      name: 'an unknown scheme',
      reading: 'tcp',
      start: camera({ habits: basic(['Bearer realm="camera"']), userInfo }),
    },
    ['RTSP_AUTH_UNSUPPORTED'],
  ),
  refused(
    {
      group,
      name: '401 without a challenge',
      reading: 'tcp',
      start: camera({ habits: basic([]), userInfo }),
    },
    ['RTSP_AUTH_UNSUPPORTED', 'RTSP_AUTH_FAILED', 'RTSP_REFUSED'],
  ),
];
