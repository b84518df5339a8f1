/** A SAML provider for tests: writes, signs, and encrypts responses and logouts, as asked, well or badly. */

import { inflateRawSync } from 'node:zlib';
import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { encrypt } from 'xml-encryption';
import type { CallOutbound } from '../webhooks/outbound-call.ts';
import { createSamlKey } from './saml-keys.ts';
import type { OwnParty, ProviderParty, SamlKey } from './saml-party.ts';

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export const PROVIDER_ENTITY_ID = 'https://login.example/saml';

/** Everything that a test can get wrong. Absent: right. */
export interface WantedResponse {
  readonly own: OwnParty;
  readonly nowMs: number;
  readonly inResponseTo?: string | null;
  readonly assertionId?: string;
  readonly responseId?: string;
  readonly issuer?: string;
  readonly audience?: string | null;
  readonly recipient?: string;
  readonly destination?: string | null;
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  readonly sessionIndex?: string;
  readonly status?: string;
  readonly issuedAtMs?: number;
  readonly notBeforeMs?: number;
  readonly notOnOrAfterMs?: number;
  readonly confirmedUntilMs?: number;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
}

export type Signing = 'assertion' | 'response' | 'both' | 'none';

export class FakeSamlProvider {
  key: SamlKey;

  constructor(key: SamlKey) {
    this.key = key;
  }

  party(changes: Partial<ProviderParty> = {}): ProviderParty {
    return {
      entityId: PROVIDER_ENTITY_ID,
      signInUrl: 'https://login.example/sso',
      signInBinding: 'redirect',
      logoutUrl: 'https://login.example/slo',
      logoutResponseUrl: null,
      certificates: [this.key.certificatePem],
      ...changes,
    };
  }

  /** `certificates`: in PEM, all of those that it signs with. */
  metadata(
    certificates: readonly string[] = [this.key.certificatePem],
    entityId = PROVIDER_ENTITY_ID,
  ): string {
    const keys = certificates.map(
      (pem) =>
        `<KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${pem.replace(/-----[A-Z ]+-----/g, '')}` +
        '</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>',
    );
    const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
    return (
      '<?xml version="1.0"?><!-- A comment, as federations have them. -->' +
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" ' +
      `ID="_metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">${keys.join('')}` +
      `<SingleLogoutService Binding="${redirect}" Location="https://login.example/slo"/>` +
      `<SingleSignOnService Binding="${redirect}" Location="https://login.example/sso"/></IDPSSODescriptor></EntityDescriptor>`
    );
  }

  /** Unsigned XML. */
  response(wanted: WantedResponse): string {
    const { own, nowMs, inResponseTo = '_request', issuer = PROVIDER_ENTITY_ID } = wanted;
    const { responseId = '_response', destination = own.acsUrl, status = SUCCESS } = wanted;
    const assertion = status === SUCCESS ? this.assertion(wanted) : '';
    return (
      `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${responseId}" Version="2.0" ` +
      `IssueInstant="${instant(wanted.issuedAtMs ?? nowMs)}"${attribute('Destination', destination)}${attribute('InResponseTo', inResponseTo)}>` +
      `<saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>${assertion}</samlp:Response>`
    );
  }

  assertion(wanted: WantedResponse): string {
    const { own, nowMs, inResponseTo = '_request', issuer = PROVIDER_ENTITY_ID, attributes = {} } = wanted;
    const { assertionId = '_assertion', audience = own.entityId, recipient = own.acsUrl } = wanted;
    const { nameId = 'ada@example.com', sessionIndex = 'session-1' } = wanted;
    const { nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' } = wanted;
    const issuedAtMs = wanted.issuedAtMs ?? nowMs;
    const untilMs = wanted.notOnOrAfterMs ?? issuedAtMs + 300_000;
    const restriction =
      audience === null
        ? ''
        : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
    const values = Object.entries(attributes).map(
      ([name, all]) =>
        `<saml:Attribute Name="${name}">${all.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
    );
    return (
      `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${assertionId}" Version="2.0" IssueInstant="${instant(issuedAtMs)}">` +
      `<saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${nameIdFormat}">${nameId}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ` +
      `NotOnOrAfter="${instant(wanted.confirmedUntilMs ?? untilMs)}" Recipient="${recipient}"${attribute('InResponseTo', inResponseTo)}/>` +
      `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${instant(wanted.notBeforeMs ?? issuedAtMs)}" ` +
      `NotOnOrAfter="${instant(untilMs)}">${restriction}</saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${instant(issuedAtMs)}" SessionIndex="${sessionIndex}"><saml:AuthnContext>` +
      `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext>` +
      `</saml:AuthnStatement>${values.length === 0 ? '' : `<saml:AttributeStatement>${values.join('')}</saml:AttributeStatement>`}</saml:Assertion>`
    );
  }

  sign(
    xml: string,
    name: 'Assertion' | 'Response' | 'LogoutRequest' | 'LogoutResponse',
    key = this.key,
  ): string {
    const xpath = `//*[local-name()='${name}']`;
    const location = { reference: `${xpath}/*[local-name()='Issuer']`, action: 'after' } as const;
    return signXml(xml, xpath, location, {
      privateKey: key.privateKeyPem,
      publicCert: key.certificatePem,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
    });
  }

  /** XML, signed as wanted. */
  signed(wanted: WantedResponse, signing: Signing = 'assertion', key = this.key): string {
    let xml = this.response(wanted);
    if (signing === 'assertion' || signing === 'both') xml = this.sign(xml, 'Assertion', key);
    if (signing === 'response' || signing === 'both') xml = this.sign(xml, 'Response', key);
    return xml;
  }

  /** The assertion encrypted for a certificate, after its signature and before that of the response. */
  async encrypted(
    wanted: WantedResponse,
    { certificatePem }: Pick<SamlKey, 'certificatePem'>,
    {
      signing = 'assertion',
      algorithm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyAlgorithm = OAEP,
    }: WantedEncryption = {},
  ): Promise<string> {
    const plain = signing === 'assertion' || signing === 'both' ? this.signed(wanted) : this.response(wanted);
    const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(plain)![0];
    const data = await new Promise<string>((resolve, reject) => {
      const options = {
        rsa_pub: certificatePem,
        pem: certificatePem,
        encryptionAlgorithm: algorithm,
        keyEncryptionAlgorithm: keyAlgorithm,
      };
      encrypt(assertion, options as never, (error: Error | null, result: string) =>
        error === null ? resolve(result) : reject(error),
      );
    });
    const xml = plain.replace(assertion, `<saml:EncryptedAssertion>${data}</saml:EncryptedAssertion>`);
    return signing === 'response' || signing === 'both' ? this.sign(xml, 'Response') : xml;
  }
}

const OAEP = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';

export interface WantedEncryption {
  readonly signing?: Signing;
  readonly algorithm?: string;
  readonly keyAlgorithm?: string;
}

/** Keys of tests are shorter, so they are made quickly. */
export const TEST_KEY_BITS = 2_048;

let localKey: Promise<SamlKey> | null = null;

/** One key for all tests of a file that do not depend on it. */
export function sharedProviderKey(): Promise<SamlKey> {
  localKey ??= createSamlKey('login.example', Date.UTC(2026, 0, 1), TEST_KEY_BITS);
  return localKey;
}

/** The metadata at any address, without a network. */
export const readLocalMetadata: CallOutbound = async () => {
  const body = new FakeSamlProvider(await sharedProviderKey()).metadata();
  return { status: 200, retryAfter: null, contentType: null, body };
};

/** The facts of a request that the gateway sent by its address. */
export function readSentRequest(url: string): { readonly id: string; readonly xml: string } {
  const packed = new URL(url).searchParams.get('SAMLRequest')!;
  const xml = inflateRawSync(Buffer.from(packed, 'base64')).toString();
  return { id: / ID="([^"]+)"/.exec(xml)![1]!, xml };
}

export function base64(xml: string): string {
  return Buffer.from(xml).toString('base64');
}

function instant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function attribute(name: string, value: string | null): string {
  return value === null ? '' : ` ${name}="${value}"`;
}
