/** Names the program behind a `User-Agent` (RFC 9110 §10.1.5) as people do. Pure. */

import { t } from './words.ts';

type Mark = readonly [name: string, mark: RegExp];

/** The first that matches: most of them say that they are the others, too. */
const BROWSERS: readonly Mark[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPT|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const PLAYERS: readonly Mark[] = [
  ['VLC', /\b(?:VLC|LibVLC)\//i],
  ['ffmpeg', /\bLavf\//],
];
/** Android says that it is Linux, too. An iPad that asks for desktop pages says that it is a Mac. */
const SYSTEMS: readonly Mark[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Chrome OS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];
/** The name that a crawler or a test tool gives itself while it poses as a browser. */
const DISGUISED = /\(compatible; ([^;)]+)/;
/** Longer names are cut. */
const MAX_CHARS = 40;

/**
 * `Chrome on Android`, `Safari on iPhone`, `curl/8.5.0`; the first word of an unknown program. Empty: nothing
 * is known.
 */
export function programText(userAgent: string): string {
  const browser = firstOf(BROWSERS, userAgent);
  const system = firstOf(SYSTEMS, userAgent);
  if (browser !== null) return system === null ? browser : t('{browser} on {system}', { browser, system });
  const player = firstOf(PLAYERS, userAgent);
  if (player !== null) return player;
  const ownName = DISGUISED.exec(userAgent)?.[1]?.trim();
  if (ownName !== undefined && ownName !== '') return shortened(ownName);
  const [word = ''] = userAgent.trim().split(/\s+/);
  if (!word.startsWith('Mozilla/')) return shortened(word);
  return system === null ? t('Unknown browser') : t('Unknown browser on {system}', { system });
}

function firstOf(marks: readonly Mark[], userAgent: string): string | null {
  return marks.find(([, mark]) => mark.test(userAgent))?.[0] ?? null;
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= MAX_CHARS ? name : `${characters.slice(0, MAX_CHARS - 1).join('')}…`;
}
