/** WS-Discovery (April 2005) as ONVIF Core §7 uses it: a probe for cameras, and their responses. */

import { randomUUID } from 'node:crypto';
import { printable } from '../core/printable.ts';
import { descendants, parseXml, textOf, type XmlElement } from './xml-element.ts';

export const DISCOVERY_GROUP = '239.255.255.250';
export const DISCOVERY_PORT = 3_702;

const ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';
const ADDRESSING = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const DISCOVERY = 'http://schemas.xmlsoap.org/ws/2005/04/discovery';

/** Limits on the stored part of one response. */
const MAX_ADDRESSES = 16;
const MAX_SCOPES = 64;
const MAX_NAME_CHARS = 100;

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

/** A camera's description of itself, without a login. */
export interface ProbeMatch {
  /** The addresses of its device service, in its order. */
  readonly addresses: readonly string[];
  /** The name in its scopes (ONVIF Core §7.3.3); null: none. */
  readonly name: string | null;
  readonly hardware: string | null;
}

/** Fails ONVIF_BAD_ANSWER. */
export function readProbeMatches(xml: string): ProbeMatch[] {
  return descendants(parseXml(xml), 'ProbeMatch').map((match) => {
    const scopes = wordsOf(match, 'Scopes').slice(0, MAX_SCOPES);
    return {
      addresses: wordsOf(match, 'XAddrs').slice(0, MAX_ADDRESSES),
      name: scopeOf(scopes, 'name'),
      hardware: scopeOf(scopes, 'hardware'),
    };
  });
}

function wordsOf(match: XmlElement, name: string): string[] {
  return (textOf(match, name) ?? '').split(/\s+/).filter((word) => word !== '');
}

/** `onvif://www.onvif.org/name/Front%20door`; some cameras leave the escapes out, or end them early. */
function scopeOf(scopes: readonly string[], kind: string): string | null {
  const prefix = `onvif://www.onvif.org/${kind}/`;
  const scope = scopes.find((text) => text.toLowerCase().startsWith(prefix));
  if (scope === undefined) return null;
  const text = printable(unescaped(scope.slice(prefix.length)), MAX_NAME_CHARS);
  return text === '' ? null : text;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
