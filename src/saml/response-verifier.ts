/**
 * Responses of SAML providers (SAML 2.0 Profiles §4.1.4.3). The shape is checked first, then node-saml decrypts and verifies, and the
 * facts are read from nothing but the bytes that the signature covers. Times are checked here, by the gateway's clock.
 */

import { SAML } from '@node-saml/node-saml';
import { GatewayError } from '../core/errors.ts';
import { SAML_ERRORS } from './errors.ts';
import { checkedAssertion, checkedShape, type ResponseShape } from './response-shape.ts';
import type { OwnParty, ProviderParty, ResponseRules, SamlKeys } from './saml-party.ts';
import {
  ASSERTION,
  childOf,
  childrenOf,
  decodedMessage,
  invalidStructure,
  MAX_MESSAGE_BYTES,
  readXml,
  requiredChild,
  type XmlElement,
} from './saml-xml.ts';

/** An assertion is for now: a sign-in at the provider takes seconds after it was issued. */
const MAX_AGE_MS = 600_000;
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const MAX_ATTRIBUTES = 200;
const MAX_VALUES = 1_000;
const MAX_VALUE_CHARS = 1_024;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A verified statement about a person. */
export interface SamlAssertion {
  readonly id: string;
  /** The request that it responds to; null: the provider began. */
  readonly inResponseTo: string | null;
  readonly nameId: string;
  /** null: the provider names none. */
  readonly nameIdFormat: string | null;
  /** The provider's session; null: it has no name. */
  readonly sessionIndex: string | null;
  /** By the provider's clock. */
  readonly issuedAtMs: number;
  /** From then on, it is refused anyway. */
  readonly usableUntilMs: number;
  /** By name. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly isEncrypted: boolean;
}

export interface VerifyResponseOptions {
  readonly own: OwnParty;
  readonly provider: ProviderParty;
  readonly rules: ResponseRules;
  readonly keys: SamlKeys;
  readonly nowMs: number;
}

/**
 * `encoded`: the field `SAMLResponse` of the form. The caller compares `inResponseTo` with its request, and refuses an ID that was used
 * before. Fails SAML_TOO_LARGE, SAML_XML_INVALID, SAML_STRUCTURE_INVALID, SAML_SIGNATURE_MISSING, SAML_SIGNATURE_INVALID,
 * SAML_ENCRYPTION_MISSING, SAML_ISSUER_WRONG, SAML_RECIPIENT_WRONG, SAML_AUDIENCE_WRONG, SAML_CLOCK, SAML_REFUSED.
 */
export async function verifyResponse(
  encoded: string,
  options: VerifyResponseOptions,
): Promise<SamlAssertion> {
  const { own, provider, rules } = options;
  const text = decodedMessage(encoded);
  const shape = checkedShape(await readXml(text, { maxBytes: MAX_MESSAGE_BYTES }));
  expectSigned(shape, options.rules);
  if (rules.requiresEncryption && !shape.isEncrypted) {
    throw new GatewayError(SAML_ERRORS.SAML_ENCRYPTION_MISSING);
  }
  const verified = await verifiedAssertion(text, shape, options);
  expectIssuer(childOf(shape.response, ASSERTION, 'Issuer'), provider);
  expectIssuer(requiredChild(verified, ASSERTION, 'Issuer'), provider);
  expectDestination(shape, own);
  expectAudience(verified, own);
  return factsOf(verified, shape, options);
}

/** Unsigned responses end here. What an encrypted assertion has inside is known later. */
function expectSigned({ isSigned, isAssertionSigned }: ResponseShape, { signed }: ResponseRules): void {
  const lacksResponse = (signed === 'response' || signed === 'both') && !isSigned;
  const lacksAssertion = (signed === 'assertion' || signed === 'both') && isAssertionSigned === false;
  if (lacksResponse || lacksAssertion || (!isSigned && isAssertionSigned === false)) {
    throw new GatewayError(SAML_ERRORS.SAML_SIGNATURE_MISSING, {
      reason: lacksResponse ? 'the response is not signed' : 'the assertion is not signed',
    });
  }
}

/** Fails SAML_SIGNATURE_INVALID with one sentence for everything, so that no one learns why something could not be decrypted. */
async function verifiedAssertion(
  text: string,
  { isEncrypted }: ResponseShape,
  { own, provider, rules, keys }: VerifyResponseOptions,
): Promise<XmlElement> {
  const { signed } = rules;
  for (const { privateKeyPem } of isEncrypted ? keys : keys.slice(0, 1)) {
    const saml = new SAML({
      callbackUrl: own.acsUrl,
      issuer: own.entityId,
      idpCert: [...provider.certificates],
      decryptionPvk: privateKeyPem,
      wantAuthnResponseSigned: signed === 'response' || signed === 'both',
      wantAssertionsSigned: signed === 'assertion' || signed === 'both',
      // Checked here, by the gateway's clock and with sentences of its own.
      acceptedClockSkewMs: -1,
      audience: false,
    });
    const encoded = Buffer.from(text).toString('base64');
    const result = await saml.validatePostResponseAsync({ SAMLResponse: encoded }).catch(() => null);
    const xml = result?.profile?.getAssertionXml?.();
    if (xml === undefined) continue;
    const assertion = await readXml(xml, { maxBytes: MAX_MESSAGE_BYTES });
    checkedAssertion(assertion);
    return assertion;
  }
  throw new GatewayError(SAML_ERRORS.SAML_SIGNATURE_INVALID, {
    reason: isEncrypted
      ? 'no known key decrypts and verifies the assertion'
      : 'no known certificate made the signature, or the message was changed',
  });
}

/** `issuer`: null if the message has none, which only responses may omit. */
function expectIssuer(issuer: XmlElement | null, { entityId }: ProviderParty): void {
  if (issuer === null || issuer.text === entityId) return;
  throw new GatewayError(SAML_ERRORS.SAML_ISSUER_WRONG, {
    reason: `the issuer is ${issuer.text.slice(0, 200)}`,
  });
}

/** A signed message must name its destination (SAML 2.0 Bindings §3.5.5.2). */
function expectDestination({ response, isSigned }: ResponseShape, { acsUrl }: OwnParty): void {
  const destination = response.attributes.get('Destination');
  if (destination === acsUrl || (destination === undefined && !isSigned)) return;
  throw wrongRecipient(`the destination is ${(destination ?? 'missing').slice(0, 200)}`);
}

function expectAudience(assertion: XmlElement, { entityId }: OwnParty): void {
  const conditions = requiredChild(assertion, ASSERTION, 'Conditions');
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isOurs = (restriction: XmlElement) =>
    childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text === entityId);
  if (restrictions.length > 0 && restrictions.every(isOurs)) return;
  const named = restrictions.flatMap((each) => childrenOf(each, ASSERTION, 'Audience')).at(0)?.text;
  throw new GatewayError(SAML_ERRORS.SAML_AUDIENCE_WRONG, {
    reason: `the audience is ${(named ?? 'missing').slice(0, 200)}`,
  });
}

function factsOf(assertion: XmlElement, shape: ResponseShape, options: VerifyResponseOptions): SamlAssertion {
  const { rules, nowMs } = options;
  const issuedAtMs = instantOf(assertion, 'IssueInstant');
  if (issuedAtMs === null) throw invalidStructure('no time of issue');
  const oldestUntilMs = issuedAtMs + MAX_AGE_MS + rules.clockSkewMs;
  expectTime(issuedAtMs - rules.clockSkewMs <= nowMs, 'the assertion was issued in the future');
  expectTime(nowMs < oldestUntilMs, 'the assertion is too old');
  expectWithin(requiredChild(assertion, ASSERTION, 'Conditions'), options);
  const { inResponseTo, untilMs } = bearerOf(assertion, shape, options);
  const statement = childrenOf(assertion, ASSERTION, 'AuthnStatement')[0];
  if (statement === undefined) throw invalidStructure('no statement about the sign-in');
  const sessionEndMs = instantOf(statement, 'SessionNotOnOrAfter');
  expectTime(sessionEndMs === null || nowMs - rules.clockSkewMs < sessionEndMs, 'the session has ended');
  const nameId = requiredChild(requiredChild(assertion, ASSERTION, 'Subject'), ASSERTION, 'NameID');
  const id = assertion.attributes.get('ID');
  if (id === undefined || nameId.text === '' || nameId.text.length > MAX_VALUE_CHARS) {
    throw invalidStructure('no usable NameID');
  }
  return {
    id,
    inResponseTo,
    nameId: nameId.text,
    nameIdFormat: nameId.attributes.get('Format') ?? null,
    sessionIndex: statement.attributes.get('SessionIndex')?.slice(0, MAX_VALUE_CHARS) ?? null,
    issuedAtMs,
    usableUntilMs: Math.min(oldestUntilMs, untilMs + rules.clockSkewMs),
    attributes: attributesOf(assertion),
    isEncrypted: shape.isEncrypted,
  };
}

/** The confirmation that the browser brought it to us, now. Fails SAML_RECIPIENT_WRONG, SAML_CLOCK, SAML_STRUCTURE_INVALID. */
function bearerOf(
  assertion: XmlElement,
  { response }: ResponseShape,
  { own, rules, nowMs }: VerifyResponseOptions,
): { readonly inResponseTo: string | null; readonly untilMs: number } {
  const subject = requiredChild(assertion, ASSERTION, 'Subject');
  const bearers = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === BEARER,
  );
  if (bearers.length !== 1) throw invalidStructure('not exactly one bearer confirmation');
  const data = requiredChild(bearers[0]!, ASSERTION, 'SubjectConfirmationData');
  const recipient = data.attributes.get('Recipient');
  if (recipient !== own.acsUrl) {
    throw wrongRecipient(`the recipient is ${(recipient ?? 'missing').slice(0, 200)}`);
  }
  const untilMs = instantOf(data, 'NotOnOrAfter');
  if (untilMs === null) throw invalidStructure('the confirmation has no end');
  expectTime(nowMs - rules.clockSkewMs < untilMs, 'the confirmation has expired');
  const inResponseTo = data.attributes.get('InResponseTo') ?? null;
  const ofResponse = response.attributes.get('InResponseTo') ?? null;
  if (inResponseTo !== ofResponse) {
    throw new GatewayError(SAML_ERRORS.SAML_REQUEST_UNKNOWN, {
      reason: 'response and assertion name different requests',
    });
  }
  return { inResponseTo, untilMs };
}

function expectWithin(conditions: XmlElement, { rules, nowMs }: VerifyResponseOptions): void {
  const [fromMs, untilMs] = [instantOf(conditions, 'NotBefore'), instantOf(conditions, 'NotOnOrAfter')];
  expectTime(fromMs === null || fromMs - rules.clockSkewMs <= nowMs, 'the assertion is not valid yet');
  expectTime(untilMs === null || nowMs - rules.clockSkewMs < untilMs, 'the assertion has expired');
}

function expectTime(isRight: boolean, reason: string): void {
  if (!isRight) throw new GatewayError(SAML_ERRORS.SAML_CLOCK, { reason });
}

/** null: absent. Fails SAML_STRUCTURE_INVALID. */
export function instantOf({ attributes, name }: XmlElement, attribute: string): number | null {
  const text = attributes.get(attribute);
  if (text === undefined) return null;
  const epochMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) throw invalidStructure(`${attribute} of ${name} is no time`);
  return epochMs;
}

function attributesOf(assertion: XmlElement): Map<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ASSERTION, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      if (!found.has(name) && found.size === MAX_ATTRIBUTES) continue;
      const values = found.get(name) ?? [];
      for (const { text } of childrenOf(attribute, ASSERTION, 'AttributeValue')) {
        if (values.length < MAX_VALUES && text.length <= MAX_VALUE_CHARS) values.push(text);
      }
      found.set(name, values);
    }
  }
  return found;
}

function wrongRecipient(reason: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_RECIPIENT_WRONG, { reason });
}
