/**
 * Passkeys: the API's calls about them, and those of browsers (W3C Web Authentication Level 3). Binary values are base64url
 * in between. Loaded when someone is at the entrance, or opens their account.
 */

import { type Answer, CallError, call, type Request } from './api.ts';
import { loadSession } from './session.ts';
import { t } from './words.ts';

export type PasskeyItem = PasskeyList['passkeys'][number];

export type PasskeyList = Answer<'console/getPasskeys'>;

type Creation = Answer<'console/beginAddingPasskey'>;
type Registration = Request<'console/addPasskey'>['passkey'];

type Challenge = Answer<'console/beginPasskeySignIn'>;
type Assertion = Request<'console/signInWithPasskey'>['passkey'];
type Descriptor = Challenge['publicKey']['allowCredentials'][number];

/** Challenges end after five minutes. */
const AUTOFILL_MS = 4 * 60_000;
const IP_ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[.*\])$/;

/** Why this page cannot use passkeys, in words; null: it can, as far as the browser knows. */
export function obstacleHere(): string | null {
  if (IP_ADDRESS.test(location.hostname))
    return t('Passkeys need a host name. This address is an IP address.');
  if (!isSecureContext) return t('Passkeys need https. This page is not encrypted.');
  return 'PublicKeyCredential' in globalThis ? null : t('This browser has no passkeys.');
}

/** Asks for a passkey, and signs in with it. Fails with a CallError. */
export async function signInWithPasskey(): Promise<void> {
  const passkey = await used(await call('console/beginPasskeySignIn'), {});
  await call('console/signInWithPasskey', { passkey });
  await loadSession();
}

/**
 * Offers passkeys where the browser fills in email addresses, until `left` is aborted. Resolves when someone has signed in,
 * or this browser cannot. Fails with a CallError if a passkey was refused.
 */
export async function offerPasskeys(left: AbortSignal): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  while (!left.aborted) {
    const passkey = await offeredPasskey(left);
    if (passkey === 'unavailable') return;
    if (passkey !== 'none') {
      await call('console/signInWithPasskey', { passkey });
      await loadSession();
      return;
    }
    await untilVisible(left);
  }
}

/** `none`: the person chose no passkey while the challenge was valid. */
async function offeredPasskey(left: AbortSignal): Promise<Assertion | 'none' | 'unavailable'> {
  const ended = AbortSignal.any([left, AbortSignal.timeout(AUTOFILL_MS)]);
  try {
    const request = await call('console/beginPasskeySignIn', {}, left);
    return await used(request, { mediation: 'conditional', signal: ended });
  } catch {
    return ended.aborted ? 'none' : 'unavailable';
  }
}

/** Accepts an invitation, and signs in. Fails with a CallError. */
export async function joinWithPasskey(inviteToken: string, name: string): Promise<void> {
  const passkey = await made(await call('console/beginInvitePasskey', { inviteToken, name }));
  await call('console/acceptInvite', { inviteToken, name, passkey, passkeyName: deviceName() });
  await loadSession();
}

/** The caller's own. */
export function readPasskeys(signal?: AbortSignal): Promise<PasskeyList> {
  return call('console/getPasskeys', {}, signal);
}

/** Fails with a CallError. */
export async function addPasskey(name: string): Promise<void> {
  const passkey = await made(await call('console/beginAddingPasskey'));
  await call('console/addPasskey', { name, passkey });
}

export async function renamePasskey(passkeyUuid: string, name: string): Promise<void> {
  await call('console/renamePasskey', { passkeyUuid, name });
}

export async function removePasskey(passkeyUuid: string): Promise<void> {
  await call('console/deletePasskey', { passkeyUuid });
}

export async function confirmWithPassword(currentPassword: string): Promise<void> {
  await call('console/confirmIdentity', { currentPassword });
}

/** Fails with a CallError. */
export async function confirmWithPasskey(): Promise<void> {
  const passkey = await used(await call('console/beginConfirmation'), {});
  await call('console/confirmIdentity', { passkey });
}

/** Whether the caller has one that works on this page. */
export function canUseOne({ passkeys, origin }: PasskeyList): boolean {
  return origin === location.origin && obstacleHere() === null && passkeys.some(({ works }) => works);
}

/** Suggests a name for this device. */
export function deviceName(): string {
  const { userAgent } = navigator;
  const known = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'CrOS', 'Linux'];
  const found = known.find((name) => userAgent.includes(name));
  const names: Readonly<Record<string, string>> = {
    Android: t('Android device'),
    Macintosh: 'Mac',
    Windows: t('Windows PC'),
    CrOS: 'Chromebook',
    Linux: t('Linux PC'),
  };
  return found === undefined ? t('Passkey') : (names[found] ?? found);
}

async function made({ origin, publicKey }: Creation): Promise<Registration> {
  expectOrigin(origin);
  const { user, challenge, excludeCredentials, pubKeyCredParams, ...rest } = publicKey;
  const credential = await chosen(() =>
    navigator.credentials.create({
      publicKey: {
        ...rest,
        challenge: bytesOf(challenge),
        user: { ...user, id: bytesOf(user.id) },
        pubKeyCredParams: [...pubKeyCredParams],
        excludeCredentials: excludeCredentials.map(descriptorOf),
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: textOf(credential.rawId),
    clientDataJSON: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

async function used(
  { origin, publicKey }: Challenge,
  how: Pick<CredentialRequestOptions, 'mediation' | 'signal'>,
): Promise<Assertion> {
  expectOrigin(origin);
  const { challenge, allowCredentials, ...rest } = publicKey;
  const credential = await chosen(() =>
    navigator.credentials.get({
      ...how,
      publicKey: {
        ...rest,
        challenge: bytesOf(challenge),
        allowCredentials: allowCredentials.map(descriptorOf),
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: textOf(credential.rawId),
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    ...(response.userHandle === null ? {} : { userHandle: textOf(response.userHandle) }),
  };
}

/** A browser would refuse without a reason that helps. */
function expectOrigin(origin: string): void {
  if (origin === location.origin) return;
  throw new CallError(`Passkeys work at ${origin}. Open the console there.`, { status: 0 });
}

/** Fails with a CallError that explains the browser's error. */
async function chosen(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (thrown) {
    throw new CallError(reasonOf(thrown), { status: 0 });
  }
  if (credential === null) throw new CallError('No passkey was chosen.', { status: 0 });
  return credential as PublicKeyCredential;
}

function reasonOf(thrown: unknown): string {
  const { name, message } = thrown as Error;
  if (name === 'InvalidStateError') return t('This device already has a passkey of yours for this console.');
  if (name === 'NotAllowedError' || name === 'AbortError')
    return t('No passkey was used. It was canceled, or took too long.');
  if (name === 'NotSupportedError' || name === 'ConstraintError') {
    return t('This device cannot keep a passkey that is unlocked by a PIN, a finger or a face.');
  }
  return t('The browser refused: {message}', { message });
}

function descriptorOf({ id, transports }: Descriptor): PublicKeyCredentialDescriptor {
  return { type: 'public-key', id: bytesOf(id), transports: [...transports] as AuthenticatorTransport[] };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A page in the background asks for nothing. */
async function untilVisible(left: AbortSignal): Promise<void> {
  while (!left.aborted && document.visibilityState === 'hidden') {
    await new Promise<void>((resolve) => {
      document.addEventListener('visibilitychange', () => resolve(), { once: true, signal: left });
      left.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
