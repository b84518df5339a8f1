/**
 * What the gateway's thread, which carries the media, and the API's thread say to each other. Everything here is
 * copied from one isolate to the other: plain values only.
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

/** How the API's thread reaches the store: what StoreOptions says, in plain values. */
export type ThreadStore =
  | { readonly kind: 'sqlite-port'; readonly path: string; readonly port: MessagePort }
  | { readonly kind: 'postgres'; readonly url: string };

/** With what the thread is made. It holds secrets, and is seen by nobody but the thread. */
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
  /** Where cameras that callers name may be. */
  readonly addressRule: AddressRule;
  readonly log: { readonly level: Config['log']['level']; readonly format: LogFormat };
}

/** How things are when the API begins. */
export interface ApiStart {
  readonly mediaUrl: string;
  /** Its share of the process's descriptors. */
  readonly connections: ConnectionLimits;
  /** Of every camera that the gateway runs. */
  readonly cameras: readonly (readonly [Ruuid, CameraReport])[];
  readonly cameraSounds: readonly (readonly [Ruuid, SoundState])[];
}

/** Something that happened in the gateway's thread. */
export type Notice =
  /** It committed a change. */
  | { readonly kind: 'change'; readonly change: ChangeEvent }
  /** Null: the gateway runs this camera no longer. */
  | { readonly kind: 'camera'; readonly cameraUuid: Ruuid; readonly report: CameraReport | null }
  /** Whether viewers hear this camera. */
  | { readonly kind: 'sound'; readonly cameraUuid: Ruuid; readonly sound: SoundState }
  | { readonly kind: 'viewer'; readonly viewer: ViewerChange };

/** What the API's thread does when the gateway's asks. */
export interface ApiThreadCalls {
  /** Resolves when the API listens. Fails CLI_LISTEN_FAILED, or with a code of STORE_ERRORS. */
  start(now: ApiStart): Promise<ApiAddress>;
  /** In the order in which it happened. */
  happened(notices: readonly Notice[]): Promise<void>;
  /** Resolves when requests are finished and everything is written. */
  close(): Promise<void>;
}

export interface ApiAddress {
  /** The configured public one, or that of the listener. */
  readonly apiUrl: string;
  /** The listener's own: where the next thread has to listen, should this one end. */
  readonly port: number;
}

/** What the gateway's thread does when the API's asks. */
export interface GatewayCalls {
  /** As AccessRules has them. */
  putShare(share: Share): void;
  removeShare(shareUuid: Ruuid): void;
  /** On behalf of `principal`, when it is stored one day (UnstoredEnds). */
  endShare(orgUuid: Ruuid, shareUuid: Ruuid, principal: AuditPrincipal): boolean;
  putSchedule(schedule: Schedule): void;
  removeSchedule(scheduleUuid: Ruuid): void;
  /** As AuditReading has it, for what this thread writes down. */
  auditSettled(): Promise<void>;
  /** The API opened a camera for a moment. Resolves with what is known of it now; null: the gateway does not run it. */
  cameraProbed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<CameraReport | null>;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricsText>;
  /** The API committed changes of FOLLOWED_KINDS, in this order. */
  changed(changes: readonly ChangeEvent[]): void;
}

/** What the media follow. */
export const FOLLOWED_KINDS: ReadonlySet<EntityKind> = new Set([
  'camera',
  'nvr',
  'location',
  'share',
  'schedule',
]);
