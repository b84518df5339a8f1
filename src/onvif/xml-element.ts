/**
 * As much XML as SOAP uses (SOAP 1.2 §5: no DTD, no processing instructions but the declaration), from hosts that are not
 * trusted. Namespaces are left out of account: ONVIF has no two elements of one local name in one place.
 */

import { GatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from './errors.ts';

export const MAX_XML_CHARS = 512 * 1_024;
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 20_000;
const MAX_TAG_CHARS = 8_192;

export interface XmlElement {
  /** The local name. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text without that of its children. */
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/** The root element. Fails ONVIF_BAD_ANSWER. */
export function parseXml(xml: string): XmlElement {
  if (xml.length > MAX_XML_CHARS) throw badXml('too long');
  const root: OpenElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open: OpenElement[] = [root];
  let elements = 0;
  let at = 0;
  while (at < xml.length) {
    const current = open.at(-1)!;
    const tagAt = xml.indexOf('<', at);
    current.text += decoded(xml.slice(at, tagAt < 0 ? xml.length : tagAt));
    if (tagAt < 0) break;
    if (xml.startsWith('<!--', tagAt)) at = behind(xml, '-->', tagAt + 4);
    else if (xml.startsWith('<?', tagAt)) at = behind(xml, '?>', tagAt + 2);
    else if (xml.startsWith('<![CDATA[', tagAt)) {
      at = behind(xml, ']]>', tagAt + 9);
      current.text += xml.slice(tagAt + 9, at - 3);
    } else if (xml.startsWith('<!', tagAt)) throw badXml('it has a document type');
    else if (xml.startsWith('</', tagAt)) {
      at = behind(xml, '>', tagAt + 2);
      if (open.length === 1 || localName(xml.slice(tagAt + 2, at - 1).trim()) !== current.name) {
        throw badXml('an end tag without its start');
      }
      open.pop();
    } else {
      at = endOfTag(xml, tagAt);
      elements += 1;
      if (elements > MAX_ELEMENTS || open.length > MAX_DEPTH) throw badXml('too many elements');
      const isEmpty = xml[at - 2] === '/';
      const element = openElement(xml.slice(tagAt + 1, at - (isEmpty ? 2 : 1)));
      current.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  const [element, ...others] = root.children;
  if (element === undefined || others.length > 0 || open.length > 1 || root.text.trim() !== '') {
    throw badXml('not one whole element');
  }
  return element;
}

/** The first element of this name within `element`, in document order; itself not. */
export function descendant(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : descendant(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every element of this name within `element`; those within one that is found do not count. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

/** The trimmed text of a descendant; null when there is none or it is empty. */
export function textOf(element: XmlElement, name: string): string | null {
  const text = descendant(element, name)?.text.trim() ?? '';
  return text === '' ? null : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code =
      name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function behind(xml: string, end: string, from: number): number {
  const endAt = xml.indexOf(end, from);
  if (endAt < 0) throw badXml(`no ${end}`);
  return endAt + end.length;
}

/** Behind the `>` of a start tag; one within quotes does not end it. */
function endOfTag(xml: string, tagAt: number): number {
  let quote = '';
  const lastAt = Math.min(xml.length, tagAt + MAX_TAG_CHARS);
  for (let at = tagAt + 1; at < lastAt; at += 1) {
    const character = xml[at]!;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  throw badXml('a tag without end');
}

function openElement(tag: string): OpenElement {
  const name = /^[^\s/>]+/.exec(tag)?.[0];
  if (name === undefined) throw badXml('a tag without name');
  const attributes = new Map<string, string>();
  for (const [, key, , double, single] of tag
    .slice(name.length)
    .matchAll(/([^\s=]+)\s*=\s*("([^"]*)"|'([^']*)')/g)) {
    attributes.set(localName(key!), decoded(double ?? single ?? ''));
  }
  return { name: localName(name), attributes, children: [], text: '' };
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

function badXml(reason: string): GatewayError {
  return new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason });
}
