/**
 * The output of a source: tracks and their access units, independent of any transport. Everything downstream of a source
 * (packager, recorder, thumbnails) sees only these types.
 */

/** Quarter turns, clockwise, from the coded picture to the shown one. */
export type QuarterTurns = 0 | 1 | 2 | 3;

interface VideoTrackFields {
  readonly kind: 'video';
  /** Ticks per second of this track's timestamps. */
  readonly timescaleHz: number;
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
  readonly widthPx: number;
  readonly heightPx: number;
  /** Read from the SPS's VUI; null when the stream does not say. */
  readonly nominalFrameRateHz: number | null;
  /** Only files say it; default: 0. */
  readonly turns?: QuarterTurns;
}

/** An H.264 video track (ISO/IEC 14496-10). Parameter sets are NAL units without start code or length. */
export interface H264Track extends VideoTrackFields {
  readonly codec: 'h264';
  /** RFC 6381, for example `avc1.64001f`. */
  readonly codecString: string;
}

/** An H.265 video track (ISO/IEC 23008-2). Parameter sets are NAL units without start code or length. */
export interface H265Track extends VideoTrackFields {
  readonly codec: 'h265';
  readonly vps: readonly Uint8Array[];
  /** ISO/IEC 14496-15 §E.3, for example `hvc1.1.6.L93.B0`. */
  readonly codecString: string;
}

export type VideoTrack = H264Track | H265Track;

interface AudioTrackFields {
  readonly kind: 'audio';
  /** Ticks per second of this track's timestamps: its sampling rate. */
  readonly timescaleHz: number;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  /** Samples at `sampleRateHz` per access unit, the same for each; of Opus: what the track was announced with. */
  readonly samplesPerFrame: number;
}

/** An AAC audio track (ISO/IEC 14496-3); one access unit is one raw frame of 1024 or 960 samples. */
export interface AacTrack extends AudioTrackFields {
  readonly codec: 'aac';
  readonly audioSpecificConfig: Uint8Array;
  /** RFC 6381, for example `mp4a.40.2`. */
  readonly codecString: string;
}

/** A FLAC audio track (RFC 9639); one access unit is one frame, which any decoder can start with. */
export interface FlacTrack extends AudioTrackFields {
  readonly codec: 'flac';
  /** The 34 bytes of STREAMINFO, without the header of its metadata block. RFC 9639 §8.2. */
  readonly streamInfo: Uint8Array;
  /** As registered for ISO-BMFF: the sample entry's name. */
  readonly codecString: 'fLaC';
  /** What the gateway made it of: codes that can be made of its samples again. Default: of anything else. */
  readonly madeOf?: 'pcmu' | 'pcma';
}

/**
 * An Opus audio track (RFC 6716) at 48 kHz; one access unit is one packet. Its own header says how long it lasts
 * (`opusSamples`).
 */
export interface OpusTrack extends AudioTrackFields {
  readonly codec: 'opus';
  /** Samples at 48 kHz at the start of a decoder's output that are not part of the recording. RFC 7845 §4.2. */
  readonly preSkipSamples: number;
  /** As registered for ISO-BMFF: the sample entry's name. */
  readonly codecString: 'Opus';
}

export type AudioTrack = AacTrack | FlacTrack | OpusTrack;

export type Track = VideoTrack | AudioTrack;

/** Motion JPEG; one access unit is one whole JPEG file. For decoders: no player of ours takes it as video. */
export interface JpegTrack {
  readonly kind: 'video';
  readonly codec: 'jpeg';
  /** Ticks per second of this track's timestamps. */
  readonly timescaleHz: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly nominalFrameRateHz: null;
}

/** The formats that a decoder accepts. */
export type CodedTrack = Track | JpegTrack;

/**
 * One coded video or audio frame. Timestamps of all tracks of one source instance share their zero: a tick value
 * divided by its track's `timescaleHz` is the same media time for every track.
 *
 * The object and `data` are borrowed: the source reuses both when the call that passed them returns.
 */
export interface AccessUnit {
  /** Index into the last announced tracks. */
  trackIndex: number;
  /** Decoding time, strictly increasing within a track. */
  dtsTicks: number;
  /** Presentation time, at least `dtsTicks`. */
  ptsTicks: number;
  /**
   * Video: a frame at which decoding can begin (H.264: IDR, or another one that players begin at, KeyWatch; H.265: IRAP).
   * Audio: always true.
   */
  isKey: boolean;
  /**
   * Video: NAL units, each after a 4-byte big-endian length, without parameter sets or AUD. Audio: the
   * raw frame.
   */
  data: Uint8Array;
  /** Monotonic time at which its last byte arrived. */
  arrivalMonoMs: number;
}
