/** What was seen of the compatibility matrix when its page was last made. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Of a camera that plays. Each field is a column of docs/reference/cameras.md. */
export interface Seen {
  /** What carries it, and the ffmpeg workers beside it. */
  readonly engine: string;
  /** CODECS of the Multivariant Playlist without profiles and levels, one for each variant. */
  readonly codecs: string;
  /** What the page of its link plays in Chromium. */
  readonly page: string;
  /** What ffmpeg decodes: of HLS, of DASH, and of the access units over WebSocket. */
  readonly hls: string;
  readonly dash: string;
  readonly realTime: string;
  /** The format of its still image. */
  readonly still: string;
}

/** Of a camera that does not. */
export interface Refused {
  /** Of the error in the log and in the camera's state. */
  readonly code: string;
  /** Status and reason that viewers get. */
  readonly answer: string;
}

export interface SeenFile {
  /** Versions of what the cameras and the viewers were. Another one is no difference that fails the test. */
  readonly peers: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, Seen | Refused>>;
}

export const SEEN_FILE = resolve(import.meta.dirname, 'seen.json');

export function readSeen(): SeenFile {
  return JSON.parse(readFileSync(SEEN_FILE, 'utf8')) as SeenFile;
}
