/** Our metadata for one provider (SAML 2.0 Metadata §2.4.4), signed with the key that signs requests. */

import { signXml } from '@node-saml/node-saml/lib/xml.js';
import type { OwnParty, SamlKeys } from './saml-party.ts';
import { ASSERTION, escapedXml, METADATA, PROTOCOL, XML_SIGNATURE } from './saml-xml.ts';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
/** Those that a response can use (response-shape.ts). */
const ENCRYPTION = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
];

/** `isAssertionSigned`: whether the assertion itself must be signed. */
export function ownMetadata(own: OwnParty, keys: SamlKeys, isAssertionSigned: boolean): string {
  const methods = ENCRYPTION.map((algorithm) => `<md:EncryptionMethod Algorithm="${algorithm}"/>`).join('');
  const descriptors = keys.flatMap(({ certificatePem }) => {
    const bare = certificatePem.replace(/-----[A-Z ]+-----|\s/g, '');
    const info = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bare}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
    return [
      `<md:KeyDescriptor use="signing">${info}</md:KeyDescriptor>`,
      `<md:KeyDescriptor use="encryption">${info}${methods}</md:KeyDescriptor>`,
    ];
  });
  const [acs, logout, entityId] = [own.acsUrl, own.logoutUrl, own.entityId].map(escapedXml);
  const xml =
    `<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${XML_SIGNATURE}" ID="_metadata" entityID="${entityId}">` +
    `<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="${isAssertionSigned}" protocolSupportEnumeration="${PROTOCOL}">` +
    descriptors.join('') +
    `<md:SingleLogoutService Binding="${REDIRECT}" Location="${logout}"/>` +
    `<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>` +
    `<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>` +
    `<md:AssertionConsumerService Binding="${POST}" Location="${acs}" index="0" isDefault="true"/>` +
    '</md:SPSSODescriptor></md:EntityDescriptor>';
  const [{ privateKeyPem, certificatePem }] = keys;
  const root = "/*[local-name()='EntityDescriptor']";
  return signXml(
    xml,
    root,
    { reference: `${root}/*[1]`, action: 'before' },
    {
      privateKey: privateKeyPem,
      publicCert: certificatePem,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
    },
  );
}

/** The names of SAML in a message of ours. */
export const MESSAGE_NAMESPACES = `xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"`;
