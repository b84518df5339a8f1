/**
 * Which of the offered media the direct engine uses: the first H.264 video, and the first AAC audio or, without AAC,
 * the first audio that can be transcoded to it.
 */

import type {
  MediaDescription,
  MediaDirection,
  MediaFormat,
  SessionDescription,
} from '../sdp/session-description.ts';

/** `coded-sound`: the format's parameters, for transcoding. */
export type SupportedEncoding = 'h264' | 'aac' | OtherSound;
/** Audio other than AAC as RFC 3640 packetizes it. */
export type OtherSound = 'aac-latm' | 'coded-sound';
/** How a non-AAC audio format can be carried; null if it cannot. */
export type OtherSoundOf = (format: MediaFormat) => OtherSound | null;

const NO_OTHER_SOUND: OtherSoundOf = () => null;

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
  otherSoundOf: OtherSoundOf = NO_OTHER_SOUND,
): TrackSelection {
  let video: SelectedTrack | null = null;
  let aac: SelectedTrack | null = null;
  let other: SelectedTrack | null = null;
  const skipped: SkippedTrack[] = [];
  const talkBack = talkBackDirection(description);
  const hasAac = description.media.some(
    (media) => isHeard(media, talkBack) && supportedTrack(media, NO_OTHER_SOUND)?.encoding === 'aac',
  );
  for (const media of description.media) {
    const track = supportedTrack(media, hasAac ? NO_OTHER_SOUND : otherSoundOf);
    if (media.kind === 'audio' && media.direction === talkBack) skipped.push(skip(media, 'backchannel'));
    else if (track === null) skipped.push(skip(media, 'unsupported'));
    else if (!isHeard(media, talkBack)) skipped.push(skip(media, 'inactive'));
    else if (track.encoding === 'h264' && video === null) video = track;
    else if (track.encoding === 'aac' && aac === null) aac = track;
    else if (media.kind === 'audio' && track.encoding !== 'aac' && other === null) other = track;
    else skipped.push(skip(media, 'surplus'));
  }
  return { video, audio: aac ?? other, skipped };
}

/**
 * The direction of audio for the camera's speaker. RFC 8866 §6.7 takes the camera's point of view; ONVIF marks its back
 * channel `sendonly`, from the client's. A camera that marks its video `sendonly` follows the RFC.
 */
function talkBackDirection(description: SessionDescription): MediaDirection {
  const isSent = description.media.some(
    ({ kind, direction }) => kind === 'video' && direction === 'sendonly',
  );
  return isSent ? 'recvonly' : 'sendonly';
}

function isHeard(media: MediaDescription, talkBack: MediaDirection): boolean {
  return media.kind !== 'audio' || (media.direction !== talkBack && media.direction !== 'inactive');
}

function skip(media: MediaDescription, reason: SkipReason): SkippedTrack {
  return { kind: media.kind, encodings: media.formats.map((format) => format.encoding), reason };
}

function supportedTrack(media: MediaDescription, otherSoundOf: OtherSoundOf): SelectedTrack | null {
  // SAVP is encrypted (RFC 3711); AVPF adds feedback that a receiver need not send (RFC 4585).
  if (!/^RTP\/AVPF?(?:\/(?:TCP|UDP))?$/.test(media.protocol)) return null;
  for (const format of media.formats) {
    if (media.kind === 'video' && isSupportedH264(format))
      return { encoding: 'h264', format, control: media.control };
    if (media.kind === 'audio' && isSupportedAac(format))
      return { encoding: 'aac', format, control: media.control };
    const other = media.kind === 'audio' ? otherSoundOf(format) : null;
    if (other !== null) return { encoding: other, format, control: media.control };
  }
  return null;
}

/** Packetization mode 2 is the interleaved one (RFC 6184 §5.2). No known camera uses it. */
function isSupportedH264(format: MediaFormat): boolean {
  return format.encoding === 'h264' && format.fmtp.get('packetization-mode') !== '2';
}

/**
 * AAC-hbr (RFC 3640 §3.3.6), also as `AAC_hbr` (mediamtx issue 4183); cameras that leave out the mode mean it. A player
 * cannot do without the configuration.
 */
function isSupportedAac(format: MediaFormat): boolean {
  const mode = format.fmtp.get('mode')?.toLowerCase().replaceAll('_', '-') ?? 'aac-hbr';
  const config = format.fmtp.get('config') ?? '';
  return format.encoding === 'mpeg4-generic' && mode === 'aac-hbr' && /^"?[0-9a-f]{4,}"?$/i.test(config);
}
