/**
 * Writes down every change that the store reports, and when viewers of shares come and go. Rows are written behind the request
 * that caused them, in the order in which things happened; whoever reads the trail waits for them first.
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AuditEvent, AuditPrincipal } from '../store/audit.ts';
import type { Share } from '../store/entities.ts';
import type { ChangeEvent, Store } from '../store/store.ts';
import { actingPrincipal } from './acting-principal.ts';
import { nameOfTarget } from './target-name.ts';

/** Rows that wait to be written; a flood beyond them is counted and left out. */
const MAX_WAITING_ROWS = 20_000;
const ROWS_PER_WRITE = 200;
/** As much of a browser's own description as is kept. */
const MAX_USER_AGENT_LENGTH = 512;

/** Who opened a share, as far as anybody can tell. */
export interface ShareViewer {
  readonly address: string;
  readonly userAgent: string | null;
}

/** Who left, as far as their session tells. */
export interface LeavingViewer {
  readonly orgUuid: Ruuid;
  readonly shareUuid: Ruuid;
}

interface WaitingRow {
  readonly event: Omit<AuditEvent, 'targetName'>;
  /** null: looked up when the row is written. */
  readonly targetName: string | null;
  readonly change: ChangeEvent | null;
}

export interface AuditTrailOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export class AuditTrail {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  #waiting: WaitingRow[] = [];
  #writing: Promise<void> | null = null;
  #lostRows = 0;

  /** Follows the store from now on. */
  constructor({ store, clock, log }: AuditTrailOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#unsubscribe = store.onChange((change) => this.#onChange(change));
  }

  /** A viewer was let in to a share. */
  shareOpened(share: Share, viewer: ShareViewer): void {
    const principal: AuditPrincipal = {
      type: 'SHARED_STREAM',
      uuid: share.uuid,
      name: share.name,
      sourceIp: viewer.address,
      userAgent: viewer.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    };
    this.#add(this.#row(share.orgUuid, 'SHARE_VIEW', share.uuid, principal), share.name, null);
  }

  /** A viewer who was let in is gone: closed the page, was cut off, or the gateway stops. */
  viewerLeft({ orgUuid, shareUuid }: LeavingViewer): void {
    this.#add(this.#row(orgUuid, 'SHARE_VIEW_END', shareUuid, unnamedViewer(shareUuid)), null, null);
  }

  /** Resolves when everything that happened so far is written. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Follows the store no longer, and writes what waits. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await this.settled();
  }

  #onChange(change: ChangeEvent): void {
    const action = `${actionWord(change.entity)}_${change.type}`;
    this.#add(this.#row(change.orgUuid, action, change.uuid, actingPrincipal()), null, change);
  }

  #row(
    orgUuid: Ruuid,
    action: string,
    targetUuid: Ruuid,
    principal: AuditPrincipal,
  ): Omit<AuditEvent, 'targetName'> {
    return { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action, principal, targetUuid };
  }

  #add(event: Omit<AuditEvent, 'targetName'>, targetName: string | null, change: ChangeEvent | null): void {
    if (this.#waiting.length >= MAX_WAITING_ROWS) {
      this.#lostRows += 1;
      return;
    }
    this.#waiting.push({ event, targetName, change });
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.slice(0, ROWS_PER_WRITE);
      this.#waiting = this.#waiting.slice(ROWS_PER_WRITE);
      try {
        await this.#store.audit.add(await this.#named(rows));
        if (this.#lostRows > 0) this.#log.error({ rows: this.#lostRows }, 'audit rows were lost in a flood');
        this.#lostRows = 0;
      } catch (thrown) {
        this.#log.error(
          { err: toGatewayError(thrown), rows: rows.length },
          'audit rows could not be written',
        );
      }
    }
    this.#writing = null;
  }

  async #named(rows: readonly WaitingRow[]): Promise<AuditEvent[]> {
    const named: AuditEvent[] = [];
    for (const { event, targetName, change } of rows) {
      const found = targetName ?? (change === null ? null : await nameOfTarget(this.#store, change));
      // What is gone still has the name under which it was last seen.
      const known = found ?? named.findLast((row) => row.targetUuid === event.targetUuid)?.targetName;
      const name = known ?? (await this.#store.audit.lastNameOf(event.orgUuid, event.targetUuid)) ?? '';
      const { principal } = event;
      // Whoever views a share goes by its name.
      const isViewer = principal.type === 'SHARED_STREAM' && principal.name === '';
      named.push({
        ...event,
        principal: isViewer ? { ...principal, name } : principal,
        targetName: name,
      });
    }
    return named;
  }
}

function unnamedViewer(shareUuid: Ruuid): AuditPrincipal {
  return { type: 'SHARED_STREAM', uuid: shareUuid, name: '', sourceIp: null, userAgent: null };
}

/** `badgeVendorAIntegration` → `BADGE_VENDOR_A_INTEGRATION`. */
export function actionWord(entity: string): string {
  return entity.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
