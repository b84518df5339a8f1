/** Tracks whose sample entries tests write, read and damage. */

import { FlacEncoder } from '../codec/flac/flac-encoder.ts';
import { opusTrackOf } from '../codec/opus/opus-track.ts';
import type { AudioTrack } from '../codec/track.ts';

/** Encodes the first track. */
export const FLAC_ENCODER = new FlacEncoder({ sampleRateHz: 44_100, channelCount: 2, blockSamples: 1_764 });

/** FLAC and Opus, in one channel and in two. */
export const AUDIO_TRACKS: readonly AudioTrack[] = [
  FLAC_ENCODER.track,
  new FlacEncoder({ sampleRateHz: 8_000, channelCount: 1, blockSamples: 320 }).track,
  opusTrackOf(1, 0),
  opusTrackOf(2, 312),
];
