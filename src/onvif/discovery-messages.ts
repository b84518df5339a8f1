/** WS-Discovery (April 2005) as ONVIF Core §7 uses it: a probe for cameras, and their responses. */

import { randomUUID } from 'node:crypto';
import { descendants, parseXml, textOf } from './xml-element.ts';

export const DISCOVERY_GROUP = '239.255.255.250';
export const DISCOVERY_PORT = 3_702;

const ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';
const ADDRESSING = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const DISCOVERY = 'http://schemas.xmlsoap.org/ws/2005/04/discovery';

/** A probe with its own ID. */
export function discoveryProbe(): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="${ENVELOPE}" xmlns:a="${ADDRESSING}"><s:Header>` +
    `<a:MessageID>uuid:${randomUUID()}</a:MessageID><a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>` +
    `<a:Action>${DISCOVERY}/Probe</a:Action></s:Header><s:Body><d:Probe xmlns:d="${DISCOVERY}">` +
    `<d:Types xmlns:n="http://www.onvif.org/ver10/network/wsdl">n:NetworkVideoTransmitter</d:Types>` +
    `</d:Probe></s:Body></s:Envelope>`
  );
}

/** Addresses of the device services in a response, in the device's order. Fails ONVIF_BAD_ANSWER. */
export function readProbeMatches(xml: string): string[] {
  const matches = descendants(parseXml(xml), 'ProbeMatch');
  return matches
    .flatMap((match) => (textOf(match, 'XAddrs') ?? '').split(/\s+/))
    .filter((text) => text !== '');
}
