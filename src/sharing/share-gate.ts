/**
 * Opening a share: exchanges its link, and the password and the sign-in that it may require, for a grant. The only place that issues
 * grants.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import type { Share } from '../store/entities.ts';
import {
  type AccessDecision,
  type AccessRefused,
  type Credential,
  decideAccess,
  type RefusalReason,
} from './access-decision.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { EndedViews } from './ended-views.ts';
import type { Grants } from './grant.ts';
import type { OpenLimiter } from './open-limiter.ts';
import type { Passwords } from './password.ts';
import { PasswordCheck } from './password-check.ts';
import { shownSpans } from './past-access.ts';
import type { SharesInForce } from './share-directory.ts';
import type { ShareTokens } from './share-token.ts';
import type { ShareView } from './share-view.ts';
import type { SignedInViews } from './signed-in-views.ts';
import type { ProvenViewer, ViewerProofs } from './viewer-proofs.ts';
import type { ViewerSessions } from './viewer-sessions.ts';

/** Reasons of the access decision, and those of the limits and the password check before it. */
export type OpeningRefusalReason = RefusalReason | 'password-wrong' | 'too-many-attempts' | 'too-many-opens';

export interface OpeningRequest {
  readonly shareToken: string;
  /** null: none was given. */
  readonly password: string | null;
  /** The sign-in proof in the viewer's browser (ViewerProofs); absent or null: none. */
  readonly signInProof?: string | null;
  /** The caller's address, for the limits on openings and guesses. */
  readonly address: string;
  /**
   * Called as soon as at most the password is missing, so that the camera wakes while the password is typed or checked.
   */
  readonly onNear: (view: ShareView) => void;
}

/** The link alone shows the share now. */
export interface LookedAtShare {
  readonly allowed: true;
  readonly view: ShareView;
}

export interface OpenedShare {
  readonly allowed: true;
  readonly view: ShareView;
  readonly grantText: string;
  /** The email address of the viewer who signed in; null: the share does not require it. */
  readonly viewerEmail: string | null;
}

export interface OpeningRefused {
  readonly allowed: false;
  readonly reason: OpeningRefusalReason;
  readonly untilEpochMs: number | null;
  /** `too-many-attempts`, `too-many-opens`: when the next one is considered. */
  readonly retryAfterMs: number | null;
  /** null: the link names no share. For the log. */
  readonly shareUuid: Ruuid | null;
}

export interface ShareGateOptions {
  readonly directory: SharesInForce;
  /** Resolves when the directory has what other nodes stored before this call; absent: there are none. */
  readonly caughtUp?: () => Promise<void>;
  readonly tokens: ShareTokens;
  readonly grants: Grants;
  readonly passwords: Passwords;
  /** Absent or null: viewers cannot sign in, so shares that require it do not open. */
  readonly proofs?: ViewerProofs | null;
  /** Records views that a sign-in admitted; with `proofs` only. */
  readonly signedIn?: Pick<SignedInViews, 'begun'> | null;
  readonly limiter: AttemptLimiter;
  readonly openLimiter: OpenLimiter;
  readonly ended: Pick<EndedViews, 'find'>;
  readonly counters: Pick<Counters, 'viewerCounts'>;
  readonly sessions: Pick<ViewerSessions, 'hasPlaceFor'>;
  readonly clock: Clock;
  readonly grantLifetimeMs: number;
  /** Maximum number of concurrent viewers per share; null: no limit. */
  readonly maxViewersPerShare: number | null;
}

type Proven = Pick<Extract<Credential, { kind: 'link' }>, 'isPasswordProven' | 'isSignInProven'>;

const NOTHING_PROVEN: Proven = { isPasswordProven: false, isSignInProven: false };
const MS_PER_SEC = 1_000;

export class ShareGate {
  readonly #options: ShareGateOptions;
  readonly #password: PasswordCheck;

  constructor(options: ShareGateOptions) {
    this.#options = options;
    this.#password = new PasswordCheck(options);
  }

  /** Whether this gateway made the link. Says nothing about its share, which may no longer exist. */
  isLink(shareToken: string): boolean {
    return this.#options.tokens.verify(shareToken) !== null;
  }

  /**
   * Whether the link alone shows the share now: for its poster, which needs no grant and does not count as an opening. A share with a
   * password or a sign-in is refused, like an expired, hidden, or revoked one. `from`: the caller.
   */
  look(shareToken: string, from: { readonly ip: string }): LookedAtShare | OpeningRefused {
    const shareUuid = this.#options.tokens.verify(shareToken);
    const decision = this.#decide(shareUuid, NOTHING_PROVEN, 0, from);
    const view = shareUuid === null ? undefined : this.#options.directory.find(shareUuid);
    if (!decision.allowed || view === undefined) return refuse(shareUuid, decision as AccessRefused);
    return { allowed: true, view };
  }

  /**
   * Whether the camera's video at `atEpochMs`, before now, was for the viewers of the share: not before the share existed, except for the
   * moments that a live window holds, and not while its schedule hid it.
   */
  wasShown(shareUuid: Ruuid, atEpochMs: number): boolean {
    const view = this.#options.directory.find(shareUuid);
    if (view === undefined) return false;
    return shownSpans(view, atEpochMs, atEpochMs + 1)[0]?.fromMs === atEpochMs;
  }

  /** Fails with PASSWORD_QUEUE_FULL. */
  async open(request: OpeningRequest): Promise<OpenedShare | OpeningRefused> {
    const shareUuid = this.#options.tokens.verify(request.shareToken);
    const from = { ip: request.address };
    const view = await this.#findMade(shareUuid);
    const isSignInProven = this.#viewerOf(view, request) !== null;
    const withoutPassword = this.#decide(shareUuid, { isPasswordProven: false, isSignInProven }, 0, from);
    if (view === undefined || shareUuid === null) return refuse(shareUuid, withoutPassword as AccessRefused);
    if (!withoutPassword.allowed && withoutPassword.reason !== 'password-needed') {
      return refuse(shareUuid, withoutPassword);
    }
    const waitMs = await this.#options.openLimiter.take(shareUuid, request.address);
    if (waitMs > 0) return refuseFor('too-many-opens', shareUuid, waitMs);
    request.onNear(view);
    if (!withoutPassword.allowed) {
      const refusal = await this.#password.refusalFor(view.share, request.password, request.address);
      if (refusal !== null) return refuseFor(refusal.reason, shareUuid, refusal.retryAfterMs);
    }
    return this.#letIn(shareUuid, view, request);
  }

  /** The link is genuine: another node may have made its share a moment ago. */
  async #findMade(shareUuid: Ruuid | null): Promise<ShareView | undefined> {
    if (shareUuid === null) return undefined;
    const { directory, caughtUp } = this.#options;
    if (directory.find(shareUuid) === undefined) await caughtUp?.();
    return directory.find(shareUuid);
  }

  /** Checks again, because time has passed: for the number of viewers, and above all during the password check. */
  async #letIn(
    shareUuid: Ruuid,
    proven: ShareView,
    request: OpeningRequest,
  ): Promise<OpenedShare | OpeningRefused> {
    const { address } = request;
    const { directory, grants, counters, sessions, clock, grantLifetimeMs, maxViewersPerShare } =
      this.#options;
    const [viewers = 0] = maxViewersPerShare === null ? [] : await counters.viewerCounts([shareUuid]);
    const isFull = !sessions.hasPlaceFor(shareUuid, address, viewers);
    const view = directory.find(shareUuid);
    const isPasswordProven = view?.share.passwordHash === proven.share.passwordHash;
    const viewer = this.#viewerOf(view, request);
    const given = { isPasswordProven, isSignInProven: viewer !== null };
    const others = isFull ? (maxViewersPerShare ?? 0) : 0;
    const decision = this.#decide(shareUuid, given, others, { ip: address });
    if (!decision.allowed || view === undefined) return refuse(shareUuid, decision as AccessRefused);
    const endsAtMs = Math.min(
      clock.epochMs() + grantLifetimeMs,
      viewer?.expiresAtMs ?? Number.POSITIVE_INFINITY,
    );
    const grantText = grants.issue(shareUuid, view.share.accessEpoch, Math.ceil(endsAtMs / MS_PER_SEC));
    if (viewer !== null) this.#noteSignedIn(view, grantText, viewer);
    return { allowed: true, view, grantText, viewerEmail: viewer?.email ?? null };
  }

  #noteSignedIn({ share, linkUuid }: ShareView, grantText: string, { session }: ProvenViewer): void {
    const { viewerId, expiresAtSec } = this.#options.grants.verify(grantText)!;
    const { orgUuid, uuid: shareUuid } = share;
    const grantUntilEpochMs = expiresAtSec * MS_PER_SEC;
    this.#options.signedIn?.begun({ orgUuid, linkUuid, shareUuid, viewerId, grantUntilEpochMs, session });
  }

  /** Why the link shows nothing; null: the link, perhaps with its password or a sign-in, shows its share. `from`: the caller. */
  closed(shareToken: string, from: { readonly ip: string }): OpeningRefused | null {
    const shareUuid = this.#options.tokens.verify(shareToken);
    const given = { isPasswordProven: true, isSignInProven: true };
    const decision = this.#decide(shareUuid, given, 0, from);
    return decision.allowed ? null : refuse(shareUuid, decision);
  }

  /** Whose link it is; null: no one's. */
  organizationOf(shareToken: string): Ruuid | null {
    const shareUuid = this.#options.tokens.verify(shareToken);
    return shareUuid === null ? null : (this.#options.directory.find(shareUuid)?.share.orgUuid ?? null);
  }

  /** Called with each share that changed. Returns a function that ends the subscription. */
  onLinkChange(listener: (shareUuid: Ruuid) => void): () => void {
    return this.#options.directory.onChange(listener);
  }

  /** The share of a link that opens with a sign-in only, which is missing; null: a sign-in changes nothing. */
  awaitsSignIn(shareToken: string, from: { readonly ip: string }): Share | null {
    const shareUuid = this.#options.tokens.verify(shareToken);
    const decision = this.#decide(shareUuid, NOTHING_PROVEN, 0, from);
    if (shareUuid === null || decision.allowed || decision.reason !== 'sign-in-needed') return null;
    return this.#options.directory.find(shareUuid)?.share ?? null;
  }

  /** null: the viewer has not signed in for this share, or the share does not require it. */
  #viewerOf(view: ShareView | undefined, { signInProof = null }: OpeningRequest): ProvenViewer | null {
    if (view === undefined || !view.share.ssoProtected) return null;
    return this.#options.proofs?.verify(view.share, signInProof) ?? null;
  }

  /** Decides again for a share that was just opened, before the response is sent; null: it may still be opened. */
  reconsider({ view, grantText }: OpenedShare, from: { readonly ip: string }): OpeningRefused | null {
    const { uuid } = view.share;
    const grant = this.#options.grants.verify(grantText);
    const credential = grant === null ? null : ({ kind: 'grant', ...grant } as const);
    const decision = this.#decideFor(uuid, credential, 0, from);
    return decision.allowed ? null : refuse(uuid, decision);
  }

  #decide(
    shareUuid: Ruuid | null,
    given: Proven,
    otherViewers: number,
    from: { readonly ip: string },
  ): AccessDecision {
    const credential = shareUuid === null ? null : ({ kind: 'link', ...given } as const);
    return this.#decideFor(shareUuid, credential, otherViewers, from);
  }

  #decideFor(
    shareUuid: Ruuid | null,
    credential: Credential | null,
    otherViewers: number,
    from: { readonly ip: string },
  ): AccessDecision {
    const nowEpochMs = this.#options.clock.epochMs();
    const view = shareUuid === null ? undefined : this.#options.directory.find(shareUuid);
    return decideAccess({
      credential,
      share: view?.share ?? null,
      schedule: view?.scheduleStateAt(nowEpochMs) ?? null,
      ended:
        view === undefined ? null : this.#options.ended.find(view.share.orgUuid, view.linkUuid, null, from),
      admittedTo: null,
      nowEpochMs,
      otherViewers,
      maxViewers: this.#options.maxViewersPerShare,
    });
  }
}

function refuse(shareUuid: Ruuid | null, { reason, untilEpochMs }: AccessRefused): OpeningRefused {
  return { allowed: false, reason, untilEpochMs, retryAfterMs: null, shareUuid };
}

function refuseFor(
  reason: OpeningRefusalReason,
  shareUuid: Ruuid,
  retryAfterMs: number | null = null,
): OpeningRefused {
  return { allowed: false, reason, untilEpochMs: null, retryAfterMs, shareUuid };
}
