/**
 * What a source produces: tracks and their access units, independent of any transport. Everything downstream of a
 * source (packager, recorder, thumbnails) sees only these types.
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
  /** From the SPS's VUI; null when the stream does not say. */
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
  /** Samples per access unit: 1024 or 960. */
  readonly samplesPerFrame: number;
  /** RFC 6381, for example `mp4a.40.2`. */
  readonly codecString: string;
}

export type Track = H264Track | AacTrack;

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
  /** Video: an IDR frame. Audio: always true. */
  isKey: boolean;
  /** H.264: NAL units, each after a 4-byte big-endian length, without parameter sets or AUD. AAC: the raw frame. */
  data: Uint8Array;
  /** Monotonic time at which its last byte arrived. */
  arrivalMonoMs: number;
}
