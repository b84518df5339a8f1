/** The store of the API's thread: its own, over the same database. */

import { AuditTrail } from '../../audit/audit-trail.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { type SeenEvent, watchEvents } from '../../policies/recorded-events.ts';
import { ChangeFeed } from '../../store/change-feed.ts';
import { withChangesFrom } from '../../store/joined-changes.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { Outbox } from '../../threads/outbox.ts';
import type { ApiSideOptions, GatewayLink } from './api-side-options.ts';
import { type ApiThreadData, FOLLOWED_KINDS, type GatewayCalls } from './thread-calls.ts';

export interface ApiStore {
  /** Also reports commits of the gateway's thread and of other processes. */
  readonly store: Store;
  /** Publishes changes that the gateway's thread reports. */
  readonly gatewayChanges: ChangeFeed;
  readonly audit: AuditTrail;
}

/** Fails with a code of STORE_ERRORS. */
export async function openApiStore({
  data,
  gateway,
  clock,
  log,
  cleanup,
}: ApiSideOptions): Promise<ApiStore> {
  const ownStore = await openStore({ ...storeOptions(data), clock });
  cleanup.add('store', () => ownStore.close());
  const audit = new AuditTrail({
    store: ownStore,
    clock,
    log,
    maxRows: data.retention.auditMaxRows,
  });
  cleanup.add('audit trail', () => audit.close());
  tellGateway(ownStore, gateway);
  const onSeen = (seen: readonly SeenEvent[]): void => void gateway.eventsSeen(seen);
  cleanup.add('recorded events', watchEvents(ownStore, { clock, log, onSeen }));
  const gatewayChanges = new ChangeFeed();
  return { store: withChangesFrom(gatewayChanges, ownStore), gatewayChanges, audit };
}

function storeOptions({ store, fieldKey }: ApiThreadData) {
  const key = { fieldKey: Buffer.from(fieldKey) };
  return store.kind === 'postgres'
    ? { ...key, ...store, url: new CredentialUrl(store.url) }
    : { ...key, ...store };
}

/**
 * The media follow commits of this thread. If a commit was made for a caller, the media learn about it before the caller
 * does (AccessRules).
 */
function tellGateway(store: Store, gateway: GatewayLink): void {
  const outbox = new Outbox({
    send: (changes: Parameters<GatewayCalls['changed']>[0]) => gateway.changed(changes),
    mayDrop: () => false,
    onDropped: () => undefined,
  });
  store.onChange((change) => {
    if (FOLLOWED_KINDS.has(change.entity)) outbox.add(change);
  });
}
