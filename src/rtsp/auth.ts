/**
 * Basic and Digest authentication (RFC 7617, RFC 7616, RFC 2617) for both ends: the client that responds to a camera's
 * challenge and the server that verifies. Digest with MD5 and SHA-256, their `-sess` forms, qop `auth` or none.
 *
 * Strings are byte strings, one character per byte, as headers are read and written. User names and passwords are
 * encoded as UTF-8 (RFC 7616 §4), which is what cameras store for non-ASCII characters.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/secret.ts';

export type DigestAlgorithm = 'MD5' | 'MD5-sess' | 'SHA-256' | 'SHA-256-sess';

export interface BasicChallenge {
  readonly scheme: 'basic';
  readonly realm: string;
}

export interface DigestChallenge {
  readonly scheme: 'digest';
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: DigestAlgorithm;
  /** The camera named its algorithm: the response repeats it. */
  readonly hasAlgorithm: boolean;
  /** `none` is the form of RFC 2069. */
  readonly qop: 'auth' | 'none';
  /** The credentials were correct, but the nonce was too old. */
  readonly isStale: boolean;
}

export type Challenge = BasicChallenge | DigestChallenge;

export interface Credentials {
  readonly username: string;
  readonly password: Secret;
}

/** The fields that a Digest response covers in addition to the credentials. */
export interface DigestRequest {
  readonly method: string;
  /** As in the request line. */
  readonly uri: string;
  /** Requests sent with this nonce, including this one. */
  readonly nonceCount: number;
  /** Unpredictable, safe in a quoted string. */
  readonly cnonce: string;
}

/** Strongest first. */
const ALGORITHMS: readonly DigestAlgorithm[] = ['SHA-256', 'SHA-256-sess', 'MD5', 'MD5-sess'];
/** Limits on the header values that are read, and on the parameters kept from one challenge. */
const MAX_CHALLENGE_HEADERS = 8;
const MAX_PARAMETERS = 32;

/**
 * The strongest supported challenge of a 401 response; null if there is none. `headers`: all WWW-Authenticate values;
 * one value may hold several challenges. Never throws.
 */
export function parseChallenge(headers: readonly string[]): Challenge | null {
  let best: Challenge | null = null;
  for (const header of headers.slice(0, MAX_CHALLENGE_HEADERS)) {
    for (const { scheme, parameters } of splitSchemes(header)) {
      const challenge = readChallenge(scheme, parameters);
      if (challenge !== null && (best === null || rank(challenge) < rank(best))) best = challenge;
    }
  }
  return best;
}

/** The Authorization value that responds to `challenge`. */
export function buildAuthorization(
  challenge: Challenge,
  credentials: Credentials,
  request: DigestRequest,
): string {
  const username = byteString(credentials.username);
  if (challenge.scheme === 'basic') {
    const pair = `${username}:${byteString(credentials.password.reveal())}`;
    return `Basic ${Buffer.from(pair, 'latin1').toString('base64')}`;
  }
  const { realm, nonce, algorithm, qop } = challenge;
  const fields = {
    ...request,
    realm,
    nonce,
    algorithm,
    qop,
    nc: request.nonceCount.toString(16).padStart(8, '0'),
  };
  let text = `Digest username=${quoted(username)}, realm=${quoted(realm)}, nonce=${quoted(nonce)}`;
  text += `, uri=${quoted(request.uri)}, response="${digestResponse(credentials, fields)}"`;
  if (challenge.hasAlgorithm) text += `, algorithm=${algorithm}`;
  if (challenge.opaque !== null) text += `, opaque=${quoted(challenge.opaque)}`;
  if (qop === 'auth') text += `, qop=auth, nc=${fields.nc}, cnonce="${request.cnonce}"`;
  return text;
}

/** A server's WWW-Authenticate value. `isStale`: the credentials were correct, only the nonce is too old. */
export function buildDigestChallenge(
  realm: string,
  nonce: string,
  algorithm: DigestAlgorithm,
  qop: 'auth' | 'none',
  isStale = false,
): string {
  let text = `Digest realm=${quoted(realm)}, nonce=${quoted(nonce)}, algorithm=${algorithm}`;
  if (qop === 'auth') text += ', qop="auth"';
  return isStale ? `${text}, stale=true` : text;
}

/** A server's requirements for a Digest response. */
export interface DigestExpectation {
  readonly method: string;
  /** URI from the request line. */
  readonly uri: string;
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: DigestAlgorithm;
  readonly qop: 'auth' | 'none';
  readonly credentials: Credentials;
}

/**
 * Server side: whether an Authorization value is the correct Digest response. The caller handles replays within a
 * nonce's lifetime.
 */
export function verifyDigest(authorization: string, expected: DigestExpectation): boolean {
  const [credentials] = splitSchemes(authorization);
  if (credentials?.scheme !== 'digest') return false;
  const given = credentials.parameters;
  const isForThis =
    given.get('username') === byteString(expected.credentials.username) &&
    given.get('realm') === expected.realm &&
    given.get('nonce') === expected.nonce &&
    given.get('uri') === expected.uri &&
    (given.get('algorithm') ?? 'MD5').toUpperCase() === expected.algorithm.toUpperCase() &&
    (given.get('qop')?.toLowerCase() ?? 'none') === expected.qop;
  const fields = { ...expected, nc: given.get('nc') ?? '', cnonce: given.get('cnonce') ?? '' };
  const response = digestResponse(expected.credentials, fields);
  return isEqualText(given.get('response')?.toLowerCase() ?? '', response) && isForThis;
}

/** Server side: whether an Authorization value holds these credentials by the Basic scheme. */
export function verifyBasic(authorization: string, credentials: Credentials): boolean {
  const token = /^basic +(\S+)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) return false;
  const given = Buffer.from(token, 'base64').toString('latin1');
  return isEqualText(given, byteString(`${credentials.username}:${credentials.password.reveal()}`));
}

interface DigestFields {
  readonly method: string;
  readonly uri: string;
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: DigestAlgorithm;
  readonly qop: 'auth' | 'none';
  readonly nc: string;
  readonly cnonce: string;
}

/** RFC 7616 §3.4.1; without qop RFC 2617 §3.2.2.1. */
function digestResponse(credentials: Credentials, fields: DigestFields): string {
  const hash = (text: string): string =>
    createHash(fields.algorithm.startsWith('SHA-256') ? 'sha256' : 'md5')
      .update(text, 'latin1')
      .digest('hex');
  const secret = `${byteString(credentials.username)}:${fields.realm}:${byteString(credentials.password.reveal())}`;
  const { nonce, cnonce, nc, qop } = fields;
  const ha1 = fields.algorithm.endsWith('-sess') ? hash(`${hash(secret)}:${nonce}:${cnonce}`) : hash(secret);
  const ha2 = hash(`${fields.method}:${fields.uri}`);
  return qop === 'auth'
    ? hash(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`)
    : hash(`${ha1}:${nonce}:${ha2}`);
}

function readChallenge(scheme: string, parameters: ReadonlyMap<string, string>): Challenge | null {
  const realm = parameters.get('realm') ?? '';
  if (scheme === 'basic') return { scheme, realm };
  const nonce = parameters.get('nonce');
  if (scheme !== 'digest' || nonce === undefined) return null;
  const named = parameters.get('algorithm') || null;
  const algorithm = ALGORITHMS.find((known) => known.toUpperCase() === (named ?? 'MD5').toUpperCase());
  const qops = (parameters.get('qop') ?? '').toLowerCase().split(/[\s,]+/);
  const isIntegrityOnly = qops.includes('auth-int') && !qops.includes('auth');
  if (algorithm === undefined || isIntegrityOnly) return null;
  return {
    scheme,
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm,
    hasAlgorithm: named !== null,
    // A session key needs the client's nonce, which is sent only with a qop.
    qop: qops.includes('auth') || algorithm.endsWith('-sess') ? 'auth' : 'none',
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}

function rank(challenge: Challenge): number {
  return challenge.scheme === 'basic' ? ALGORITHMS.length : ALGORITHMS.indexOf(challenge.algorithm);
}

interface SchemeParameters {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/**
 * Splits `Digest a="b", c=d, Basic realm="e"` (RFC 9110 §11.6.1). A word without `=` after it starts the next scheme.
 * Firmwares leave out separators and quotes.
 */
function splitSchemes(header: string): SchemeParameters[] {
  const found: SchemeParameters[] = [];
  const token = /[\s,]*([^\s=,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s,"]*)))?/y;
  for (let match = token.exec(header); match !== null; match = token.exec(header)) {
    const [, name = '', quotedValue, bareValue] = match;
    const value = quotedValue?.replace(/\\(.)/g, '$1') ?? bareValue;
    if (value === undefined) {
      if (found.length >= MAX_CHALLENGE_HEADERS) break;
      found.push({ scheme: name.toLowerCase(), parameters: new Map() });
      continue;
    }
    const parameters = found.at(-1)?.parameters;
    if (parameters === undefined || parameters.size >= MAX_PARAMETERS) continue;
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  return found;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function byteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Constant-time for strings of equal length. */
function isEqualText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'latin1'), Buffer.from(right, 'latin1')];
  return a.length === b.length && timingSafeEqual(a, b);
}
