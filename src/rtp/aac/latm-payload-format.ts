/**
 * MP4A-LATM in session descriptions: `config=` holds the multiplex configuration, followed by the coder's, or the stream
 * itself has both (`cpresent=1`, the default). RFC 6416 §6.1, §7.3.
 */

import { BitReader } from '../../bytes/bit-reader.ts';
import {
  AAC_SAMPLE_RATES_HZ,
  aacTrackOf,
  buildAudioSpecificConfig,
  MAX_AUDIO_SPECIFIC_CONFIG_BYTES,
} from '../../codec/aac/audio-specific-config.ts';
import type { AacTrack } from '../../codec/track.ts';
import { readStreamMux, type StreamMux } from './stream-mux-config.ts';

export interface LatmPayloadFormat {
  /** The track by the description; in band, the likely track until the stream states it. */
  readonly track: AacTrack;
  /** null: the stream has to say it. */
  readonly mux: StreamMux | null;
  /** Elements begin with their configuration, or say that it is the one before. */
  readonly isInBand: boolean;
}

export interface LatmClock {
  readonly clockRateHz: number;
  readonly channelCount: number;
}

/** If the clock rate is not one of AAC. */
const LIKELY_RATE_HZ = 48_000;

/** null for configurations in the description with several streams, or with coders other than AAC-LC with or without SBR. */
export function latmPayloadFormat(
  fmtp: ReadonlyMap<string, string>,
  clock: LatmClock,
): LatmPayloadFormat | null {
  const mux = muxOf((fmtp.get('config') ?? '').replaceAll('"', '').trim());
  const isInBand = fmtp.get('cpresent') !== '0';
  const track = mux?.track ?? (isInBand ? likelyTrack(clock) : null);
  return track === null ? null : { track, mux, isInBand };
}

function muxOf(text: string): StreamMux | null {
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(text) && text.length <= MAX_AUDIO_SPECIFIC_CONFIG_BYTES * 2;
  if (!isHex) return null;
  const bytes = Buffer.from(text, 'hex');
  return readStreamMux(new BitReader(bytes), bytes);
}

/** RFC 6416 §6.1: the clock rate should be the sampling rate. */
function likelyTrack({ clockRateHz, channelCount }: LatmClock): AacTrack | null {
  const rateHz = AAC_SAMPLE_RATES_HZ.includes(clockRateHz) ? clockRateHz : LIKELY_RATE_HZ;
  return aacTrackOf(buildAudioSpecificConfig(rateHz, channelCount === 2 ? 2 : 1));
}
