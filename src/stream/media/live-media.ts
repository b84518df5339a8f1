/**
 * The front door's view of live cameras: finished bytes. The hub implements it; nothing here knows HTTP. All viewers share
 * each Buffer that is handed out, and it never changes while it is on loan.
 */

import type { VideoTrack } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ManifestLatency } from '../../dash/manifest-query.ts';
import type { MediaExtension, MediaPlaylistName } from '../../hls/media-names.ts';
import type { PlaylistEdge } from '../../hls/media-playlist.ts';
import type { LiveSpeaker } from './live-speaker.ts';
import type { Urgency, WorkerWait } from './urgency.ts';

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
  /** Segments and parts are listed under the paths that viewers share, as far as they have any. */
  readonly isShared?: boolean;
  /**
   * The piecewise playlist of the opening that began with this segment (src/hls/piecewise-playlist.ts), which `msn` and
   * `part` then refer to; absent or -1: another one.
   */
  readonly firstMsn?: number;
  /** The viewer has no media of the camera yet. Counts for piecewise playlists. */
  readonly isFirst?: boolean;
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
 * empty afterwards. So return it only when nothing will read it again, including the kernel: after the response has
 * finished, or after the connection's `close` event (docs/design/live-path.md#memory).
 */
export interface LentMedia {
  readonly bytes: Buffer;
  /** Ends the loan. Call at most once for each time it was lent. */
  release(): void;
  /** Whether the window wants its memory back: the borrower ends the response and then the loan. */
  isRecalled(nowMonoMs: number): boolean;
}

/** The result of a wait: a part or a playlist. */
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

/** Frames that are still in memory, as copies that belong to the caller. */
export interface RecentMedia {
  /** Media Initialization Section. */
  readonly init: Buffer;
  /** A segment from its first frame on, as far as it has come. */
  readonly bytes: Buffer;
  /** Wall time of its first frame. */
  readonly epochMs: number;
  /** The duration so far; null: it is complete. */
  readonly openDurationMs: number | null;
  /** A copy of the segment that it continues; null if there is none, or if it has more than `maxBytes`. */
  previous(maxBytes: number): Buffer | null;
}

/** Times of which all media are held, epoch milliseconds. */
export interface HeldSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** One packaged stream of a camera: the content of one Media Playlist. */
export interface LiveRendition {
  /**
   * The Media Playlist for `query` (delta if `skip`), or why there is none now. Without `msn`, `wait` means that
   * nothing has been packaged yet.
   */
  playlist(query: PlaylistQuery): PlaylistText | Unready;
  /** Lends one Partial Segment; `wait` for the one in the playlist's preload hint. */
  part(msn: number, part: number): LentMedia | Unready;
  /** Another node makes it, or made it before, and may have more of segment `msn` than this one. */
  isBehind(msn: number): boolean;
  /** Lends a complete Media Segment, or null. */
  segment(msn: number): LentMedia | null;
  /**
   * It is not here, and may soon be: another node makes it, and viewers may know of it from a node that has it. Use `awaitPart`
   * with part -1.
   */
  isSegmentComing(msn: number): boolean;
  /** How long a shared path with this signature keeps leading to the segment and its parts; 0: it does not. */
  sharedForMs(msn: number, signature: string): number;
  /** The segment that shows this instant; null if none does, or if it has more than `maxBytes`. */
  segmentAt(epochMs: number, maxBytes: number): RecentMedia | null;
  /** The spans that `segmentAt` finds, in order. */
  heldSpans(): readonly HeldSpan[];
  /** A Media Initialization Section by its name in the playlist; null if unknown. Not a loan. */
  init(name: string): Buffer | null;
  /**
   * The content of EXT-X-RENDITION-REPORT for it; null before there is enough to report. The same object until it
   * changes.
   */
  edge(): PlaylistEdge | null;
  /**
   * Queues `waiter`; canceling with `cancelWait` is idempotent. Call only after the matching method above returned
   * `wait`. Part -1: the complete segment.
   */
  awaitPlaylist(query: PlaylistQuery, waiter: Waiter): void;
  awaitPart(msn: number, part: number, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
}

/**
 * Main stream and substream of the camera; the silent ones carry only the video, for shares that exclude audio and for
 * DASH, and `main-audio` only the audio of the main stream, for DASH. `h264` is the main stream transcoded, for players
 * that cannot decode it. Each is packaged only while someone plays it.
 */
export type RenditionName =
  | ('main' | 'sub' | 'h264')
  | ('main-silent' | 'sub-silent' | 'h264-silent')
  | 'main-audio';

/** Whether a viewer may hear the camera. */
export type Audience = 'sound' | 'silent';

/**
 * The contents of renditions: `sound` video and audio, `silent` video, `audio` audio. Playlists give an audience the
 * content of its name; manifests give `silent`, and also `audio` to viewers who may hear it.
 */
export type Content = Audience | 'audio';

/**
 * The variants that a player requested of a Multivariant Playlist: all, only those in H.264, or one stream of the camera's.
 * The main stream takes the place of a substream that is not there.
 */
export type VideoRequest = 'all' | 'h264' | 'main' | 'sub';

/**
 * The video of a manifest: the camera's streams unchanged, or the main stream transcoded to H.264, for players that decode
 * nothing else.
 */
export type ManifestVideo = 'camera' | 'transcoded';

/**
 * Where players that decode H.264 alone get it: from a stream of the camera that is H.264, from a transcoder, or
 * `nowhere`, because the camera has no video or the gateway has no encoder.
 */
export type H264Origin = 'camera' | 'transcoder' | 'nowhere';

/**
 * A reason to keep a camera open: someone plays this content, or the transcoded main stream with or without its audio. `units`: something
 * else is made of its access units.
 */
export type Interest = Content | 'h264' | 'h264-silent' | 'units';

export type LiveState =
  | { readonly state: 'idle' } // no viewers: the camera is not open
  /** Open, nothing packaged yet. `waiting`: because it has no worker. */
  | { readonly state: 'starting'; readonly waiting?: WorkerWait | undefined }
  | { readonly state: 'live' }
  | {
      readonly state: 'offline';
      readonly error: GatewayError;
      readonly retryAtEpochMs: number;
      readonly waiting?: WorkerWait | undefined;
    };

export type LiveStateName = LiveState['state'];

/** The newest frame from a camera, still coded. */
export interface KeyFrame {
  /** Media Initialization Section and one fragment with only this frame: a decodable fMP4. */
  readonly fmp4: readonly Buffer[];
  /** The frame as it is, if it is a JPEG, under a header that the gateway wrote. Never changes. */
  readonly jpeg?: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly atEpochMs: number;
}

/** One access unit of a video track, as viewers without a packager get it. Shared by all of them; never changes. */
export interface LivePicture {
  readonly track: VideoTrack;
  /** Decoding can begin at it: nothing before it is needed. */
  readonly isKey: boolean;
  /** When it is to be shown, whole epoch milliseconds by the gateway's clock. */
  readonly epochMs: number;
  /** As in AccessUnit. */
  readonly data: Uint8Array;
}

/** Called synchronously and in order. May detach itself at any time. */
export interface PictureReader {
  onPicture(picture: LivePicture): void;
  /** The stream is down or closed; the reader is detached. */
  onGone(error: GatewayError): void;
}

/** The access units of one stream of a camera, as they arrive (docs/design/real-time.md). */
export interface LivePictures {
  /** Calls `reader` with the newest group of pictures so far, then with every access unit. Does not open the camera. */
  attach(reader: PictureReader): void;
  /** Idempotent. */
  detach(reader: PictureReader): void;
}

/** One Opus packet (RFC 6716) of a camera's sound. Shared by all listeners; never changes. */
export interface LiveSound {
  /** When it is to be heard, epoch milliseconds (fractional) by the gateway's clock, as `LivePicture.epochMs`. */
  readonly epochMs: number;
  readonly packet: Uint8Array;
}

/** Called synchronously and in order. May detach itself at any time. */
export interface SoundReader {
  onSound(sound: LiveSound): void;
  /** The stream is down or closed, or has no sound; the reader is detached. */
  onGone(error: GatewayError): void;
}

/** The sound of a camera's main stream as Opus, encoded only while there is a reader. */
export interface LiveSounds {
  /** Opens the camera and keeps it open. */
  attach(reader: SoundReader): void;
  /** Idempotent. */
  detach(reader: SoundReader): void;
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
  touch(interest: Interest, urgency?: Urgency): void;
  status(): LiveState;
  /** Whether the camera has a substream at all, open or not. */
  hasSubStream(): boolean;
  /**
   * Whether there is, or can be made, H.264 of a main stream that is something else; null before the camera has been
   * open: its codec is not known.
   */
  hasCompatibleStream(): boolean | null;
  /** null before the camera has been open: the codec of its main stream is not known. */
  h264From(): H264Origin | null;
  /** False: it is open and sends only sound. null: not known; it was not open, or nothing came yet. */
  hasPicture(): boolean | null;
  /** Whether it has an audio track for those who may hear it; null before the main stream is open. */
  hasAudio(): boolean | null;
  /** null if the camera has no such stream. Reading does not open the camera; `touch` does. */
  rendition(name: RenditionName): LiveRendition | null;
  /** Other nodes of a cluster show it, too: they may have what this one does not have. */
  readonly isClustered: boolean;
  /** This node has lost touch with the others: its windows of the camera may be older than theirs. */
  readonly isCutOff: boolean;
  /** null if the camera has no such stream. Reading does not open the camera; `touch` does. */
  pictures(profile: 'main' | 'sub'): LivePictures | null;
  readonly sounds: LiveSounds;
  /** null: it has none that the gateway can use. */
  readonly speaker: LiveSpeaker | null;
  /**
   * The Multivariant Playlist for `audience`, whose URIs are `<prefix><name>` and `<prefix>sub/<name>`. null until both
   * streams have their first part (the playlist exists only once CODECS and RESOLUTION are known), or until the main
   * stream has one and the substream is offline or late. If the main stream is not H.264, and no substream is, there is
   * a variant `<prefix>h264/<name>`, whose first viewer starts a transcoder. `video`: which variants it lists, all of
   * them if none is in H.264.
   */
  multivariantPlaylist(
    prefix: string,
    audience: Audience,
    name: MediaPlaylistName,
    video?: VideoRequest,
  ): string | null;
  /**
   * The manifest for `audience`, with URIs relative to the folder of a grant (src/dash/manifest.ts). null until every
   * stream in it has its first complete segment; a substream that is offline or late is left out. Stays the same while
   * the camera is offline. `touch` what it is made of: MANIFEST_INTERESTS (renditions.ts). `video` is `camera` when absent;
   * one that is transcoded begins with the transcoder, so call it only if `h264From` says so.
   */
  manifest(audience: Audience, latency: ManifestLatency, video?: ManifestVideo): PlaylistText | null;
  /** Calls the waiter (with an empty text) once `manifest` exists. */
  awaitManifest(audience: Audience, waiter: Waiter, video?: ManifestVideo): void;
  /** The time by which the manifest's segments are stamped, epoch milliseconds. */
  mediaEpochMs(): number;
  /** Calls the waiter (with an empty text) once the main stream has its first part. */
  awaitPlayable(audience: Audience, waiter: Waiter): void;
  /** The same for the transcoded main stream. */
  awaitCompatible(audience: Audience, waiter: Waiter): void;
  /** Calls the waiter (with an empty text) once there is a picture of this opening: `keyFrame`. */
  awaitPicture(audience: Audience, waiter: Waiter): void;
  /** Calls the waiter (with an empty text) once `multivariantPlaylist` exists. */
  awaitMultivariant(audience: Audience, waiter: Waiter): void;
  cancelWait(waiter: Waiter): void;
  /**
   * A new key frame: of the smallest stream that is at least `widthPx` wide, or of the largest; default: the smallest.
   * A stream whose newest frame is much older than the other's does not count. null if there is none. Kept across an
   * idle stop.
   */
  keyFrame(widthPx?: number): KeyFrame | null;
}

export interface LiveCameras {
  get(cameraUuid: Ruuid): LiveCamera | undefined;
}
