/** Messages between the gateway's thread and its viewer threads. */

import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { ConnectionCounts, ConnectionLimits } from '../../connections/connection-table.ts';
import type { HttpListenerOptions } from '../../connections/http-listener.ts';
import type { HostPort } from '../../core/host-port.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CutReason } from '../../front-door/response/media-responses.ts';
import type { ForwardAddress } from '../../front-door/viewer-thread/forwarder.ts';
import type { LeaseReport } from '../../front-door/viewer-thread/leased-sessions.ts';
import type { Desk } from '../../front-door/viewer-thread/live-routes.ts';
import type { MirrorEvents } from '../../mirror/mirror-events.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { Interest } from '../../stream/media/live-media.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import type { LiveWindowLimits } from '../../stream/window/live-window-limits.ts';
import type { LogFormat, LogLevel } from '../process/logging.ts';

/** Data with which each thread starts. */
export interface ViewerThreadData {
  readonly listen: HostPort;
  readonly trustProxy: readonly string[];
  readonly connections: ConnectionLimits;
  readonly listener: Pick<HttpListenerOptions, 'certificate' | 'isHttp2Plain' | 'hasProxyHeader'>;
  readonly limits: LiveWindowLimits;
  /** Key and life of the paths that viewers share. */
  readonly sharedPaths: { readonly key: Uint8Array; readonly lifeMs: number };
  readonly gateway: ForwardAddress;
  readonly log: { readonly level: LogLevel; readonly format: Exclude<LogFormat, 'auto'> };
}

/** Someone is interested in a camera. */
export interface Touch {
  readonly cameraUuid: Ruuid;
  readonly interest: Interest;
  readonly urgency: Urgency;
}

/** A thread's figures for metrics: current numbers, and totals since its start. */
export interface ViewerThreadState {
  readonly connections: ConnectionCounts;
  readonly waiting: number;
  readonly responses: number;
  readonly cuts: Readonly<Record<CutReason, number>>;
  readonly playlists: number;
  readonly viewers: number;
  readonly windows: number;
  readonly busySec: number;
}

/** Calls that the gateway's thread accepts from one viewer thread. */
export interface DeskCalls extends Desk {
  /** Windows without recent requests. */
  unfollow(windowIds: readonly number[]): void;
  /** Parts whose blocks are not read anymore. */
  released(holds: readonly number[]): void;
  /** At least every second: without it, the thread is stuck. */
  report(leases: LeaseReport, touches: readonly Touch[], state: ViewerThreadState): void;
  logged(lines: readonly string[]): void;
}

/** Calls that a viewer thread accepts. */
export interface ViewerThreadCalls extends MirrorEvents {
  /** Resolves with the port when it listens. Fails with CLI_LISTEN_FAILED. */
  start(): Promise<number>;
  leaseEnded(id: number, refusal: AccessRefused): void;
  /** Whether the viewer shares paths from now on. */
  leaseChanged(id: number, sharesPaths: boolean): void;
  setLogLevel(level: LogLevel): void;
  /** Applies to new connections. */
  setCertificate(certificate: ListenerCertificate): void;
  /** Its listener will close in a moment: connections end with their next response. */
  leave(): void;
  close(): Promise<void>;
}
