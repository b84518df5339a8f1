/**
 * Messages in the query of a navigation (SAML 2.0 Bindings §3.4). The signature covers the query as it was written, so it is checked on the
 * raw text: another spelling of the same values is another message.
 */

import { createSign, createVerify } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import type { SamlKey } from './saml-party.ts';
import { MAX_MESSAGE_BYTES, messageText } from './saml-xml.ts';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
/** Without SHA-1. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  [RSA_SHA256]: 'RSA-SHA256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'RSA-SHA512',
};
const PARAMETERS = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature'] as const;

type Field = 'SAMLRequest' | 'SAMLResponse';
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export interface RedirectMessage {
  readonly field: Field;
  readonly text: string;
  readonly relayState: string | null;
}

/** The address with a signed message. `relayState`: null for none. */
export async function redirectUrl(
  address: string,
  field: Field,
  xml: string,
  { privateKeyPem }: Pick<SamlKey, 'privateKeyPem'>,
  relayState: string | null = null,
): Promise<string> {
  const packed = (await deflate(Buffer.from(xml))).toString('base64');
  const pairs: [string, string][] = [[field, packed]];
  if (relayState !== null) pairs.push(['RelayState', relayState]);
  pairs.push(['SigAlg', RSA_SHA256]);
  const signed = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const signature = createSign('RSA-SHA256').update(signed).sign(privateKeyPem, 'base64');
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}${signed}&Signature=${encodeURIComponent(signature)}`;
}

/**
 * A message whose signature one of the certificates made. `query`: raw, without the question mark. Fails SAML_SIGNATURE_MISSING,
 * SAML_SIGNATURE_INVALID, SAML_STRUCTURE_INVALID, SAML_XML_INVALID, SAML_TOO_LARGE.
 */
export async function readRedirect(query: string, certificates: readonly string[]): Promise<RedirectMessage> {
  const raw = rawParameters(query);
  const field = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const message = raw.get(field);
  if (message === undefined || (raw.has('SAMLRequest') && raw.has('SAMLResponse'))) {
    throw new GatewayError(SAML_ERRORS.SAML_STRUCTURE_INVALID, { reason: 'not exactly one message' });
  }
  expectSigned(raw, field, certificates);
  const options = { maxOutputLength: MAX_MESSAGE_BYTES };
  const bytes = await inflate(Buffer.from(decoded(message), 'base64'), options).catch((cause: unknown) => {
    const isLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const error = isLong ? SAML_ERRORS.SAML_TOO_LARGE : SAML_ERRORS.SAML_XML_INVALID;
    throw new GatewayError(error, { reason: 'not deflated' }, cause);
  });
  const relayState = raw.get('RelayState');
  return {
    field,
    text: messageText(bytes),
    relayState: relayState === undefined ? null : decoded(relayState),
  };
}

function expectSigned(raw: ReadonlyMap<string, string>, field: Field, certificates: readonly string[]): void {
  const [algorithm, signature] = [raw.get('SigAlg'), raw.get('Signature')];
  if (algorithm === undefined || signature === undefined) {
    throw new GatewayError(SAML_ERRORS.SAML_SIGNATURE_MISSING, { reason: 'the query is not signed' });
  }
  const name = ALGORITHMS[decoded(algorithm)];
  const covered = [field, 'RelayState', 'SigAlg']
    .filter((each) => raw.has(each))
    .map((each) => `${each}=${raw.get(each)}`)
    .join('&');
  const bytes = Buffer.from(decoded(signature), 'base64');
  const isOf = (pem: string) => createVerify(name!).update(covered).verify(pem, bytes);
  if (name !== undefined && certificates.some(isOf)) return;
  throw new GatewayError(SAML_ERRORS.SAML_SIGNATURE_INVALID, {
    reason: 'no known certificate signed the query',
  });
}

/** As written. A name that occurs twice fails SAML_STRUCTURE_INVALID. */
function rawParameters(query: string): Map<string, string> {
  const raw = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (!(PARAMETERS as readonly string[]).includes(name)) continue;
    if (raw.has(name)) {
      throw new GatewayError(SAML_ERRORS.SAML_STRUCTURE_INVALID, { reason: `${name} occurs twice` });
    }
    raw.set(name, pair.slice(equals + 1));
  }
  return raw;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw new GatewayError(SAML_ERRORS.SAML_XML_INVALID, { reason: 'not a query' });
  }
}
