/** The audit trail: who changed or viewed what, written once and read by time. */

import type { Ruuid } from '../core/ruuid.ts';

/** Who acted. */
export interface AuditPrincipal {
  readonly type: 'API_TOKEN' | 'API_OAUTH_TOKEN' | 'PARTNER' | 'DEVICE' | 'SHARED_STREAM' | 'UNKNOWN';
  readonly uuid: Ruuid | null;
  readonly name: string;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
}

export interface AuditEvent {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly atMs: number;
  /** `CAMERA_UPDATE`, `SHARE_VIEW`… */
  readonly action: string;
  readonly principal: AuditPrincipal;
  readonly targetUuid: Ruuid;
  /** '' when it has none. */
  readonly targetName: string;
}

export interface AuditQuery {
  /** Half-open: `fromMs` belongs to it, `toMs` does not. */
  readonly fromMs: number;
  readonly toMs: number;
  /** null: every action. */
  readonly includeActions: readonly string[] | null;
  readonly excludeActions: readonly string[];
  readonly limit: number;
}

export interface AuditRepository {
  /** In one transaction; at most 1,000. */
  add(events: readonly AuditEvent[]): Promise<void>;
  /** Newest first. */
  list(orgUuid: Ruuid, query: AuditQuery): Promise<AuditEvent[]>;
  /** Removes the oldest of those from before `beforeMs`, at most `limit`. Resolves with how many. */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  /** The name under which this target was last written down; null when it never was. */
  lastNameOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<string | null>;
}
