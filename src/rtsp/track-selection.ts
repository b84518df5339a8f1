/**
 * Which of the offered media the direct engine uses: the first H.264 or H.265 video or, without one, the first Motion JPEG;
 * and the first AAC audio or, without AAC, the first audio that can be transcoded to it. A
 * device that describes no video is played for its sound.
 */

import type {
  MediaDescription,
  MediaDirection,
  MediaFormat,
  SessionDescription,
} from './sdp/session-description.ts';

/** `coded-sound`: the format's parameters, for transcoding. */
export type SupportedEncoding = VideoEncoding | 'aac' | OtherSound;
/** `jpeg`: RFC 2435. */
export type VideoEncoding = 'h264' | 'h265' | 'jpeg';
/** Audio other than AAC as RFC 3640 packetizes it. */
export type OtherSound = 'aac-latm' | 'coded-sound';
/** How a non-AAC audio format can be carried; null if it cannot. */
export type OtherSoundOf = (format: MediaFormat) => OtherSound | null;

const NO_OTHER_SOUND: OtherSoundOf = () => null;

export interface SelectionRequest {
  /** Default: no other audio. */
  readonly otherSoundOf?: OtherSoundOf | undefined;
  /** Leaves out all audio. Default: false. */
  readonly isSilent?: boolean;
  /** Motion JPEG will do. Default: false. */
  readonly carriesJpeg?: boolean;
}

/** A media description to set up, with its supported format. */
export interface SelectedTrack {
  readonly encoding: SupportedEncoding;
  readonly format: MediaFormat;
  /** `a=control` as written. */
  readonly control: string | null;
}

export type SkipReason =
  | 'unsupported' // unsupported encoding, packetization or profile
  | 'surplus' // a second video or audio
  | 'backchannel' // audio for the camera's speaker (ONVIF streaming specification §5.3)
  | 'unwanted' // audio that is configured not to be played
  | 'inactive' // described, but not sent now (RFC 8866 §6.7.4)
  | 'refused'; // the camera described it and refused to set it up

/** A media description that is left out. */
export interface SkippedTrack {
  /** `video`, `audio`, `application`… */
  readonly kind: string;
  /** Names of its formats in lower case; '' if the camera does not say. */
  readonly encodings: readonly string[];
  readonly reason: SkipReason;
}

export interface TrackSelection {
  readonly video: SelectedTrack | null;
  readonly audio: SelectedTrack | null;
  readonly skipped: readonly SkippedTrack[];
}

export function selectTracks(
  description: SessionDescription,
  { otherSoundOf = NO_OTHER_SOUND, isSilent = false, carriesJpeg = false }: SelectionRequest = {},
): TrackSelection {
  const hasCoded = description.media.some((media) => isCoded(supportedTrack(media, NO_OTHER_SOUND)));
  let video: SelectedTrack | null = null;
  let aac: SelectedTrack | null = null;
  let other: SelectedTrack | null = null;
  const skipped: SkippedTrack[] = [];
  const talkBack = talkBackDirection(description);
  const hasAac = description.media.some(
    (media) => isHeard(media, talkBack) && supportedTrack(media, NO_OTHER_SOUND)?.encoding === 'aac',
  );
  for (const media of description.media) {
    const track = supportedTrack(media, hasAac ? NO_OTHER_SOUND : otherSoundOf, carriesJpeg);
    if (media.kind === 'audio' && media.direction === talkBack) skipped.push(skip(media, 'backchannel'));
    else if (media.kind === 'audio' && isSilent) skipped.push(skip(media, 'unwanted'));
    else if (track === null) skipped.push(skip(media, 'unsupported'));
    else if (!isHeard(media, talkBack)) skipped.push(skip(media, 'inactive'));
    else if (isVideo(track) && video === null && isCoded(track) === hasCoded) video = track;
    else if (track.encoding === 'aac' && aac === null) aac = track;
    else if (media.kind === 'audio' && track.encoding !== 'aac' && other === null) other = track;
    else skipped.push(skip(media, 'surplus'));
  }
  return { video, audio: aac ?? other, skipped };
}

/**
 * Whether a session can be made of the selection: it has video, or the device describes sound and no video at all. A camera
 * whose video cannot be carried does not count as a microphone.
 */
export function isPlayable({ video, audio, skipped }: TrackSelection): boolean {
  return video !== null || (audio !== null && !skipped.some(({ kind }) => kind === 'video'));
}

/** The device describes only sound, and is configured to play none. */
export function isUnwantedSound({ video, skipped }: TrackSelection): boolean {
  const hasVideo = video !== null || skipped.some(({ kind }) => kind === 'video');
  return !hasVideo && skipped.some(({ reason }) => reason === 'unwanted');
}

/**
 * The direction of audio for the camera's speaker. RFC 8866 §6.7 takes the camera's point of view; ONVIF marks its back
 * channel `sendonly`, from the client's. A camera that marks its video `sendonly` follows the RFC, and so does a device
 * that marks everything it has.
 */
function talkBackDirection(description: SessionDescription): MediaDirection {
  const { media } = description;
  const isSent =
    media.some(({ kind, direction }) => kind === 'video' && direction === 'sendonly') ||
    media.every(({ direction }) => direction === 'sendonly');
  return isSent ? 'recvonly' : 'sendonly';
}

function isHeard(media: MediaDescription, talkBack: MediaDirection): boolean {
  return media.kind !== 'audio' || (media.direction !== talkBack && media.direction !== 'inactive');
}

function skip(media: MediaDescription, reason: SkipReason): SkippedTrack {
  return { kind: media.kind, encodings: media.formats.map((format) => format.encoding), reason };
}

function supportedTrack(
  media: MediaDescription,
  otherSoundOf: OtherSoundOf,
  carriesJpeg = false,
): SelectedTrack | null {
  let jpeg: SelectedTrack | null = null;
  // SAVP is encrypted (RFC 3711); AVPF adds feedback that a receiver need not send (RFC 4585).
  if (!/^RTP\/AVPF?(?:\/(?:TCP|UDP))?$/.test(media.protocol)) return null;
  for (const format of media.formats) {
    const video = media.kind === 'video' ? videoEncodingOf(format) : null;
    if (video === 'jpeg') jpeg ??= carriesJpeg ? { encoding: video, format, control: media.control } : null;
    else if (video !== null) return { encoding: video, format, control: media.control };
    if (media.kind === 'audio' && isSupportedAac(format))
      return { encoding: 'aac', format, control: media.control };
    const other = media.kind === 'audio' ? otherSoundOf(format) : null;
    if (other !== null) return { encoding: other, format, control: media.control };
  }
  return jpeg;
}

/** Whether it is a video track. */
export function isVideo({ encoding }: SelectedTrack): boolean {
  return encoding === 'h264' || encoding === 'h265' || encoding === 'jpeg';
}

/** Whether it is video that players get as it is, or almost. */
function isCoded(track: SelectedTrack | null): boolean {
  return track !== null && isVideo(track) && track.encoding !== 'jpeg';
}

/** Packetization mode 2 of H.264 is the interleaved one (RFC 6184 §5.2): no known camera uses it. */
function videoEncodingOf({ encoding, fmtp }: MediaFormat): VideoEncoding | null {
  if (encoding === 'h265' || encoding === 'hevc') return 'h265';
  if (encoding === 'jpeg') return 'jpeg';
  if (encoding !== 'h264') return null;
  return fmtp.get('packetization-mode') === '2' ? null : 'h264';
}

/**
 * AAC-hbr and AAC-lbr (RFC 3640 §3.3.5, §3.3.6), also as `AAC_hbr` (mediamtx issue 4183), and generic if it says how long
 * its AU headers are (§4.1); cameras that leave out the mode mean AAC-hbr. A player cannot do without the configuration.
 */
function isSupportedAac(format: MediaFormat): boolean {
  const mode = format.fmtp.get('mode')?.toLowerCase().replaceAll('_', '-') ?? 'aac-hbr';
  const config = format.fmtp.get('config') ?? '';
  const isKnownMode =
    mode === 'aac-hbr' || mode === 'aac-lbr' || (mode === 'generic' && format.fmtp.has('sizelength'));
  return format.encoding === 'mpeg4-generic' && isKnownMode && /^"?[0-9a-f]{4,}"?$/i.test(config);
}
