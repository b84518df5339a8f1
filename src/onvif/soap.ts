/**
 * SOAP 1.2 envelopes for ONVIF, with the digest of WS-Security UsernameToken Profile 1.1 §3.1 if there is a login, and
 * with WS-Addressing where a message goes to a subscription (ONVIF Core §9.1).
 */

import { createHash } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import { printable } from '../core/printable.ts';
import type { Secret } from '../core/secret.ts';
import { ONVIF_ERRORS } from './errors.ts';
import { childrenOf, descendant, descendants, escapeXml, parseXml, type XmlElement } from './xml-element.ts';

const ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';
const ADDRESSING = 'http://www.w3.org/2005/08/addressing';
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const UTILITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const PROFILE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const MESSAGE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0';

/** The longest stored reason of a camera's fault. */
const MAX_REASON_CHARS = 200;

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

/** A request's body, and what names it. */
export interface SoapMessage {
  readonly body: string;
  /** Also in the Content-Type (SOAP 1.2 part 2, appendix A.3): some cameras choose the operation by it. */
  readonly action: string;
}

/** Where a message of a subscription goes (WS-Addressing 1.0 §3.3). */
export interface SoapAddress {
  readonly to: string;
  readonly messageId: string;
  /** The XML that the camera returned with the address. */
  readonly parameters: string;
}

/** The Content-Type of a request. */
export function soapContentType({ action }: SoapMessage): string {
  return `application/soap+xml; charset=utf-8; action="${action}"`;
}

/** `signature`: null: no login. `address`: null: the URL suffices. */
export function soapEnvelope(
  message: SoapMessage,
  signature: SoapSignature | null,
  address: SoapAddress | null,
): string {
  const addressing = address === null ? '' : addressingHeader(message, address);
  const fields = addressing + (signature === null ? '' : securityHeader(signature));
  const header = fields === '' ? '' : `<s:Header>${fields}</s:Header>`;
  return `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="${ENVELOPE}">${header}<s:Body>${message.body}</s:Body></s:Envelope>`;
}

/** The body of a response. Fails ONVIF_BAD_ANSWER, ONVIF_NOT_AUTHENTICATED, ONVIF_NOT_SUPPORTED, ONVIF_REFUSED. */
export function readSoapBody(xml: string): XmlElement {
  const envelope = parseXml(xml);
  const body = envelope.name === 'Envelope' ? childrenOf(envelope, 'Body')[0] : undefined;
  if (body === undefined) throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'no SOAP body' });
  const fault = childrenOf(body, 'Fault')[0];
  if (fault === undefined) return body;
  throw faultOf(fault);
}

/** SOAP 1.1 has `faultcode` and `faultstring`, and some cameras answer in it. */
function faultOf(fault: XmlElement): GatewayError {
  const values = [...descendants(fault, 'Value'), ...descendants(fault, 'faultcode')];
  const codes = values.map(({ text }) => text.trim());
  const text = (descendant(fault, 'Text') ?? descendant(fault, 'faultstring'))?.text ?? '';
  const reason = printable(text, MAX_REASON_CHARS);
  const context = reason === '' ? {} : { reason };
  // Cameras write them with and without a prefix; some use the WS-Security code.
  if (codes.some((code) => /NotAuthorized|FailedAuthentication|FailedCheck/i.test(code))) {
    return new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED, context);
  }
  const isUnknown = codes.some((code) => /ActionNotSupported|NotImplemented|ServiceNotSupported/i.test(code));
  return new GatewayError(isUnknown ? ONVIF_ERRORS.ONVIF_NOT_SUPPORTED : ONVIF_ERRORS.ONVIF_REFUSED, context);
}

function addressingHeader({ action }: SoapMessage, { to, messageId, parameters }: SoapAddress): string {
  return (
    `<a:Action xmlns:a="${ADDRESSING}" s:mustUnderstand="1">${escapeXml(action)}</a:Action>` +
    `<a:MessageID xmlns:a="${ADDRESSING}">${escapeXml(messageId)}</a:MessageID>` +
    `<a:To xmlns:a="${ADDRESSING}" s:mustUnderstand="1">${escapeXml(to)}</a:To>${parameters}`
  );
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
