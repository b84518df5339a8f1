/**
 * What the front door reads: finished bytes of live cameras. The hub implements it; nothing here knows HTTP.
 * Every Buffer handed out is shared between all viewers and never changes while it is lent.
 */

import type { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { MediaExtension, MediaPlaylistName } from '../hls/media-names.ts';
import type { PlaylistEdge } from '../hls/media-playlist.ts';

/** A playlist request (RFC 8216bis §6.2.5). `msn` and `part` are -1 when the request names none. */
export interface PlaylistQuery {
  /**
   * Ending of the names it lists; `m4v` when absent. The list with `mp4` is for players of plain HLS, which give up on
   * one without a whole segment: it is not there before the first segment is complete.
   */
  readonly extension?: MediaExtension;
  readonly msn: number;
  readonly part: number;
  readonly skip: boolean;
  /**
   * The viewer plays another rendition of the camera and now changes to this one: before the first segment is complete,
   * the list is not there until it has enough parts to be joined where the other one was left.
   */
  readonly isSwitch?: boolean;
}

/** A playlist, one byte a character. As text, because Node writes text and the header block before it in one piece. */
export interface PlaylistText {
  readonly text: string;
  /** The text in the coding `gzip` (RFC 1952), made when first asked for. */
  gzipped(): string;
}

/**
 * Media on loan. Its memory goes back to the system when it has left the live window and every loan is over, which
 * empties `bytes`. So give back only what nobody will read again for certain, the kernel included: after the response
 * has finished, or after the connection's `close` event (docs/design/live-path.md, Memory).
 */
export interface LentMedia {
  readonly bytes: Buffer;
  /** Ends the loan; at most once for each time it was lent. */
  release(): void;
  /** Whether the window wants its memory back: the borrower ends the answer and then the loan. */
  isRecalled(nowMonoMs: number): boolean;
}

/** What a wait ends with: a part, or a playlist. */
export type LiveBody = LentMedia | PlaylistText;

/** Someone who waits for bytes that do not exist yet. Exactly one of the two is called, once, unless cancelled before. */
export interface Waiter {
  onReady(body: LiveBody): void;
  /** It will not come: the camera went away, the wait took too long, or the window moved past it. */
  onGone(error: GatewayError): void;
}

/**
 * `wait`: in the near future, ask with `await…`. `rejected`: further in the future than RFC 8216bis §6.2.5.2
 * lets a client ask. `unknown`: never existed, or left the window.
 */
export type Unready = 'wait' | 'rejected' | 'unknown';

/** One packaged stream of a camera: what stands behind one media playlist. */
export interface LiveRendition {
  /** The media playlist that answers `query` (delta when `skip`), or why not now. Without `msn`, `wait` means nothing has been packaged yet. */
  playlist(query: PlaylistQuery): PlaylistText | Unready;
  /** Lends one Partial Segment; `wait` for the one the playlist's preload hint names. */
  part(msn: number, part: number): LentMedia | Unready;
  /** Lends a complete Media Segment, or null. */
  segment(msn: number): LentMedia | null;
  /** A Media Initialization Section by the name the playlist gives it; null when unknown. Lasts. */
  init(name: string): Buffer | null;
  /** What EXT-X-RENDITION-REPORT says of it; null before there is enough to report. The same object until it changes. */
  edge(): PlaylistEdge | null;
  /** Queues `waiter`; cancelling with `cancelWait` is idempotent. Only after the matching call above said `wait`. */
  awaitPlaylist(query: PlaylistQuery, waiter: Waiter): void;
  awaitPart(msn: number, part: number, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
}

/**
 * Main and sub stream of the camera; the silent ones carry the video alone, for shares that exclude audio. A
 * silent rendition is packaged only while somebody watches one.
 */
export type RenditionName = 'main' | 'sub' | 'main-silent' | 'sub-silent';

/** Whether a viewer may hear the camera. */
export type Audience = 'sound' | 'silent';

export type LiveState =
  | { readonly state: 'idle' } // nobody watches: the camera is not open
  | { readonly state: 'starting' } // open, nothing packaged yet
  | { readonly state: 'live' }
  | { readonly state: 'offline'; readonly error: GatewayError; readonly retryAtEpochMs: number };

export type LiveStateName = LiveState['state'];

/** The newest picture a camera sent, still coded. */
export interface KeyFrame {
  /** Media Initialization Section and one fragment with just this picture: a decodable fMP4. */
  readonly fmp4: readonly Buffer[];
  readonly widthPx: number;
  readonly heightPx: number;
  readonly atEpochMs: number;
}

/** A camera as viewers see it. Lives as long as the camera is configured, whether or not it is open. */
export interface LiveCamera {
  readonly uuid: Ruuid;
  /** What people call it, for logs. */
  readonly name: string;
  /** Someone is interested: opens the camera when idle, and keeps it open for the idle time from now. Cheap; called on every request. */
  touch(audience: Audience): void;
  status(): LiveState;
  /** Whether the camera has a sub stream at all, open or not. */
  hasSubStream(): boolean;
  /** Whether it has an audio track for those who may hear it; null before the main stream's first part. */
  hasAudio(): boolean | null;
  /** null when the camera has no such stream. Reading does not open the camera, `touch` does. */
  rendition(name: RenditionName): LiveRendition | null;
  /**
   * The Multivariant Playlist for `audience`, whose URIs are `<prefix><name>` and `<prefix>sub/<name>`; null until both
   * streams have their first part (CODECS and RESOLUTION are true or the playlist does not exist), or the main stream
   * has one and the sub stream is offline or late.
   */
  multivariantPlaylist(prefix: string, audience: Audience, name: MediaPlaylistName): string | null;
  /** Calls the waiter (with an empty text) once the main stream has its first part. */
  awaitPlayable(audience: Audience, waiter: Waiter): void;
  /** Calls the waiter (with an empty text) once `multivariantPlaylist` is there. */
  awaitMultivariant(audience: Audience, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
  /** The newest key frame of the smallest stream, null when none is held. Held over an idle stop. */
  keyFrame(): KeyFrame | null;
}

export interface LiveCameras {
  get(cameraUuid: Ruuid): LiveCamera | undefined;
}
