/** SOAP 1.2 envelopes for ONVIF, with the digest of WS-Security UsernameToken Profile 1.1 §3.1 if there is a login. */

import { createHash } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { ONVIF_ERRORS } from './errors.ts';
import { descendant, descendants, escapeXml, parseXml, type XmlElement } from './xml-element.ts';

export const SOAP_CONTENT_TYPE = 'application/soap+xml; charset=utf-8';

const ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const UTILITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const PROFILE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const MESSAGE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0';

export interface OnvifLogin {
  readonly username: string;
  readonly password: Secret;
}

/** A login as one message carries it. */
export interface SoapSignature {
  readonly login: OnvifLogin;
  /** By the camera's clock: it refuses digests from another time. */
  readonly createdEpochMs: number;
  readonly nonce: Uint8Array;
}

/** `body`: XML. null: no login. */
export function soapEnvelope(body: string, signature: SoapSignature | null): string {
  const header = signature === null ? '' : `<s:Header>${securityHeader(signature)}</s:Header>`;
  return `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="${ENVELOPE}">${header}<s:Body>${body}</s:Body></s:Envelope>`;
}

/** The body of a response. Fails ONVIF_BAD_ANSWER, ONVIF_NOT_AUTHENTICATED, ONVIF_REFUSED. */
export function readSoapBody(xml: string): XmlElement {
  const envelope = parseXml(xml);
  const body = envelope.name === 'Envelope' ? descendant(envelope, 'Body') : undefined;
  if (body === undefined) throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'no SOAP body' });
  const fault = descendant(body, 'Fault');
  if (fault === undefined) return body;
  const codes = descendants(fault, 'Subcode').map((code) => descendant(code, 'Value')?.text.trim() ?? '');
  const nested = descendants(fault, 'Value').map(({ text }) => text.trim());
  // Cameras write it with and without a prefix; some use the WS-Security code.
  const isLogin = [...codes, ...nested].some((code) => /NotAuthorized|FailedAuthentication/i.test(code));
  throw new GatewayError(isLogin ? ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED : ONVIF_ERRORS.ONVIF_REFUSED);
}

function securityHeader({ login, createdEpochMs, nonce }: SoapSignature): string {
  const created = new Date(createdEpochMs).toISOString();
  const digest = createHash('sha1')
    .update(nonce)
    .update(created)
    .update(login.password.reveal())
    .digest('base64');
  return (
    `<w:Security xmlns:w="${SECURITY}" s:mustUnderstand="1"><w:UsernameToken>` +
    `<w:Username>${escapeXml(login.username)}</w:Username>` +
    `<w:Password Type="${PROFILE}#PasswordDigest">${digest}</w:Password>` +
    `<w:Nonce EncodingType="${MESSAGE}#Base64Binary">${Buffer.from(nonce).toString('base64')}</w:Nonce>` +
    `<u:Created xmlns:u="${UTILITY}">${created}</u:Created></w:UsernameToken></w:Security>`
  );
}
