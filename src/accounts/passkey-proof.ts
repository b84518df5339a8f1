/**
 * Checks the responses of authenticators, with @simplewebauthn/server. The library is loaded when the first passkey is used: most gateways
 * start without one.
 */

import type { Passkey } from '../store/passkey.ts';
import type { RelyingParty } from './relying-party.ts';

/** EdDSA, ES256, RS256 (RFC 9053 §2, RFC 8812 §2), the preferred one first. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];
const MAX_CREDENTIAL_ID_BYTES = 1_023;
const MAX_TRANSPORTS = 8;
const TRANSPORT = /^[a-z-]{1,32}$/;

/** A new passkey, as the browser describes it. Binary values are base64url. */
export interface GivenRegistration {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** A use of a passkey. Binary values are base64url. */
export interface GivenAssertion {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** The owner of the passkey; null: the authenticator does not report it. */
  readonly userHandle: string | null;
}

export type ProvenPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isSynced' | 'isBackedUp'
>;

/** The proof in an assertion. The store decides whether the counter has grown. */
export type ProvenUse = Pick<Passkey, 'counter' | 'isSynced' | 'isBackedUp'>;

/** The challenge that a response answers; null: it cannot be read, or comes from a page within another page. */
export function challengeIn(clientDataJson: string): string | null {
  try {
    const data = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as unknown;
    if (typeof data !== 'object' || data === null) return null;
    const { challenge, crossOrigin } = data as {
      readonly challenge?: unknown;
      readonly crossOrigin?: unknown;
    };
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : null;
  } catch {
    return null;
  }
}

/** Null: the registration proves nothing. */
export async function proveRegistration(
  given: GivenRegistration,
  challenge: string,
  party: RelyingParty,
): Promise<ProvenPasskey | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  return orNull(async () => {
    await expectNoCertificates(given.attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: given.credentialId,
        rawId: given.credentialId,
        type: 'public-key',
        response: { clientDataJSON: given.clientDataJson, attestationObject: given.attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    if (!verified) return null;
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    const isOther = credential.id !== given.credentialId;
    if (isOther || Buffer.from(credential.id, 'base64url').length > MAX_CREDENTIAL_ID_BYTES) return null;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: given.transports.filter((name) => TRANSPORT.test(name)).slice(0, MAX_TRANSPORTS),
      isSynced: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
    };
  });
}

/** Null: the assertion is not by this passkey. */
export async function proveUse(
  given: GivenAssertion,
  passkey: Passkey,
  challenge: string,
  party: RelyingParty,
): Promise<ProvenUse | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  return orNull(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: given.credentialId,
        rawId: given.credentialId,
        type: 'public-key',
        response: {
          clientDataJSON: given.clientDataJson,
          authenticatorData: given.authenticatorData,
          signature: given.signature,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        // The library compares counters before signatures, and not with the value that is stored by then.
        counter: 0,
      },
      requireUserVerification: true,
    });
    if (!verified) return null;
    const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    return {
      counter: newCounter,
      isSynced: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
    };
  });
}

/**
 * We request no attestation. A response with certificates is refused unread: to check them, the library would fetch revocation lists from
 * addresses that they name.
 */
async function expectNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  const isSelfAttested = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfAttested) throw new Error(`attestation format ${format}`);
}

/** The library throws at whatever it does not accept. */
async function orNull<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
