/**
 * As much XML as SOAP uses (SOAP 1.2 §5: no document type), from untrusted hosts. The parser takes time linear in the text and expands no
 * entities. Names are local names: ONVIF never has two elements with the same local name in one place. The namespace is only for elements
 * that are returned to the camera.
 */

import {
  parseXml as parseDocument,
  type XmlDocument,
  XmlDocumentType,
  XmlElement as XmlNodeElement,
  XmlText,
} from '@rgrove/parse-xml';
import { GatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from './errors.ts';

export const MAX_XML_CHARS = 512 * 1_024;
const MAX_DEPTH = 64;
/** Start, end and other tags: the parser turns them into objects before we see any. */
const MAX_TAGS = 20_000;
const MAX_REFERENCES = 20_000;
/** In one place. Each element that declares one costs a copy of those around it. */
const MAX_NAMESPACES = 128;

/** Cameras write a bare `&` in stream URLs. A character or entity reference begins differently. */
const BARE_AMPERSAND = /&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{1,8});)/gi;

export interface XmlElement {
  /** The local name. */
  readonly name: string;
  /** null: none is declared for its prefix. */
  readonly namespace: string | null;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text without its children's. */
  readonly text: string;
}

/** The root element. Fails ONVIF_BAD_ANSWER. */
export function parseXml(xml: string): XmlElement {
  if (xml.length > MAX_XML_CHARS) throw badXml('too long');
  if (countOf('<', xml) > MAX_TAGS) throw badXml('too many elements');
  if (countOf('&', xml) > MAX_REFERENCES) throw badXml('too many references');
  const { children, root } = parseTolerant(xml);
  if (children.some((child) => child instanceof XmlDocumentType)) throw badXml('it has a document type');
  if (root === null) throw badXml('it has no element');
  return elementOf(root, NO_NAMESPACES, 1);
}

/** The children of `element` with this name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The first element with this name within `element`, in document order; not `element` itself. */
export function descendant(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : descendant(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every element with this name within `element`; those inside a match do not count. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

/** The trimmed text of a descendant; null when there is none or it is empty. */
export function textOf(element: XmlElement, name: string): string | null {
  const text = descendant(element, name)?.text.trim() ?? '';
  return text === '' ? null : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as written in an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

/** The parser recurses: nesting that exhausts the stack is a RangeError; anything else it refuses is an XmlError. */
function parseTolerant(xml: string): XmlDocument {
  const text = xml.includes('<![CDATA[') ? xml : xml.replace(BARE_AMPERSAND, '&amp;');
  try {
    return parseDocument(text, { ignoreUndefinedEntities: true, preserveDocumentType: true });
  } catch (cause) {
    throw badXml('not well-formed', cause);
  }
}

/** Namespaces by prefix; '' is the default one. */
type Namespaces = ReadonlyMap<string, string>;

const NO_NAMESPACES: Namespaces = new Map();

function elementOf(node: XmlNodeElement, outer: Namespaces, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw badXml('nested too deeply');
  const namespaces = namespacesOf(node, outer);
  const attributes = new Map<string, string>();
  for (const name of Object.keys(node.attributes)) attributes.set(localName(name), node.attributes[name]!);
  const children: XmlElement[] = [];
  let text = '';
  for (const child of node.children) {
    if (child instanceof XmlNodeElement) children.push(elementOf(child, namespaces, depth + 1));
    else if (child instanceof XmlText) text += child.text;
  }
  const name = localName(node.name);
  const prefix = node.name.slice(0, Math.max(0, node.name.length - name.length - 1));
  return { name, namespace: namespaces.get(prefix) ?? null, attributes, children, text };
}

/** A declaration counts in the element that it is in (Namespaces in XML 1.0 §6.1). */
function namespacesOf({ attributes }: XmlNodeElement, outer: Namespaces): Namespaces {
  let inner: Map<string, string> | null = null;
  for (const name of Object.keys(attributes)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    inner ??= new Map(outer);
    if (inner.size >= MAX_NAMESPACES) throw badXml('too many namespaces');
    inner.set(name === 'xmlns' ? '' : localName(name), attributes[name]!);
  }
  return inner ?? outer;
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

function badXml(reason: string, cause?: unknown): GatewayError {
  return new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason }, cause);
}
