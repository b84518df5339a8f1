/**
 * Views that rest on a sign-in at the provider. A logout there ends them, and voids what browsers keep of the sign-in. Which
 * view belongs to which sign-in is known to the node that let the viewer in, until it restarts; a view that is not known
 * here ends with its grant (docs/design/access.md#viewers-who-sign-in).
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { isBefore, type LogoutBody, logoutUuidsOf, PROVIDER_LOGOUTS } from '../oidc/provider-logouts.ts';
import type { SessionAtProvider } from '../store/person.ts';
import type { Resource } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { EndedViews } from './ended-views.ts';
import { FollowedTable } from './followed-table.ts';

/** A viewer who was admitted because of a sign-in. */
export interface SignedInView {
  readonly orgUuid: Ruuid;
  readonly linkUuid: Ruuid;
  readonly shareUuid: Ruuid;
  readonly viewerId: string;
  readonly grantUntilEpochMs: number;
  readonly session: SessionAtProvider;
}

export interface SignedInViewsOptions {
  readonly store: Pick<Store, 'resources' | 'onChange'>;
  readonly ended: Pick<EndedViews, 'end'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface KnownView extends SignedInView {
  /** The logouts that would end it. */
  readonly logoutUuids: readonly Ruuid[];
}

export class SignedInViews {
  readonly #options: SignedInViewsOptions;
  readonly #logouts: FollowedTable<Resource<LogoutBody>, LogoutBody>;
  /** By viewer, in order of arrival. */
  readonly #views = new FairMap<KnownView, typeof LIMITS.signedInViews>(LIMITS.signedInViews);
  readonly #listeners = new Set<(shareUuid: Ruuid) => void>();
  readonly #unsubscribe: () => void;

  /** Reads the logouts, and follows them until `close`. Rejects like the store. */
  static async open(options: SignedInViewsOptions): Promise<SignedInViews> {
    const views = new SignedInViews(options);
    try {
      await views.#logouts.load();
    } catch (error) {
      views.close();
      throw error;
    }
    return views;
  }

  private constructor(options: SignedInViewsOptions) {
    const { store, clock, log } = options;
    this.#options = options;
    this.#logouts = new FollowedTable({
      clock,
      log,
      repository: store.resources.of(PROVIDER_LOGOUTS),
      rowOf: ({ body }) => body,
      onRow: (uuid) => {
        if (this.#logouts.get(uuid) !== undefined) this.#review();
      },
    });
    this.#unsubscribe = store.onChange((event) => {
      if (event.entity === PROVIDER_LOGOUTS.name) this.#logouts.follow(event);
    });
  }

  /** Called when views of a share have ended. */
  onEnded(listener: (shareUuid: Ruuid) => void): void {
    this.#listeners.add(listener);
  }

  /** Whether the sign-in was ended at the provider. */
  isOver(session: SessionAtProvider): boolean {
    return this.#isEndedBy(logoutUuidsOf(session), session);
  }

  begun(view: SignedInView): void {
    const holders = { organization: view.orgUuid, link: view.linkUuid };
    this.#views.set(view.viewerId, holders, { ...view, logoutUuids: logoutUuidsOf(view.session) });
  }

  /** Reads the logouts again: for those whose event was not sent. Rejects if the store cannot be read. */
  async refresh(): Promise<void> {
    await this.#logouts.load();
    this.#review();
  }

  /** Resolves when every logout that was announced so far is in effect. */
  settled(): Promise<void> {
    return this.#logouts.settled();
  }

  close(): void {
    this.#unsubscribe();
    this.#logouts.close();
    this.#views.clear();
    this.#listeners.clear();
  }

  #isEndedBy(logoutUuids: readonly Ruuid[], session: SessionAtProvider): boolean {
    return logoutUuids.some((uuid) => {
      const logout = this.#logouts.get(uuid);
      return logout !== undefined && isBefore(session, logout);
    });
  }

  #review(): void {
    const nowMs = this.#options.clock.epochMs();
    const shares = new Set<Ruuid>();
    for (const [viewerId, view] of this.#views) {
      const isOver = this.#isEndedBy(view.logoutUuids, view.session);
      if (!isOver && nowMs < view.grantUntilEpochMs) continue;
      this.#views.delete(viewerId);
      if (isOver && this.#end(view)) shares.add(view.shareUuid);
    }
    for (const share of shares) for (const listener of this.#listeners) listener(share);
  }

  #end({ orgUuid, linkUuid, viewerId, grantUntilEpochMs }: KnownView): boolean {
    const { ended, log } = this.#options;
    const failed = (thrown: unknown) =>
      log.error({ err: toGatewayError(thrown), linkUuid }, 'view not ended after a logout');
    try {
      ended
        .end({ orgUuid, linkUuid, viewerId, grantUntilEpochMs, blocked: null, isSignedOut: true })
        .catch(failed);
      return true;
    } catch (thrown) {
      failed(thrown);
      return false;
    }
  }
}
