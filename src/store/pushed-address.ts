/**
 * Replaces a camera's address if a device pushes its video: a URL that only marks this, with the digest of the publish key as its
 * password. Without one, the camera has no key, and nothing can be pushed.
 */

import { CredentialUrl } from '../core/secret.ts';

const PROTOCOL = 'rtmp-push:';

/** `digest`: of the publish key, as base64url; null: the camera has none. */
export function pushedAddress(digest: string | null): CredentialUrl {
  return new CredentialUrl(`${PROTOCOL}//${digest === null ? '' : `:${digest}@`}publisher/`);
}

/** Whether a device pushes the video of the camera with this address. */
export function isPushed(address: CredentialUrl): boolean {
  return address.protocol === PROTOCOL;
}

/** The digest of its publish key; null: it has none, or is not pushed. */
export function publishDigestOf(address: CredentialUrl): string | null {
  return isPushed(address) ? (address.credentials()?.password.reveal() ?? null) : null;
}
