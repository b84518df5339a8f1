/** The only shape that a response can have (SAML 2.0 Core §3.3.3): one assertion, where it belongs, and nothing that looks like another. */

import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import {
  ASSERTION,
  childOf,
  childrenOf,
  elementsOf,
  invalidStructure,
  PROTOCOL,
  requiredChild,
  XML_ENCRYPTION,
  XML_SIGNATURE,
  type XmlElement,
} from './saml-xml.ts';
import { checkedSignature, expectNoOtherSignature, weak } from './signature-policy.ts';

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
/** Without RSA 1.5, whose padding can be guessed, and without triple DES. */
const KEY_ENCRYPTION: ReadonlySet<string> = new Set(['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p']);
const DATA_ENCRYPTION: ReadonlySet<string> = new Set([
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
]);
/** Whatever has one of these names is read by someone, so each is in its only place. */
const SPECIAL: ReadonlySet<string> = new Set([
  'Response',
  'Assertion',
  'EncryptedAssertion',
  'LogoutRequest',
  'LogoutResponse',
]);
const STATUS_WORD = /[^:]{1,64}$/;

export interface ResponseShape {
  readonly response: XmlElement;
  readonly isEncrypted: boolean;
  readonly isSigned: boolean;
  /** Not known of an encrypted one. */
  readonly isAssertionSigned: boolean | null;
}

/** Fails SAML_STRUCTURE_INVALID, SAML_SIGNATURE_INVALID, SAML_REFUSED. */
export function checkedShape(root: XmlElement): ResponseShape {
  if (!isNamed(root, PROTOCOL, 'Response')) throw invalidStructure('not a response');
  const signature = checkedSignature(root);
  expectSuccess(root);
  const assertions = childrenOf(root, ASSERTION, 'Assertion');
  const encrypted = childrenOf(root, ASSERTION, 'EncryptedAssertion');
  if (assertions.length + encrypted.length !== 1) throw invalidStructure('not exactly one assertion');
  for (const { namespace, name } of root.children) {
    if (!ALLOWED_CHILDREN.has(`${namespace} ${name}`)) throw invalidStructure(`an unknown ${name}`);
  }
  const [assertion] = assertions;
  const inner = assertion === undefined ? null : checkedAssertion(assertion);
  expectNoOthers(root, [root, assertion ?? encrypted[0]!]);
  expectNoOtherSignature(root, [signature, inner]);
  if (assertion === undefined) expectStrongEncryption(encrypted[0]!);
  return {
    response: root,
    isEncrypted: assertion === undefined,
    isSigned: signature !== null,
    isAssertionSigned: assertion === undefined ? null : inner !== null,
  };
}

/** The signature of an assertion that is checked on its own; null: it has none. Fails SAML_STRUCTURE_INVALID, SAML_SIGNATURE_INVALID. */
export function checkedAssertion(assertion: XmlElement): XmlElement | null {
  if (!isNamed(assertion, ASSERTION, 'Assertion')) throw invalidStructure('not an assertion');
  const signature = checkedSignature(assertion);
  expectNoOthers(assertion, [assertion]);
  expectNoOtherSignature(assertion, [signature]);
  requiredChild(assertion, ASSERTION, 'Issuer');
  requiredChild(assertion, ASSERTION, 'Conditions');
  requiredChild(requiredChild(assertion, ASSERTION, 'Subject'), ASSERTION, 'NameID');
  return signature;
}

const ALLOWED_CHILDREN: ReadonlySet<string> = new Set([
  `${ASSERTION} Issuer`,
  `${XML_SIGNATURE} Signature`,
  `${PROTOCOL} Extensions`,
  `${PROTOCOL} Status`,
  `${ASSERTION} Assertion`,
  `${ASSERTION} EncryptedAssertion`,
]);

/** Fails SAML_REFUSED with the provider's word. */
function expectSuccess(root: XmlElement): void {
  const code = requiredChild(requiredChild(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  const value = code.attributes.get('Value') ?? '';
  if (value === SUCCESS) return;
  const nested = childOf(code, PROTOCOL, 'StatusCode')?.attributes.get('Value') ?? value;
  throw new GatewayError(SAML_ERRORS.SAML_REFUSED, {
    reason: `the provider answered ${STATUS_WORD.exec(nested)?.[0] ?? 'nothing'}`,
  });
}

function expectNoOthers(root: XmlElement, allowed: readonly XmlElement[]): void {
  for (const element of elementsOf(root)) {
    if (SPECIAL.has(element.name) && !allowed.includes(element)) {
      throw invalidStructure(`another ${element.name}`);
    }
  }
}

function expectStrongEncryption(encrypted: XmlElement): void {
  const data = requiredChild(encrypted, XML_ENCRYPTION, 'EncryptedData');
  expectAlgorithm(data, DATA_ENCRYPTION);
  const keys = [...elementsOf(encrypted)].filter(({ name }) => name === 'EncryptedKey');
  if (keys.length !== 1) throw invalidStructure('not exactly one encrypted key');
  expectAlgorithm(keys[0]!, KEY_ENCRYPTION);
}

function expectAlgorithm(element: XmlElement, allowed: ReadonlySet<string>): void {
  const method = requiredChild(element, XML_ENCRYPTION, 'EncryptionMethod');
  const algorithm = method.attributes.get('Algorithm') ?? '';
  if (!allowed.has(algorithm)) throw weak(algorithm);
}

function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}
