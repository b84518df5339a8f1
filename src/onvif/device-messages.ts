/** Requests to a camera's device service (ONVIF Core §8), and its responses. */

import { printable } from '../core/printable.ts';
import type { SoapMessage } from './soap.ts';
import { childrenOf, descendant, descendants, textOf, type XmlElement } from './xml-element.ts';

const DEVICE = 'http://www.onvif.org/ver10/device/wsdl';
const MAX_NAME_CHARS = 100;

export const GET_SYSTEM_DATE_AND_TIME = deviceMessage('GetSystemDateAndTime');
export const GET_DEVICE_INFORMATION = deviceMessage('GetDeviceInformation');
export const GET_CAPABILITIES = deviceMessage('GetCapabilities', '<d:Category>All</d:Category>');
export const GET_SERVICES = deviceMessage('GetServices', '<d:IncludeCapability>false</d:IncludeCapability>');

function deviceMessage(operation: string, fields = ''): SoapMessage {
  return {
    body: `<d:${operation} xmlns:d="${DEVICE}">${fields}</d:${operation}>`,
    action: `${DEVICE}/${operation}`,
  };
}

/** The camera's time; null if it does not report one, or names a time that does not exist. */
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
  const nameOf = (field: string) => printable(textOf(body, field) ?? '', MAX_NAME_CHARS) || null;
  return { manufacturer: nameOf('Manufacturer'), model: nameOf('Model') };
}

/** The addresses of services in a camera's response; null: it has no such service. */
export interface ServiceAddresses {
  /** The address of the device service, as the camera reports it. */
  readonly device: string | null;
  readonly media: string | null;
  /** Media2, the one of profile T. */
  readonly media2: string | null;
  readonly events: string | null;
  readonly ptz: string | null;
  /** Search and replay of recordings, of profile G. */
  readonly search: string | null;
  readonly replay: string | null;
}

const NAMESPACES: Readonly<Record<keyof ServiceAddresses, string>> = {
  device: DEVICE,
  media: 'http://www.onvif.org/ver10/media/wsdl',
  media2: 'http://www.onvif.org/ver20/media/wsdl',
  events: 'http://www.onvif.org/ver10/events/wsdl',
  ptz: 'http://www.onvif.org/ver20/ptz/wsdl',
  search: 'http://www.onvif.org/ver10/search/wsdl',
  replay: 'http://www.onvif.org/ver10/replay/wsdl',
};

/** The addresses in a response to GetServices. */
export function readServices(body: XmlElement): ServiceAddresses {
  const byNamespace = new Map<string, string>();
  for (const service of descendants(body, 'Service')) {
    const namespace = textOf(service, 'Namespace')?.replace(/\/$/, '');
    const address = textOf(service, 'XAddr');
    if (namespace !== undefined && address !== null) byNamespace.set(namespace, address);
  }
  const addressOf = (service: keyof ServiceAddresses) => byNamespace.get(NAMESPACES[service]) ?? null;
  return {
    device: addressOf('device'),
    media: addressOf('media'),
    media2: addressOf('media2'),
    events: addressOf('events'),
    ptz: addressOf('ptz'),
    search: addressOf('search'),
    replay: addressOf('replay'),
  };
}

/** The addresses in a response to GetCapabilities, which older cameras have and which does not know Media2. */
export function readCapabilities(body: XmlElement): ServiceAddresses {
  const capabilities = descendant(body, 'Capabilities') ?? body;
  const [extension] = childrenOf(capabilities, 'Extension');
  const addressOf = (name: string, within: XmlElement = capabilities): string | null => {
    const service = childrenOf(within, name)[0];
    const address = service === undefined ? '' : (childrenOf(service, 'XAddr')[0]?.text.trim() ?? '');
    return address === '' ? null : address;
  };
  return {
    device: addressOf('Device'),
    media: addressOf('Media'),
    media2: null,
    events: addressOf('Events'),
    ptz: addressOf('PTZ'),
    search: extension === undefined ? null : addressOf('Search', extension),
    replay: extension === undefined ? null : addressOf('Replay', extension),
  };
}
