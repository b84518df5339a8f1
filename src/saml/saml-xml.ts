/**
 * SAML messages as plain trees. Only what SAML needs is XML here: no document types, entities, comments, processing instructions, or CDATA,
 * and each ID once. What a comment hides from one reader and shows to another (`ada@example.com<!-- -->.evil.example`) never gets in.
 */

import { parseDomFromString } from '@node-saml/node-saml/lib/xml.js';
import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';

/** Responses of providers have some 10 KB. */
export const MAX_MESSAGE_BYTES = 256 * 1_024;
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 64;
const ELEMENT = 1;
const TEXT = 3;
const CDATA = 4;
const XML_DECLARATION = /^\uFEFF?\s*<\?xml\s[^?<>]*\?>/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'assertionid', 'responseid', 'requestid']);

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
export const XML_ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#';

export interface XmlElement {
  /** '' for none. */
  readonly namespace: string;
  /** Without its prefix. */
  readonly name: string;
  /** By their names as written, prefix included. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
}

/** What we read of the parser's nodes. */
interface DomNode {
  readonly nodeType: number;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly nodeValue: string | null;
}

export interface ReadXmlOptions {
  readonly maxBytes: number;
  /** Metadata of federations has comments and CDATA, which nothing there depends on. Default: refused. */
  readonly allowsComments?: boolean;
}

/** The text of a message as it comes in a form or a query. Fails SAML_TOO_LARGE, SAML_XML_INVALID. */
export function decodedMessage(base64: string, maxBytes = MAX_MESSAGE_BYTES): string {
  if (base64.length > Math.ceil((maxBytes * 3) / 2)) throw tooLarge(maxBytes);
  if (!BASE64.test(base64)) throw invalidXml('not base64');
  return messageText(Buffer.from(base64, 'base64'), maxBytes);
}

/** Fails SAML_TOO_LARGE, SAML_XML_INVALID. */
export function messageText(bytes: Buffer, maxBytes = MAX_MESSAGE_BYTES): string {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw invalidXml('not UTF-8');
  }
}

/** The root element. Fails SAML_TOO_LARGE, SAML_XML_INVALID, SAML_STRUCTURE_INVALID for an ID that occurs twice. */
export async function readXml(text: string, options: ReadXmlOptions): Promise<XmlElement> {
  if (Buffer.byteLength(text) > options.maxBytes) throw tooLarge(options.maxBytes);
  expectPlain(text, options.allowsComments === true);
  const document = await parseDomFromString(text).catch(() => {
    throw invalidXml('malformed');
  });
  const root = (document as unknown as { readonly documentElement: DomNode | null }).documentElement;
  if (root === null || root === undefined) throw invalidXml('empty');
  const ids = new Set<string>();
  let count = 0;
  return treeOf(root, 0);

  function treeOf(node: DomNode, depth: number): XmlElement {
    if (depth > MAX_DEPTH || ++count > MAX_ELEMENTS) throw invalidXml('too many elements');
    const attributes = new Map<string, string>();
    for (const { name, value } of Array.from(node.attributes)) {
      attributes.set(name, value);
      if (!ID_NAMES.has(name.slice(name.indexOf(':') + 1).toLowerCase())) continue;
      if (ids.has(value)) throw invalidStructure('an ID occurs twice');
      ids.add(value);
    }
    const children: XmlElement[] = [];
    let content = '';
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.nodeType === ELEMENT) children.push(treeOf(child, depth + 1));
      else if (child.nodeType === TEXT || child.nodeType === CDATA) content += child.nodeValue ?? '';
    }
    const { localName, namespaceURI } = node;
    return {
      namespace: namespaceURI ?? '',
      name: localName ?? '',
      attributes,
      children,
      text: content.trim(),
    };
  }
}

/** Its children of this name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Its only child of this name; null: there is none. Fails SAML_STRUCTURE_INVALID if there are several. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | null {
  const found = childrenOf(element, namespace, name);
  if (found.length > 1) throw invalidStructure(`several ${name} in ${element.name}`);
  return found[0] ?? null;
}

/** Fails SAML_STRUCTURE_INVALID. */
export function requiredChild(element: XmlElement, namespace: string, name: string): XmlElement {
  const child = childOf(element, namespace, name);
  if (child === null) throw invalidStructure(`no ${name} in ${element.name}`);
  return child;
}

/** All elements below it, itself included. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}

/** Text for an attribute or an element. */
export function escapedXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function invalidStructure(reason: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_STRUCTURE_INVALID, { reason });
}

function expectPlain(text: string, allowsComments: boolean): void {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw invalidXml('a document type');
  if (allowsComments) return;
  // Nothing of XML begins like this but comments, CDATA and declarations: in text, `<` is always escaped.
  if (text.includes('<!')) throw invalidXml('a comment or CDATA');
  if (text.replace(XML_DECLARATION, '').includes('<?')) throw invalidXml('a processing instruction');
}

function invalidXml(reason: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_XML_INVALID, { reason });
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_TOO_LARGE, { maxBytes });
}
