/**
 * Metadata of a SAML provider (SAML 2.0 Metadata §2.4.3): its name, where it signs people in and out, and every key that it signs with. A
 * provider that changes its key lists both for a while, so each of them counts.
 */

import { getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js';
import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import { instantOf } from './response-verifier.ts';
import { checkedCertificate } from './saml-keys.ts';
import type { ProviderParty, SamlBinding } from './saml-party.ts';
import {
  childOf,
  childrenOf,
  elementsOf,
  METADATA,
  readXml,
  XML_SIGNATURE,
  type XmlElement,
} from './saml-xml.ts';
import { checkedSignature } from './signature-policy.ts';

/** A provider's own has some 10 KB; a federation's list has many providers, and names one of them by its entity ID. */
export const MAX_METADATA_BYTES = 1_048_576;
const MAX_ENTITY_ID_CHARS = 1_024;
const MAX_URL_CHARS = 2_048;
const MAX_CERTIFICATES = 8;
const SAML_2 = 'urn:oasis:names:tc:SAML:2.0:protocol';
const BINDINGS: Readonly<Record<SamlBinding, string>> = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
};
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface ReadMetadataOptions {
  /** The certificate that must have signed the metadata, in PEM; null: any metadata count. */
  readonly pinnedCertificate: string | null;
  /** The provider, if it is known; null: the only one in the metadata. */
  readonly entityId: string | null;
  readonly nowMs: number;
}

/** Fails SAML_TOO_LARGE, SAML_XML_INVALID, SAML_STRUCTURE_INVALID, SAML_METADATA_INVALID, SAML_METADATA_UNSIGNED, SAML_SIGNATURE_INVALID. */
export async function readProviderMetadata(
  text: string,
  { pinnedCertificate, entityId, nowMs }: ReadMetadataOptions,
): Promise<ProviderParty> {
  const options = { maxBytes: MAX_METADATA_BYTES, allowsComments: true };
  const root = await readXml(text, options);
  const trusted =
    pinnedCertificate === null
      ? root
      : await readXml(await verifiedText(text, root, pinnedCertificate), options);
  expectCurrent(trusted, nowMs);
  const entity = entityOf(trusted, entityId);
  expectCurrent(entity, nowMs);
  const descriptor = providerIn(entity);
  if (descriptor === undefined) throw invalid('no provider that speaks SAML 2.0');
  const signIn = serviceOf(descriptor, 'SingleSignOnService', ['redirect', 'post']);
  if (signIn === null) throw invalid('no address to sign in at');
  const logout = serviceOf(descriptor, 'SingleLogoutService', ['redirect']);
  return {
    entityId: entity.attributes.get('entityID')!,
    signInUrl: signIn.url,
    signInBinding: signIn.binding,
    logoutUrl: logout?.url ?? null,
    logoutResponseUrl: logout?.responseUrl ?? null,
    certificates: certificatesOf(descriptor),
  };
}

/** The bytes that the pinned certificate signed. */
async function verifiedText(text: string, root: XmlElement, certificate: string): Promise<string> {
  if (checkedSignature(root) !== null) {
    const { documentElement } = await parseDomFromString(text);
    const verified = getVerifiedXml(text, documentElement, [certificate]);
    if (verified !== null) return verified;
  }
  throw new GatewayError(SAML_ERRORS.SAML_METADATA_UNSIGNED);
}

function expectCurrent(element: XmlElement, nowMs: number): void {
  const untilMs = instantOf(element, 'validUntil');
  if (untilMs !== null && untilMs <= nowMs) throw invalid('they have expired');
}

function entityOf(root: XmlElement, entityId: string | null): XmlElement {
  const all = [...elementsOf(root)].filter(
    ({ namespace, name }) => namespace === METADATA && name === 'EntityDescriptor',
  );
  const providers = all.filter((entity) => providerIn(entity) !== undefined);
  const found = providers.filter(
    ({ attributes }) => entityId === null || attributes.get('entityID') === entityId,
  );
  if (found.length !== 1) {
    throw invalid(found.length === 0 ? 'the provider is not in them' : 'they name several providers');
  }
  const id = found[0]!.attributes.get('entityID') ?? '';
  if (id === '' || id.length > MAX_ENTITY_ID_CHARS) throw invalid('no usable entity ID');
  return found[0]!;
}

function providerIn(entity: XmlElement): XmlElement | undefined {
  return childrenOf(entity, METADATA, 'IDPSSODescriptor').find(({ attributes }) =>
    (attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(SAML_2),
  );
}

function serviceOf(descriptor: XmlElement, name: string, bindings: readonly SamlBinding[]) {
  const services = childrenOf(descriptor, METADATA, name);
  for (const binding of bindings) {
    const service = services.find(({ attributes }) => attributes.get('Binding') === BINDINGS[binding]);
    if (service === undefined) continue;
    const { attributes } = service;
    const responseUrl = attributes.get('ResponseLocation');
    return {
      binding,
      url: checkedUrl(attributes.get('Location')),
      responseUrl: responseUrl === undefined ? null : checkedUrl(responseUrl),
    };
  }
  return null;
}

function certificatesOf(descriptor: XmlElement): string[] {
  const keys = childrenOf(descriptor, METADATA, 'KeyDescriptor').filter(
    ({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing',
  );
  const texts = keys.flatMap((key) =>
    [...elementsOf(childOf(key, XML_SIGNATURE, 'KeyInfo') ?? key)]
      .filter(({ namespace, name }) => namespace === XML_SIGNATURE && name === 'X509Certificate')
      .map(({ text }) => text),
  );
  const certificates = [...new Set(texts.map(checkedCertificate))];
  if (certificates.length === 0) throw invalid('no certificate for signatures');
  if (certificates.length > MAX_CERTIFICATES) throw invalid('too many certificates');
  return certificates;
}

/** People are led there, so it is a page. Over http on this machine alone. */
function checkedUrl(text: string | undefined): string {
  const url = text === undefined || text.length > MAX_URL_CHARS ? null : URL.parse(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (!isAllowed) throw invalid('an address is not https');
  return text!;
}

function invalid(reason: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_METADATA_INVALID, { reason });
}
