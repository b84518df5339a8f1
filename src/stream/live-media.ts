/**
 * What the front door reads: finished bytes of live cameras. The hub implements it; nothing here knows HTTP. All
 * viewers share each Buffer that is handed out, and it never changes while it is on loan.
 */

import type { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { MediaExtension, MediaPlaylistName } from '../hls/media-names.ts';
import type { PlaylistEdge } from '../hls/media-playlist.ts';

/** A playlist request (RFC 8216bis §6.2.5). `msn` and `part` are -1 when the request names none. */
export interface PlaylistQuery {
  /**
   * Extension of the files it lists; default: `m4v`. The playlist with `mp4` is for players of plain HLS, which give up
   * on a list without a whole segment, so it does not exist before the first segment is complete.
   */
  readonly extension?: MediaExtension;
  readonly msn: number;
  readonly part: number;
  readonly skip: boolean;
  /**
   * The viewer plays another rendition of the camera and is switching to this one: before the first segment is
   * complete, the playlist does not exist until it has enough parts for the player to join where it left the other one.
   */
  readonly isSwitch?: boolean;
}

/**
 * A playlist, one byte per character. As text, because Node writes text and the header block before it in one piece.
 */
export interface PlaylistText {
  readonly text: string;
  /** The text in the `gzip` coding (RFC 1952), made on first request. */
  gzipped(): string;
}

/**
 * Media on loan. Its memory returns to the system when it has left the live window and every loan has ended; `bytes` is
 * empty afterwards. So return only what no one will read again, including the kernel: after the response has finished,
 * or after the connection's `close` event (docs/design/live-path.md#memory).
 */
export interface LentMedia {
  readonly bytes: Buffer;
  /** Ends the loan. Call at most once for each time it was lent. */
  release(): void;
  /** Whether the window wants its memory back: the borrower ends the response and then the loan. */
  isRecalled(nowMonoMs: number): boolean;
}

/** What a wait ends with: a part or a playlist. */
export type LiveBody = LentMedia | PlaylistText;

/**
 * Waits for bytes that do not exist yet. Exactly one of the two methods is called, once, unless it was canceled before.
 */
export interface Waiter {
  onReady(body: LiveBody): void;
  /** The bytes will not arrive: the camera went offline, the wait took too long, or the window moved past them. */
  onGone(error: GatewayError): void;
}

/**
 * `wait`: in the near future, use `await…`. `rejected`: further in the future than RFC 8216bis §6.2.5.2 lets a client
 * ask. `unknown`: never existed, or has left the window.
 */
export type Unready = 'wait' | 'rejected' | 'unknown';

/** One packaged stream of a camera: the content of one Media Playlist. */
export interface LiveRendition {
  /**
   * The Media Playlist for `query` (delta if `skip`), or why there is none now. Without `msn`, `wait` means that
   * nothing has been packaged yet.
   */
  playlist(query: PlaylistQuery): PlaylistText | Unready;
  /** Lends one Partial Segment; `wait` for the one in the playlist's preload hint. */
  part(msn: number, part: number): LentMedia | Unready;
  /** Lends a complete Media Segment, or null. */
  segment(msn: number): LentMedia | null;
  /** A Media Initialization Section by its name in the playlist; null if unknown. Not a loan. */
  init(name: string): Buffer | null;
  /**
   * The content of EXT-X-RENDITION-REPORT for it; null before there is enough to report. The same object until it
   * changes.
   */
  edge(): PlaylistEdge | null;
  /**
   * Queues `waiter`; canceling with `cancelWait` is idempotent. Call only after the matching method above returned
   * `wait`.
   */
  awaitPlaylist(query: PlaylistQuery, waiter: Waiter): void;
  awaitPart(msn: number, part: number, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
}

/**
 * Main stream and substream of the camera; the silent ones carry only the video, for shares that exclude audio. A
 * silent rendition is packaged only while someone watches it.
 */
export type RenditionName = 'main' | 'sub' | 'main-silent' | 'sub-silent';

/** Whether a viewer may hear the camera. */
export type Audience = 'sound' | 'silent';

export type LiveState =
  | { readonly state: 'idle' } // no one watches: the camera is not open
  | { readonly state: 'starting' } // open, nothing packaged yet
  | { readonly state: 'live' }
  | { readonly state: 'offline'; readonly error: GatewayError; readonly retryAtEpochMs: number };

export type LiveStateName = LiveState['state'];

/** The newest frame from a camera, still coded. */
export interface KeyFrame {
  /** Media Initialization Section and one fragment with only this frame: a decodable fMP4. */
  readonly fmp4: readonly Buffer[];
  readonly widthPx: number;
  readonly heightPx: number;
  readonly atEpochMs: number;
}

/** A camera as viewers see it. Lives as long as the camera is configured, whether or not it is open. */
export interface LiveCamera {
  readonly uuid: Ruuid;
  /** Its display name, for logs. */
  readonly name: string;
  /**
   * Someone is interested: opens an idle camera, and keeps it open for the idle time from now. Cheap; called on every
   * request.
   */
  touch(audience: Audience): void;
  status(): LiveState;
  /** Whether the camera has a substream at all, open or not. */
  hasSubStream(): boolean;
  /** Whether it has an audio track for those who may hear it; null before the main stream's first part. */
  hasAudio(): boolean | null;
  /** null if the camera has no such stream. Reading does not open the camera; `touch` does. */
  rendition(name: RenditionName): LiveRendition | null;
  /**
   * The Multivariant Playlist for `audience`, whose URIs are `<prefix><name>` and `<prefix>sub/<name>`. null until both
   * streams have their first part (the playlist exists only once CODECS and RESOLUTION are known), or until the main
   * stream has one and the substream is offline or late.
   */
  multivariantPlaylist(prefix: string, audience: Audience, name: MediaPlaylistName): string | null;
  /** Calls the waiter (with an empty text) once the main stream has its first part. */
  awaitPlayable(audience: Audience, waiter: Waiter): void;
  /** Calls the waiter (with an empty text) once `multivariantPlaylist` exists. */
  awaitMultivariant(audience: Audience, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
  /** The newest key frame of the smallest stream; null if there is none. Kept across an idle stop. */
  keyFrame(): KeyFrame | null;
}

export interface LiveCameras {
  get(cameraUuid: Ruuid): LiveCamera | undefined;
}
