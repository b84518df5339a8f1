/** Requests to a camera's media services (ONVIF Media §5, ONVIF Media2 §5), and its responses. */

import { printable } from '../core/printable.ts';
import type { SoapMessage } from './soap.ts';
import { childrenOf, descendant, descendants, escapeXml, textOf, type XmlElement } from './xml-element.ts';

const SCHEMA = 'http://www.onvif.org/ver10/schema';

/** The most profiles of one camera whose stream is requested. A video recorder of 64 channels has two per channel. */
const MAX_PROFILES = 128;
const MAX_NAME_CHARS = 100;
const MAX_SIDE_PX = 65_535;

/** Profile S has `media`. Only `media2` can name H.265. */
export type MediaVersion = 'media' | 'media2';

const NAMESPACES: Readonly<Record<MediaVersion, string>> = {
  media: 'http://www.onvif.org/ver10/media/wsdl',
  media2: 'http://www.onvif.org/ver20/media/wsdl',
};

/** `withPtz`: also the mount of each, which Media2 returns only on request. */
export function getProfiles(version: MediaVersion, withPtz = false): SoapMessage {
  // Without it, Media2 names profiles only.
  const types = ['VideoSource', 'VideoEncoder', ...(withPtz ? ['PTZ'] : [])];
  const fields = version === 'media2' ? types.map((type) => `<m:Type>${type}</m:Type>`).join('') : '';
  return mediaMessage(version, 'GetProfiles', fields);
}

/** RTSP over the transport of the caller's choice; the URL is the same for all of them. */
export function getStreamUri(version: MediaVersion, profileToken: string): SoapMessage {
  const setup =
    version === 'media2'
      ? '<m:Protocol>RtspUnicast</m:Protocol>'
      : `<m:StreamSetup xmlns:t="${SCHEMA}"><t:Stream>RTP-Unicast</t:Stream><t:Transport><t:Protocol>RTSP</t:Protocol>` +
        '</t:Transport></m:StreamSetup>';
  return mediaMessage(version, 'GetStreamUri', setup + tokenField(profileToken));
}

export function getSnapshotUri(version: MediaVersion, profileToken: string): SoapMessage {
  return mediaMessage(version, 'GetSnapshotUri', tokenField(profileToken));
}

/** The texts that the camera writes into its pictures (ONVIF Media §5.21, Media2 §5.9). */
export function getOverlays(version: MediaVersion): SoapMessage {
  return mediaMessage(version, 'GetOSDs', '');
}

export interface MediaProfile {
  readonly token: string;
  /** The lens or channel; null if the camera does not name it. */
  readonly sourceToken: string | null;
  /** The configuration of that lens or channel, which overlays name; null if the camera does not name it. */
  readonly sourceConfigToken: string | null;
  /** The name of that configuration; null if the camera does not name it. */
  readonly sourceName: string | null;
  /** `H264`, for example; null if the camera does not name it. */
  readonly encoding: string | null;
  /** null if the camera does not report it. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** null: it cannot be moved, or this was not requested. */
  readonly ptz: ProfilePtz | null;
}

/** How the camera of a profile is moved. */
export interface ProfilePtz {
  /** The node with the abilities; null if the camera does not name it. */
  readonly nodeToken: string | null;
}

/** In the camera's order; profiles without video are left out. Each token once. */
export function readProfiles(body: XmlElement): MediaProfile[] {
  const profiles = new Map<string, MediaProfile>();
  for (const profile of descendants(body, 'Profiles')) {
    const token = profile.attributes.get('token') ?? '';
    // Media and Media2 differ in these names only.
    const video = descendant(profile, 'VideoEncoderConfiguration') ?? descendant(profile, 'VideoEncoder');
    if (token === '' || video === undefined || profiles.has(token)) continue;
    const source = descendant(profile, 'VideoSourceConfiguration') ?? descendant(profile, 'VideoSource');
    const resolution = childrenOf(video, 'Resolution')[0] ?? null;
    const ptz = descendant(profile, 'PTZConfiguration') ?? descendant(profile, 'PTZ');
    profiles.set(token, {
      token,
      sourceToken: source === undefined ? null : textOf(source, 'SourceToken'),
      sourceConfigToken: source?.attributes.get('token') ?? null,
      sourceName: source === undefined ? null : nameOf(textOf(source, 'Name')),
      encoding: textOf(video, 'Encoding'),
      widthPx: sideOf(resolution, 'Width'),
      heightPx: sideOf(resolution, 'Height'),
      ptz: ptz === undefined ? null : { nodeToken: textOf(ptz, 'NodeToken') },
    });
    if (profiles.size === MAX_PROFILES) break;
  }
  return [...profiles.values()];
}

/** The name in the picture, by the configuration of the lens or channel: the first text that is neither date nor time. */
export function readOverlays(body: XmlElement): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const overlay of descendants(body, 'OSDs')) {
    const source = textOf(overlay, 'VideoSourceConfigurationToken');
    const text = descendant(overlay, 'PlainText');
    const name = nameOf(text?.text ?? null);
    if (source !== null && name !== null && !names.has(source)) names.set(source, name);
  }
  return names;
}

function nameOf(text: string | null): string | null {
  return printable(text ?? '', MAX_NAME_CHARS) || null;
}

/** The URL of a stream or snapshot; null if the camera does not return it. */
export function readUri(body: XmlElement): string | null {
  return textOf(body, 'Uri');
}

function sideOf(resolution: XmlElement | null, name: string): number | null {
  const px = resolution === null ? 0 : Number(textOf(resolution, name) ?? 0);
  return Number.isInteger(px) && px > 0 && px <= MAX_SIDE_PX ? px : null;
}

function tokenField(profileToken: string): string {
  return `<m:ProfileToken>${escapeXml(profileToken)}</m:ProfileToken>`;
}

function mediaMessage(version: MediaVersion, operation: string, fields: string): SoapMessage {
  const namespace = NAMESPACES[version];
  return {
    body: `<m:${operation} xmlns:m="${namespace}">${fields}</m:${operation}>`,
    action: `${namespace}/${operation}`,
  };
}
