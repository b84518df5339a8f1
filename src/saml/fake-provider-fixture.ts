/** A SAML provider for tests: writes, signs, and encrypts responses and logouts, as asked, well or badly. */

import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { encrypt } from 'xml-encryption';
import type { OwnParty, ProviderParty, SamlKey } from './saml-party.ts';

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export const PROVIDER_ENTITY_ID = 'https://login.example/saml';

/** Everything that a test can get wrong. Absent: right. */
export interface ResponseWish {
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

  /** Unsigned XML. */
  response(wish: ResponseWish): string {
    const { own, nowMs, inResponseTo = '_request', issuer = PROVIDER_ENTITY_ID } = wish;
    const { responseId = '_response', destination = own.acsUrl, status = SUCCESS } = wish;
    const assertion = status === SUCCESS ? this.assertion(wish) : '';
    return (
      `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${responseId}" Version="2.0" ` +
      `IssueInstant="${instant(wish.issuedAtMs ?? nowMs)}"${attribute('Destination', destination)}${attribute('InResponseTo', inResponseTo)}>` +
      `<saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>${assertion}</samlp:Response>`
    );
  }

  assertion(wish: ResponseWish): string {
    const { own, nowMs, inResponseTo = '_request', issuer = PROVIDER_ENTITY_ID, attributes = {} } = wish;
    const { assertionId = '_assertion', audience = own.entityId, recipient = own.acsUrl } = wish;
    const { nameId = 'ada@example.com', sessionIndex = 'session-1' } = wish;
    const { nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' } = wish;
    const issuedAtMs = wish.issuedAtMs ?? nowMs;
    const untilMs = wish.notOnOrAfterMs ?? issuedAtMs + 300_000;
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
      `NotOnOrAfter="${instant(wish.confirmedUntilMs ?? untilMs)}" Recipient="${recipient}"${attribute('InResponseTo', inResponseTo)}/>` +
      `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${instant(wish.notBeforeMs ?? issuedAtMs)}" ` +
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

  /** XML, signed as wished. */
  signed(wish: ResponseWish, signing: Signing = 'assertion', key = this.key): string {
    let xml = this.response(wish);
    if (signing === 'assertion' || signing === 'both') xml = this.sign(xml, 'Assertion', key);
    if (signing === 'response' || signing === 'both') xml = this.sign(xml, 'Response', key);
    return xml;
  }

  /** The assertion encrypted for a certificate, after its signature and before that of the response. */
  async encrypted(
    wish: ResponseWish,
    { certificatePem }: Pick<SamlKey, 'certificatePem'>,
    {
      signing = 'assertion',
      algorithm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyAlgorithm = OAEP,
    }: EncryptWish = {},
  ): Promise<string> {
    const plain = signing === 'assertion' || signing === 'both' ? this.signed(wish) : this.response(wish);
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

export interface EncryptWish {
  readonly signing?: Signing;
  readonly algorithm?: string;
  readonly keyAlgorithm?: string;
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
