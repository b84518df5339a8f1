/** URLs of cameras that the gateway opens, as people write them: in the configuration file and through the API. */

import { CredentialUrl, isTornUrl } from '../../core/secret.ts';
import { CAMERA_URL_SCHEMES } from './camera-route.ts';

/** The schemes of cameras' URLs, in the order in which documents list them. */
export const PULLED_URL_SCHEMES = [...CAMERA_URL_SCHEMES, 'http', 'https', 'rtmp', 'rtmps', 'srt'] as const;

/** null: not a URL with a host and one of `schemes`, or a raw # / ? @ of a password tears it (isTornUrl). */
export function parseSchemeUrl(text: string, schemes: readonly string[]): CredentialUrl | null {
  if (!URL.canParse(text) || isTornUrl(text)) return null;
  const url = new CredentialUrl(text);
  return schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '' ? url : null;
}

/** The URL of a camera's stream; null: it is not one. An SRT URL needs a port, and it is the gateway that calls. */
export function parsePulledUrl(text: string): CredentialUrl | null {
  const url = parseSchemeUrl(text, PULLED_URL_SCHEMES);
  return url !== null && isCallable(url) ? url : null;
}

function isCallable(url: CredentialUrl): boolean {
  if (url.protocol !== 'srt:') return true;
  const mode = new URL(url.redacted()).searchParams.get('mode');
  return url.port !== null && (mode === null || mode === 'caller');
}
