/** Our own messages: requests to sign in (SAML 2.0 Core §3.4.1), and logouts (§3.7). */

import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { MESSAGE_NAMESPACES } from './own-metadata.ts';
import { redirectUrl } from './redirect-binding.ts';
import type { OwnParty, ProviderParty, SamlKey } from './saml-party.ts';
import { escapedXml } from './saml-xml.ts';

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
/** How long a logout of ours counts. */
const LOGOUT_MS = 300_000;

/** What identifies a person's session at the provider. */
export interface ProviderSubject {
  readonly nameId: string;
  readonly nameIdFormat: string | null;
  readonly sessionIndex: string | null;
}

interface Message {
  readonly id: string;
  readonly own: OwnParty;
  readonly provider: ProviderParty;
  readonly key: SamlKey;
  readonly nowMs: number;
}

/** A request for the browser: an address, or the fields of a form to post there. */
export type BrowserRequest =
  | { readonly binding: 'redirect'; readonly url: string }
  | { readonly binding: 'post'; readonly url: string; readonly samlRequest: string };

/** Leads to the provider's page for signing in. */
export async function signInRequest(message: Message): Promise<BrowserRequest> {
  const { own, provider, key } = message;
  const url = provider.signInUrl;
  const xml = element(
    'AuthnRequest',
    message,
    url,
    {
      ProtocolBinding: POST,
      AssertionConsumerServiceURL: own.acsUrl,
    },
    '<samlp:NameIDPolicy AllowCreate="true"/>',
  );
  if (provider.signInBinding === 'redirect') {
    return { binding: 'redirect', url: await redirectUrl(url, 'SAMLRequest', xml, key) };
  }
  const root = "/*[local-name()='AuthnRequest']";
  const signed = signXml(
    xml,
    root,
    { reference: `${root}/*[1]`, action: 'after' },
    {
      privateKey: key.privateKeyPem,
      publicCert: key.certificatePem,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
    },
  );
  return { binding: 'post', url, samlRequest: Buffer.from(signed).toString('base64') };
}

/** Leads to the provider's single logout; null: it has none. */
export async function logoutRequest(message: Message, subject: ProviderSubject): Promise<string | null> {
  const { provider, key, nowMs } = message;
  if (provider.logoutUrl === null) return null;
  const { nameId, nameIdFormat, sessionIndex } = subject;
  const format = nameIdFormat === null ? '' : ` Format="${escapedXml(nameIdFormat)}"`;
  const index =
    sessionIndex === null ? '' : `<samlp:SessionIndex>${escapedXml(sessionIndex)}</samlp:SessionIndex>`;
  const xml = element(
    'LogoutRequest',
    message,
    provider.logoutUrl,
    { NotOnOrAfter: new Date(nowMs + LOGOUT_MS).toISOString() },
    `<saml:NameID${format}>${escapedXml(nameId)}</saml:NameID>${index}`,
  );
  return redirectUrl(provider.logoutUrl, 'SAMLRequest', xml, key);
}

/** Leads back to the provider after its own logout; null: it has no address for that. */
export async function logoutResponse(
  message: Message,
  inResponseTo: string,
  relayState: string | null,
): Promise<string | null> {
  const { provider, key } = message;
  const url = provider.logoutResponseUrl ?? provider.logoutUrl;
  if (url === null) return null;
  const status = `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`;
  const xml = element('LogoutResponse', message, url, { InResponseTo: inResponseTo }, status);
  return redirectUrl(url, 'SAMLResponse', xml, key, relayState);
}

function element(
  name: string,
  { id, own, nowMs }: Message,
  destination: string,
  more: Readonly<Record<string, string>>,
  content: string,
): string {
  const fields = {
    ID: id,
    Version: '2.0',
    IssueInstant: new Date(nowMs).toISOString(),
    Destination: destination,
    ...more,
  };
  const attributes = Object.entries(fields).map(([key, value]) => ` ${key}="${escapedXml(value)}"`);
  const issuer = `<saml:Issuer>${escapedXml(own.entityId)}</saml:Issuer>`;
  return `<samlp:${name} ${MESSAGE_NAMESPACES}${attributes.join('')}>${issuer}${content}</samlp:${name}>`;
}
