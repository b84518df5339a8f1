/**
 * The tracks of a Media Initialization Section that the relay carries: one video track, and one audio track, which may be
 * in a section of its own. RFC 8216 §3.3; ISO/IEC 14496-12 §8.2.
 */

import { aacTrackOf } from '../../codec/aac/audio-specific-config.ts';
import { H264SampleReader } from '../../codec/h264/sample-reader.ts';
import { h264CodecString, parseSequenceParameterSet } from '../../codec/h264/sequence-parameter-set.ts';
import { H265SampleReader } from '../../codec/h265/sample-reader.ts';
import { isSameBytes } from '../../codec/same-bytes.ts';
import type { SampleReader } from '../../codec/sample-reader.ts';
import type { AacTrack, H264Track, Track, VideoTrack } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FragmentReader } from '../../isobmff/fragment-reader.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { checkSegmentBoxes } from './segment-boxes.ts';

export const VIDEO_TIMESCALE_HZ = 90_000;

export interface SectionTrack<T extends Track> {
  /** Its ticks are those of the instance, not of the segments. */
  readonly track: T;
  /** Ticks per second in its segments. */
  readonly timescaleHz: number;
  /** In `FragmentSink`. */
  readonly index: number;
}

export interface InitSection {
  readonly bytes: Buffer;
  /** null: none, or none that the relay carries. */
  readonly video: SectionTrack<VideoTrack> | null;
  readonly audio: SectionTrack<AacTrack> | null;
}

/** The init section of a playlist that is loaded for its audio. */
export interface SoundSection {
  readonly bytes: Buffer;
  readonly audio: SectionTrack<AacTrack>;
}

/** null: no audio that the relay carries. */
export function soundSectionOf({ bytes, audio }: InitSection): SoundSection | null {
  return audio === null ? null : { bytes, audio };
}

/** Fails HLS_SEGMENT_INVALID, HLS_SEGMENT_TOO_LONG or ISOBMFF_… */
export function readInitSection(bytes: Buffer): InitSection {
  checkSegmentBoxes(bytes);
  let found: readonly Track[] | null = null;
  const reader = new FragmentReader({
    onTracks: (tracks) => {
      found = tracks;
    },
    onSample: () => undefined,
  });
  reader.push(bytes);
  const tracks = found as readonly Track[] | null;
  if (tracks === null) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { box: 'moov' });
  return { bytes, video: videoOf(tracks), audio: audioOf(tracks) };
}

function videoOf(tracks: readonly Track[]): SectionTrack<VideoTrack> | null {
  const index = tracks.findIndex(({ kind }) => kind === 'video');
  const track = tracks[index] as VideoTrack | undefined;
  if (track === undefined) return null;
  const normalized =
    track.codec === 'h264' ? normalizedH264(track) : { ...track, timescaleHz: VIDEO_TIMESCALE_HZ };
  return { track: normalized, timescaleHz: track.timescaleHz, index };
}

/** The size and the profile are those of the parameter set, as everywhere. H.265: see its SampleReader. */
function normalizedH264(track: H264Track): H264Track {
  const sps = parseSequenceParameterSet(track.sps[0]!);
  if (sps === null) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { box: 'avcC' });
  const { widthPx, heightPx } = sps;
  return { ...track, timescaleHz: VIDEO_TIMESCALE_HZ, widthPx, heightPx, codecString: h264CodecString(sps) };
}

function audioOf(tracks: readonly Track[]): SectionTrack<AacTrack> | null {
  const index = tracks.findIndex(({ codec }) => codec === 'aac');
  const found = tracks[index] as AacTrack | undefined;
  // The timescale of a track need not be its sampling rate.
  const track = found === undefined ? null : aacTrackOf(found.audioSpecificConfig);
  return track === null ? null : { track, timescaleHz: found!.timescaleHz, index };
}

/** A reader for the samples of segments after the init section with this track. */
export function sampleReaderOf(track: VideoTrack): SampleReader {
  if (track.codec === 'h264') return new H264SampleReader(track);
  return new H265SampleReader(track, VIDEO_TIMESCALE_HZ);
}

export function isSameVideo(a: VideoTrack, b: VideoTrack): boolean {
  const isSameVps = a.codec === 'h265' && b.codec === 'h265' ? isSameSets(a.vps, b.vps) : a.codec === b.codec;
  return isSameVps && isSameSets(a.sps, b.sps) && isSameSets(a.pps, b.pps);
}

function isSameSets(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((set, index) => isSameBytes(set, b[index]!));
}

export function isSameAudio(a: AacTrack | null, b: AacTrack | null): boolean {
  if (a === null || b === null) return a === b;
  return isSameBytes(a.audioSpecificConfig, b.audioSpecificConfig);
}
