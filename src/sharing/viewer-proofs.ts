/**
 * The proof in a viewer's browser after a sign-in at the provider. For a share's link, it counts like a correct password. It is sealed and
 * belongs to one share at one access epoch. The rules about who may watch are checked at each use.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import { isOfDomain, isSameIssuer, type OidcSettings } from '../oidc/oidc-settings.ts';
import { SealedValues } from '../oidc/sign-in-attempt.ts';
import type { Share } from '../store/entities.ts';
import type { SessionAtProvider } from '../store/person.ts';
import type { SignedInViews } from './signed-in-views.ts';

/** As for the addresses of people (RFC 5321). */
const MAX_EMAIL_CHARS = 254;

/** The viewer who signed in, and until when that counts. */
export interface ProvenViewer {
  readonly email: string;
  readonly expiresAtMs: number;
  /** The session whose end voids it earlier. */
  readonly session: SessionAtProvider;
}

interface ViewerProof extends ProvenViewer {
  readonly issuer: string;
  readonly shareUuid: Ruuid;
  readonly accessEpoch: number;
}

export interface ViewerProofsOptions {
  readonly settings: Pick<OidcSettings, 'issuer' | 'allowedDomains'>;
  readonly sealingKey: Uint8Array;
  readonly views: Pick<SignedInViews, 'isOver'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly lifetimeMs: number;
}

type SignedInShare = Pick<Share, 'uuid' | 'accessEpoch'>;

export class ViewerProofs {
  readonly #options: ViewerProofsOptions;
  readonly #sealed: SealedValues<ViewerProof>;

  constructor(options: ViewerProofsOptions) {
    this.#options = options;
    this.#sealed = new SealedValues(options.sealingKey, 'proof of a viewer', options.clock);
  }

  /** Fails OIDC_EMAIL_UNVERIFIED, OIDC_DOMAIN_NOT_ALLOWED. */
  issue({ uuid, accessEpoch }: SignedInShare, { issuer, email, session }: ProviderIdentity): string {
    const { settings, clock, lifetimeMs } = this.#options;
    if (email === null || email.length > MAX_EMAIL_CHARS) {
      throw new GatewayError(OIDC_ERRORS.OIDC_EMAIL_UNVERIFIED);
    }
    if (!isOfDomain(email, settings.allowedDomains)) {
      throw new GatewayError(OIDC_ERRORS.OIDC_DOMAIN_NOT_ALLOWED);
    }
    const expiresAtMs = clock.epochMs() + lifetimeMs;
    return this.#sealed.seal({ issuer, email, session, shareUuid: uuid, accessEpoch, expiresAtMs });
  }

  /** null: it proves nothing for this share, now. */
  verify({ uuid, accessEpoch }: SignedInShare, text: string | null): ProvenViewer | null {
    const { settings, views } = this.#options;
    const proof = this.#sealed.open(text);
    if (proof === null || proof.shareUuid !== uuid || proof.accessEpoch !== accessEpoch) return null;
    const isAllowed = isOfDomain(proof.email, settings.allowedDomains);
    if (!isAllowed || !isSameIssuer(proof.issuer, settings.issuer)) return null;
    const { email, expiresAtMs, session } = proof;
    // Proofs of earlier releases have no session: a logout could not end them.
    if (session === undefined || views.isOver(session)) return null;
    return { email, expiresAtMs, session };
  }
}
