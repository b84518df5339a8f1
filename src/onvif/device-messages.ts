/** Requests to a camera (ONVIF Core §8, ONVIF Media §5) and its responses. */

import { descendant, descendants, escapeXml, textOf, type XmlElement } from './xml-element.ts';

const DEVICE = 'http://www.onvif.org/ver10/device/wsdl';
const MEDIA = 'http://www.onvif.org/ver10/media/wsdl';
const SCHEMA = 'http://www.onvif.org/ver10/schema';

/** How many profiles of one camera are asked for their stream. */
const MAX_PROFILES = 16;

export const GET_SYSTEM_DATE_AND_TIME = `<d:GetSystemDateAndTime xmlns:d="${DEVICE}"/>`;
export const GET_DEVICE_INFORMATION = `<d:GetDeviceInformation xmlns:d="${DEVICE}"/>`;
export const GET_CAPABILITIES = `<d:GetCapabilities xmlns:d="${DEVICE}"><d:Category>Media</d:Category></d:GetCapabilities>`;
export const GET_PROFILES = `<m:GetProfiles xmlns:m="${MEDIA}"/>`;

/** RTSP over the transport of the caller's choice; the URL is the same for all of them. */
export function getStreamUri(profileToken: string): string {
  return (
    `<m:GetStreamUri xmlns:m="${MEDIA}" xmlns:t="${SCHEMA}"><m:StreamSetup><t:Stream>RTP-Unicast</t:Stream>` +
    `<t:Transport><t:Protocol>RTSP</t:Protocol></t:Transport></m:StreamSetup>` +
    `<m:ProfileToken>${escapeXml(profileToken)}</m:ProfileToken></m:GetStreamUri>`
  );
}

/** The camera's time; null if it does not say. */
export function readSystemTimeMs(body: XmlElement): number | null {
  const utc = descendant(body, 'UTCDateTime');
  if (utc === undefined) return null;
  const part = (name: string) => Number(textOf(utc, name) ?? Number.NaN);
  const timeMs = Date.UTC(
    part('Year'),
    part('Month') - 1,
    part('Day'),
    part('Hour'),
    part('Minute'),
    part('Second'),
  );
  return Number.isNaN(timeMs) ? null : timeMs;
}

export interface DeviceInformation {
  readonly manufacturer: string | null;
  readonly model: string | null;
}

export function readDeviceInformation(body: XmlElement): DeviceInformation {
  return { manufacturer: textOf(body, 'Manufacturer'), model: textOf(body, 'Model') };
}

/** Where its media service is; null if it does not say. */
export function readMediaAddress(body: XmlElement): string | null {
  const media = descendant(body, 'Media');
  return media === undefined ? null : textOf(media, 'XAddr');
}

export interface MediaProfile {
  readonly token: string;
  /** `H264`, for example; null if it does not say. */
  readonly encoding: string | null;
}

/** In the camera's order, usually with the main stream first; profiles without video are left out. */
export function readProfiles(body: XmlElement): MediaProfile[] {
  const profiles: MediaProfile[] = [];
  for (const profile of descendants(body, 'Profiles')) {
    const token = profile.attributes.get('token') ?? '';
    const video = descendant(profile, 'VideoEncoderConfiguration');
    if (token !== '' && video !== undefined) profiles.push({ token, encoding: textOf(video, 'Encoding') });
  }
  return profiles.slice(0, MAX_PROFILES);
}

export function readStreamUri(body: XmlElement): string | null {
  return textOf(body, 'Uri');
}
