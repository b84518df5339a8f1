/** Logouts of the provider (SAML 2.0 Core §3.7), signed in the query. Anyone can send something here. */

import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import { readRedirect } from './redirect-binding.ts';
import { instantOf } from './response-verifier.ts';
import type { OwnParty, ProviderParty } from './saml-party.ts';
import {
  ASSERTION,
  childrenOf,
  MAX_MESSAGE_BYTES,
  PROTOCOL,
  readXml,
  requiredChild,
  type XmlElement,
} from './saml-xml.ts';

/** A logout is for now. */
const MAX_AGE_MS = 600_000;
const MAX_TEXT_CHARS = 1_024;

export type LogoutMessage =
  | {
      readonly kind: 'request';
      readonly id: string;
      readonly nameId: string;
      /** null: all sessions of the person. */
      readonly sessionIndexes: readonly string[] | null;
      readonly issuedAtMs: number;
      /** Until then, its ID must be remembered. */
      readonly usableUntilMs: number;
      readonly relayState: string | null;
    }
  /** The end of a logout of ours. */
  | { readonly kind: 'response' };

export interface ReadLogoutOptions {
  readonly own: OwnParty;
  readonly provider: ProviderParty;
  readonly clockSkewMs: number;
  readonly nowMs: number;
}

/**
 * `query`: raw. Fails SAML_SIGNATURE_MISSING, SAML_SIGNATURE_INVALID, SAML_XML_INVALID, SAML_STRUCTURE_INVALID, SAML_TOO_LARGE,
 * SAML_ISSUER_WRONG, SAML_RECIPIENT_WRONG, SAML_CLOCK, SAML_LOGOUT_INVALID.
 */
export async function readLogout(query: string, options: ReadLogoutOptions): Promise<LogoutMessage> {
  const { own, provider, clockSkewMs, nowMs } = options;
  const { field, text, relayState } = await readRedirect(query, provider.certificates);
  const root = await readXml(text, { maxBytes: MAX_MESSAGE_BYTES });
  const name = field === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse';
  if (root.namespace !== PROTOCOL || root.name !== name) {
    throw new GatewayError(SAML_ERRORS.SAML_LOGOUT_INVALID, { reason: 'not a logout' });
  }
  if (requiredChild(root, ASSERTION, 'Issuer').text !== provider.entityId) {
    throw new GatewayError(SAML_ERRORS.SAML_ISSUER_WRONG);
  }
  // It is signed, so it must name its destination (Bindings §3.4.5.2).
  if (root.attributes.get('Destination') !== own.logoutUrl) {
    throw new GatewayError(SAML_ERRORS.SAML_RECIPIENT_WRONG);
  }
  if (field === 'SAMLResponse') return { kind: 'response' };
  const issuedAtMs = instantOf(root, 'IssueInstant') ?? Number.NEGATIVE_INFINITY;
  const endMs = instantOf(root, 'NotOnOrAfter') ?? Number.POSITIVE_INFINITY;
  const usableUntilMs = Math.min(issuedAtMs + MAX_AGE_MS, endMs) + clockSkewMs;
  if (nowMs >= usableUntilMs || issuedAtMs - clockSkewMs > nowMs) {
    throw new GatewayError(SAML_ERRORS.SAML_CLOCK, { reason: 'the logout is too old, or of the future' });
  }
  const id = root.attributes.get('ID') ?? '';
  const nameId = shortText(requiredChild(root, ASSERTION, 'NameID'));
  if (id === '' || nameId === '') throw new GatewayError(SAML_ERRORS.SAML_LOGOUT_INVALID);
  const indexes = childrenOf(root, PROTOCOL, 'SessionIndex').map(shortText);
  return {
    kind: 'request',
    id,
    nameId,
    sessionIndexes: indexes.length === 0 ? null : indexes,
    issuedAtMs,
    usableUntilMs,
    relayState,
  };
}

function shortText({ text }: XmlElement): string {
  return text.slice(0, MAX_TEXT_CHARS);
}
