import { expect, it } from 'vitest';
import { programText } from './program-text.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

it.each([
  [
    'Chrome on Android',
    `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`,
  ],
  ['Chrome on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`],
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`],
  [
    'Chrome on Chrome OS',
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
  ],
  ['Chrome on iPhone', `${IPHONE} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`],
  ['Safari on iPhone', `${IPHONE} Version/18.0 Mobile/15E148 Safari/604.1`],
  [
    'Safari on iPad',
    'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
  ],
  ['Safari on macOS', `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  ['Firefox on iPhone', `${IPHONE} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`],
  ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`],
  ['Opera on macOS', `${MAC} ${WEBKIT} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`],
  [
    'Samsung Internet on Android',
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  ['VLC', 'VLC/3.0.21 LibVLC/3.0.21'],
  ['ffmpeg', 'Lavf/61.7.100'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['python-requests/2.32', 'python-requests/2.32 extra words'],
  ['WallBot/1.2', 'Mozilla/5.0 (compatible; WallBot/1.2; +https://wall.example)'],
  ['Unknown browser on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT}`],
  ['Unknown browser', 'Mozilla/5.0'],
  [`${'W'.repeat(39)}…`, 'W'.repeat(200)],
  [`${'😀'.repeat(39)}…`, '😀'.repeat(50)],
  ['', ''],
  ['', '   '],
])('says %j', (text, userAgent) => {
  expect(programText(userAgent)).toBe(text);
});
