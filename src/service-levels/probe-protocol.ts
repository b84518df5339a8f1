/** The messages between the gateway and the process of the synthetic viewer. Plain values, as JSON. */

import type { Measurement } from './measurement.ts';

/** To the process: play this now. */
export interface ProbeOrder {
  readonly kind: 'run';
  readonly id: number;
  readonly pageUrl: string;
  /** Contains a grant. */
  readonly playlistUrl: string;
  /** How long to play from the first picture on. */
  readonly playMs: number;
  /** The certificate is not checked: the address is that of the listener itself. */
  readonly isLocal: boolean;
}

/**
 * - `played`: it got video.
 * - `refused`: access was refused, `reason` as in the response (docs/design/access.md).
 * - `camera-offline`, `sound-only`: as in the response.
 * - `failed`: no video came in time.
 */
export type RunOutcome = 'played' | 'refused' | 'camera-offline' | 'sound-only' | 'failed';

/** As ALPN names them (RFC 7301). */
export const HTTP_PROTOCOLS = ['http/1.1', 'h2'] as const;
export type HttpProtocol = (typeof HTTP_PROTOCOLS)[number];

export interface RunResult extends Measurement {
  readonly outcome: RunOutcome;
  /** The reason why access was refused, or the last request failed; null: none. */
  readonly reason: string | null;
  /** The protocol of the last response; null: there was none. */
  readonly protocol: HttpProtocol | null;
}

/** Messages from the process. */
export type ProbeNotice =
  /** It runs, and so does its event loop. */
  | { readonly kind: 'alive' }
  /** A bug of the process: the run reveals nothing about the gateway. */
  | { readonly kind: 'broken'; readonly id: number; readonly message: string }
  | { readonly kind: 'done'; readonly id: number; readonly result: RunResult };

export const ALIVE_INTERVAL_MS = 5_000;
/** A camera that sleeps takes this long at most to show a picture (COLD_WAIT_MS), and a little more. */
export const FIRST_PICTURE_LIMIT_MS = 30_000;
