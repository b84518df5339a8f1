/**
 * The calls between the gateway's thread, which carries the media, and the API's thread. Everything here is copied from
 * one isolate to the other: plain values only.
 */

import type { MessagePort } from 'node:worker_threads';
import type { ConnectionLimits } from '../../connections/connection-table.ts';
import type { MetricsText, Readiness } from '../../core/readiness.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ViewerChange } from '../../realtime/change-follower.ts';
import type { AddressRule } from '../../sources/network/camera-address.ts';
import type { AuditPrincipal } from '../../store/audit.ts';
import type { Schedule, Share } from '../../store/entities.ts';
import type { ChangeEvent, EntityKind } from '../../store/store.ts';
import type { CameraReport, ProbeVerdict } from '../../stream/camera-connection.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { Config } from '../config/schema.ts';
import type { ListenAddress } from '../config/value-types.ts';
import type { LogFormat } from '../logging.ts';

/** How the API's thread opens the store: StoreOptions in plain values. */
export type ThreadStore =
  | { readonly kind: 'sqlite-port'; readonly path: string; readonly port: MessagePort }
  | { readonly kind: 'postgres'; readonly url: string };

/** The data that the thread starts with. It holds secrets; only the thread gets it. */
export interface ApiThreadData
  extends Pick<Config, 'trustProxy' | 'cors' | 'api' | 'webhooks' | 'retention'> {
  readonly listen: ListenAddress;
  readonly store: ThreadStore;
  readonly fieldKey: Uint8Array;
  readonly shareTokenKey: Uint8Array;
  /** Null: counts and rate limits are in memory. */
  readonly redisUrl: string | null;
  readonly publicApiUrl: string | null;
  /** Null: anyone may read the metrics. */
  readonly metricsToken: string | null;
  /** Where cameras named by callers may be. */
  readonly addressRule: AddressRule;
  readonly log: { readonly level: Config['log']['level']; readonly format: LogFormat };
}

/** The state when the API starts. */
export interface ApiStart {
  readonly mediaUrl: string;
  /** Its share of the process's descriptors. */
  readonly connections: ConnectionLimits;
  /** Every camera that the gateway runs. */
  readonly cameras: readonly (readonly [Ruuid, CameraReport])[];
  readonly cameraSounds: readonly (readonly [Ruuid, SoundState])[];
}

/** An event in the gateway's thread. */
export type Notice =
  /** It committed a change. */
  | { readonly kind: 'change'; readonly change: ChangeEvent }
  /** Null: the gateway no longer runs this camera. */
  | { readonly kind: 'camera'; readonly cameraUuid: Ruuid; readonly report: CameraReport | null }
  /** Whether viewers hear this camera. */
  | { readonly kind: 'sound'; readonly cameraUuid: Ruuid; readonly sound: SoundState }
  | { readonly kind: 'viewer'; readonly viewer: ViewerChange };

/** Calls that the gateway's thread makes to the API's thread. */
export interface ApiThreadCalls {
  /** Resolves when the API listens. Fails with CLI_LISTEN_FAILED or a code of STORE_ERRORS. */
  start(now: ApiStart): Promise<ApiAddress>;
  /** In the order in which they happened. */
  happened(notices: readonly Notice[]): Promise<void>;
  /** Resolves when requests are finished and everything is written. */
  close(): Promise<void>;
}

export interface ApiAddress {
  /** The configured public URL, or the listener's. */
  readonly apiUrl: string;
  /** The listener's own address: where the next thread must listen if this one ends. */
  readonly port: number;
}

/** Calls that the API's thread makes to the gateway's thread. */
export interface GatewayCalls {
  /** As in AccessRules. */
  putShare(share: Share): void;
  removeShare(shareUuid: Ruuid): void;
  /** On behalf of `principal`, when it can be stored (UnstoredEnds). */
  endShare(orgUuid: Ruuid, shareUuid: Ruuid, principal: AuditPrincipal): boolean;
  putSchedule(schedule: Schedule): void;
  removeSchedule(scheduleUuid: Ruuid): void;
  /** As in AuditReading, for what this thread records. */
  auditSettled(): Promise<void>;
  /** The API opened a camera briefly. Resolves with what is now known about it; null: the gateway does not run it. */
  cameraProbed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<CameraReport | null>;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricsText>;
  /** The API committed changes of FOLLOWED_KINDS, in this order. */
  changed(changes: readonly ChangeEvent[]): void;
}

/** The kinds that the media follow. */
export const FOLLOWED_KINDS: ReadonlySet<EntityKind> = new Set([
  'camera',
  'nvr',
  'location',
  'share',
  'schedule',
]);
