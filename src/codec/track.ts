/**
 * What a source delivers: tracks and their access units, free of any transport. Everything behind a source
 * (packager, recorder, thumbnails) sees only these types.
 */

/** An H.264 video track (ISO/IEC 14496-10). Parameter sets are NAL units without start code or length. */
export interface H264Track {
  readonly kind: 'video';
  readonly codec: 'h264';
  /** Ticks per second of this track's timestamps. */
  readonly timescaleHz: number;
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
  readonly widthPx: number;
  readonly heightPx: number;
  /** From the SPS's VUI, null when the stream does not say. */
  readonly nominalFrameRateHz: number | null;
  /** RFC 6381, for example `avc1.64001f`. */
  readonly codecString: string;
}

/** An AAC audio track (ISO/IEC 14496-3); `timescaleHz` is its sampling rate, one access unit is one raw frame. */
export interface AacTrack {
  readonly kind: 'audio';
  readonly codec: 'aac';
  readonly timescaleHz: number;
  readonly audioSpecificConfig: Uint8Array;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  /** Samples in one access unit: 1024 or 960. */
  readonly samplesPerFrame: number;
  /** RFC 6381, for example `mp4a.40.2`. */
  readonly codecString: string;
}

export type Track = H264Track | AacTrack;

/**
 * One coded picture or audio frame. Timestamps of all tracks of one source instance share their zero: a tick
 * value divided by its track's `timescaleHz` is the same media time for every track.
 *
 * The object and `data` are borrowed: both are reused by the source once the call they came with returns.
 */
export interface AccessUnit {
  /** Index into the tracks last announced. */
  trackIndex: number;
  /** Decoding time, strictly increasing within a track. */
  dtsTicks: number;
  /** Presentation time, at least `dtsTicks`. */
  ptsTicks: number;
  /** Video: an IDR picture. Audio: always true. */
  isKey: boolean;
  /** H.264: NAL units each behind a 4-byte big-endian length, no parameter sets, no AUD. AAC: the raw frame. */
  data: Uint8Array;
  /** Monotonic time at which its last byte came in. */
  arrivalMonoMs: number;
}
