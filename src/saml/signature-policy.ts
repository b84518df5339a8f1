/**
 * Signatures as SAML allows them (SAML 2.0 Core §5.4), checked on the tree before any cryptography: each covers exactly the element that it
 * is in. Signature wrapping needs a signature that covers something else, or a second element for the one that is read.
 */

import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import { childrenOf, elementsOf, invalidStructure, XML_SIGNATURE, type XmlElement } from './saml-xml.ts';

const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const TRANSFORMS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  EXCLUSIVE_C14N,
]);
/** Without SHA-1, and without keys that both sides know. */
const SIGNATURE_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const DIGEST_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

/** The signature of an element; null: it has none. Fails SAML_STRUCTURE_INVALID, SAML_SIGNATURE_INVALID. */
export function checkedSignature(element: XmlElement): XmlElement | null {
  const signatures = childrenOf(element, XML_SIGNATURE, 'Signature');
  if (signatures.length > 1) throw invalidStructure(`several signatures in ${element.name}`);
  const [signature] = signatures;
  if (signature === undefined) return null;
  const references = [...elementsOf(signature)].filter(({ name }) => name === 'Reference');
  const id = element.attributes.get('ID');
  const uri = references[0]?.attributes.get('URI');
  if (references.length !== 1 || id === undefined || uri !== `#${id}`) {
    throw invalidStructure(`the signature in ${element.name} covers something else`);
  }
  // A place to hide a second message in.
  if (childrenOf(signature, XML_SIGNATURE, 'Object').length > 0)
    throw invalidStructure('an object in a signature');
  for (const { name, attributes } of elementsOf(signature)) {
    const allowed = ALGORITHMS[name];
    if (allowed === undefined) continue;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (!allowed.has(algorithm)) throw weak(algorithm);
  }
  return signature;
}

/** No signature but those of the given elements. Fails SAML_STRUCTURE_INVALID. */
export function expectNoOtherSignature(root: XmlElement, allowed: readonly (XmlElement | null)[]): void {
  for (const element of elementsOf(root)) {
    if (element.name === 'Signature' && !allowed.includes(element)) {
      throw invalidStructure('a signature in the wrong place');
    }
  }
}

export function weak(algorithm: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_SIGNATURE_INVALID, {
    reason: `the algorithm ${algorithm.slice(0, 100)} is not allowed`,
  });
}

const ALGORITHMS: Readonly<Record<string, ReadonlySet<string>>> = {
  CanonicalizationMethod: new Set([EXCLUSIVE_C14N]),
  SignatureMethod: SIGNATURE_METHODS,
  DigestMethod: DIGEST_METHODS,
  Transform: TRANSFORMS,
};
