/** The viewers of an organization's shares, and the end of one view: the rules behind the API's calls about viewers. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { actingView } from '../store/acting-view.ts';
import type { Store } from '../store/store.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { ShareCatalog } from './share-catalog.ts';
import type { EndedLinkViews, LinkViewers } from './share-viewers.ts';

/** The calls that only the code with the sessions can serve: as in ShareViewers. */
export interface ViewerCalls {
  listViewers(orgUuid: Ruuid, linkUuid: Ruuid): Promise<LinkViewers | null>;
  endViewer(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    viewerId: string,
    blockMs: number | null,
  ): Promise<EndedLinkViews | 'no-viewer' | null>;
  unblockAddress(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    address: string,
  ): Promise<'unblocked' | 'not-blocked' | null>;
  /** In the order of `linkUuids`, at most a page of them. */
  countViewers(linkUuids: readonly Ruuid[]): Promise<number[]>;
}

/** As in AuditTrail. */
export interface ViewerAudit {
  viewEnded(
    link: { readonly orgUuid: Ruuid; readonly uuid: Ruuid },
    action: 'SHARED_VIEWER_END' | 'SHARED_ADDRESS_UNBLOCK',
  ): void;
}

export interface ViewerServiceOptions {
  readonly store: Pick<Store, 'audit'>;
  /** The links that the acting caller sees. */
  readonly catalog: Pick<ShareCatalog, 'current' | 'find'>;
  readonly viewing: ViewerCalls;
  /** As in AuditReading. */
  readonly audit: { settled(): Promise<void> };
  readonly viewerAudit: ViewerAudit;
}

export interface ListedViewers extends LinkViewers {
  /** The last view; null: there was none, or the audit trail no longer reaches back that far. */
  readonly lastViewedAtMs: number | null;
}

const MS_PER_MINUTE = 60_000;

/** Viewers of shares, shared walls and shared groups, which `linkUuid` names. */
export class ViewerService {
  readonly #options: ViewerServiceOptions;

  constructor(options: ViewerServiceOptions) {
    this.#options = options;
  }

  /** Those on all nodes that answer. Fails SHARE_NOT_FOUND. */
  async list(orgUuid: Ruuid, linkUuid: Ruuid): Promise<ListedViewers> {
    const { viewing, audit, store } = this.#options;
    await this.#expectSeen(orgUuid, linkUuid);
    const found = await viewing.listViewers(orgUuid, linkUuid);
    if (found === null) throw notFound(linkUuid);
    await audit.settled();
    const recorded = (await store.audit.lastViewed(orgUuid, [linkUuid])).get(linkUuid) ?? 0;
    const lastMs = Math.max(recorded, ...found.viewers.map(({ lastRequestEpochMs }) => lastRequestEpochMs));
    return { ...found, lastViewedAtMs: lastMs === 0 ? null : lastMs };
  }

  /**
   * Ends one view, and with `blockMinutes` those from the same address, which cannot open the link for that long. They
   * have ended when this resolves. Fails SHARE_NOT_FOUND, VIEWER_NOT_FOUND, ENDED_VIEWERS_FULL, BLOCKED_ADDRESSES_FULL.
   */
  async end(
    orgUuid: Ruuid,
    linkUuid: Ruuid,
    viewerId: string,
    blockMinutes: number | null,
  ): Promise<EndedLinkViews> {
    const { viewing, viewerAudit } = this.#options;
    await this.#expectSeen(orgUuid, linkUuid);
    const blockMs = blockMinutes === null ? null : blockMinutes * MS_PER_MINUTE;
    const ended = await viewing.endViewer(orgUuid, linkUuid, viewerId, blockMs);
    if (ended === null) throw notFound(linkUuid);
    if (ended === 'no-viewer') {
      throw new GatewayError(SHARING_ERRORS.VIEWER_NOT_FOUND, { share: linkUuid, viewer: viewerId });
    }
    viewerAudit.viewEnded({ orgUuid, uuid: linkUuid }, 'SHARED_VIEWER_END');
    return ended;
  }

  /** Fails SHARE_NOT_FOUND, ADDRESS_NOT_BLOCKED. */
  async unblock(orgUuid: Ruuid, linkUuid: Ruuid, address: string): Promise<void> {
    const { viewing, viewerAudit } = this.#options;
    await this.#expectSeen(orgUuid, linkUuid);
    const result = await viewing.unblockAddress(orgUuid, linkUuid, address);
    if (result === null) throw notFound(linkUuid);
    if (result === 'not-blocked') {
      throw new GatewayError(SHARING_ERRORS.ADDRESS_NOT_BLOCKED, { share: linkUuid });
    }
    viewerAudit.viewEnded({ orgUuid, uuid: linkUuid }, 'SHARED_ADDRESS_UNBLOCK');
  }

  /** The code with the sessions does not know who calls. Fails SHARE_NOT_FOUND. */
  async #expectSeen(orgUuid: Ruuid, linkUuid: Ruuid): Promise<void> {
    if (actingView() === null) return;
    const { catalog } = this.#options;
    await catalog.current();
    if (catalog.find(orgUuid, linkUuid) === null) throw notFound(linkUuid);
  }
}

function notFound(share: Ruuid): GatewayError {
  return new GatewayError(SHARING_ERRORS.SHARE_NOT_FOUND, { share });
}
