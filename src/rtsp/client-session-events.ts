/** What a client session tells its owner, and what it wants to know (see client-session.ts). */

import type { GatewayError } from '../core/errors.ts';
import type { SessionDescription } from '../sdp/session-description.ts';
import type { RtpInfo } from './rtp-info.ts';
import type { SelectedTrack, SkippedTrack, TrackSelection } from './track-selection.ts';
import type { RtpRtcpPair } from './transport.ts';

export interface ClientSessionLimits {
  /** From a request of the handshake to its answer. */
  readonly stepMs: number;
  /** From `start` to `playing`, however busily the camera trickles bytes. */
  readonly handshakeMs: number;
}

/** How media shall come: within the RTSP connection, or to these UDP ports of ours, a pair for each
 * selected track. */
export type WantedTransport =
  | { readonly kind: 'tcp' }
  | { readonly kind: 'udp'; readonly clientPorts: readonly RtpRtcpPair[] };

/** A track that the camera has set up. Its index in the list is what media events carry. */
export interface ReadyTrack {
  readonly selected: SelectedTrack;
  /** As the camera announced it, null when it did not. Some announce another one than they send. */
  readonly ssrc: number | null;
  /** Where the camera sends from, over UDP and when it said so. */
  readonly serverPort: RtpRtcpPair | null;
}

/** Called synchronously from within the session's methods. Byte ranges are borrowed until return. */
export interface ClientSessionEvents {
  /** Bytes for the camera; owned by the callee. */
  onSend(bytes: Uint8Array): void;
  /** The owner answers with `setUp`, at once or later; without supported video `onFailed` follows instead. */
  onDescribed(description: SessionDescription, selection: TrackSelection): void;
  /** All tracks are set up and PLAY is about to go out. `skipped` is what the session leaves out, possibly nothing. */
  onReady(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): void;
  /** PLAY was accepted; an entry per track, null where the camera gave none. Media may have come before. */
  onPlaying(rtpInfos: readonly (RtpInfo | null)[]): void;
  onRtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
  onRtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
  /** During the handshake: read this RTSP URL instead (it may hold credentials). */
  onRedirect(location: string): void;
  onFailed(error: GatewayError): void;
  /** The camera answered TEARDOWN. */
  onTornDown(): void;
}
