/** A client session's reports to its owner, and its requests to the owner (see client-session.ts). */

import type { GatewayError } from '../core/errors.ts';
import type { MulticastGroup } from './multicast-group.ts';
import type { RtpInfo } from './rtp-info.ts';
import type { SessionDescription } from './sdp/session-description.ts';
import type { SelectedTrack, SkippedTrack, TrackSelection } from './track-selection.ts';
import type { RtpRtcpPair } from './transport.ts';

export interface ClientSessionLimits {
  /** Limits the time from a request of the handshake to its response. */
  readonly stepMs: number;
  /** Limits the time from `start` to `playing`, even if the camera keeps trickling bytes. */
  readonly handshakeMs: number;
}

/**
 * How media shall come: within the RTSP connection, to these UDP ports of ours, a pair for each selected track, or to
 * multicast groups.
 */
export type WantedTransport =
  | { readonly kind: 'tcp' }
  | { readonly kind: 'udp'; readonly clientPorts: readonly RtpRtcpPair[] }
  | { readonly kind: 'multicast' };

/** A track that the camera has set up. Media events carry its index in the list. */
export interface ReadyTrack {
  readonly selected: SelectedTrack;
  /** As the camera announced it; null if it did not. Some cameras announce one SSRC and send another. */
  readonly ssrc: number | null;
  /** The camera's ports, over UDP and if it named them. */
  readonly serverPort: RtpRtcpPair | null;
  /** Where the camera sends to; null unless multicast was requested. */
  readonly group: MulticastGroup | null;
}

/** Called synchronously from within the session's methods. Byte ranges are borrowed until return. */
export interface ClientSessionEvents {
  /** Bytes for the camera; owned by the callee. */
  onSend(bytes: Uint8Array): void;
  /** The owner calls `setUp`, immediately or later; without supported video, `onFailed` follows instead. */
  onDescribed(description: SessionDescription, selection: TrackSelection): void;
  /** All tracks are set up and PLAY is about to be sent. `skipped`: what the session leaves out, possibly nothing. */
  onReady(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): void;
  /**
   * PLAY was accepted. One entry per track, null if the camera sent none. `range`: what is played, as the response names it; null:
   * it does not. Media may already have arrived.
   */
  onPlaying(rtpInfos: readonly (RtpInfo | null)[], range: string | null): void;
  onRtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
  onRtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
  /** During the handshake: use this RTSP URL instead (it may hold credentials). */
  onRedirect(location: string): void;
  onFailed(error: GatewayError): void;
  /** The camera responded to TEARDOWN. */
  onTornDown(): void;
}
