/** Where a camera's recordings are on a video recorder, as the configuration says. */

import type { Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import type { AddressRule } from '../sources/network/camera-address.ts';
import type { TlsTrust } from '../sources/network/tls-trust.ts';

export type RecorderKind = 'onvif' | 'hikvision' | 'dahua' | 'rtsp';

/** One video recorder. */
export interface RecorderSettings {
  /** Its UUID: cameras with the same one share its sessions. */
  readonly uuid: Ruuid;
  readonly kind: RecorderKind;
  /** How many recordings it plays at the same time. */
  readonly maxSessions: number;
}

export interface RecordedChannel {
  readonly recorder: RecorderSettings;
  readonly cameraUuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** Its RTSP server, with the login. */
  readonly rtspUrl: CredentialUrl;
  /** Its HTTP server, with the login: ISAPI, CGI, or ONVIF. */
  readonly httpUrl: CredentialUrl;
  /** Counts from 1. */
  readonly channel: number;
  readonly tls: TlsTrust;
  readonly addressRule: AddressRule;
}

const HIKVISION_CHANNEL = /\/Streaming\/(?:Channels|tracks)\/(\d{1,4})\d{2}(?:[/?]|$)/i;
const DAHUA_CHANNEL = /[?&]channel=(\d{1,4})(?:&|$)/i;

/** The channel that the URL of a live stream names; null: none that we know. */
export function channelOfUrl(url: CredentialUrl): number | null {
  const text = url.redacted();
  const found = HIKVISION_CHANNEL.exec(text)?.[1] ?? DAHUA_CHANNEL.exec(text)?.[1];
  return found === undefined ? null : Math.max(1, Number(found));
}

/** The same server and login, at another path. */
export function atPath(url: CredentialUrl, path: string): CredentialUrl {
  const moved = new URL(url.reveal());
  const [pathname = '', search = ''] = path.split('?');
  moved.pathname = pathname;
  moved.search = search;
  return new CredentialUrl(moved.href);
}

/** The URL, with the login of another one of the same recorder. */
export function withLogin(url: URL, from: CredentialUrl): CredentialUrl {
  const login = from.credentials();
  const copy = new URL(url.href);
  if (login !== null) {
    copy.username = encodeURIComponent(login.username);
    copy.password = encodeURIComponent(login.password.reveal());
  }
  return new CredentialUrl(copy.href);
}

/** Whether both lead to the same recordings in the same way. */
export function isSameChannel(a: RecordedChannel, b: RecordedChannel): boolean {
  return (
    a.recorder.uuid === b.recorder.uuid &&
    a.recorder.kind === b.recorder.kind &&
    a.recorder.maxSessions === b.recorder.maxSessions &&
    a.rtspUrl.reveal() === b.rtspUrl.reveal() &&
    a.httpUrl.reveal() === b.httpUrl.reveal() &&
    a.channel === b.channel &&
    a.tls === b.tls
  );
}
