/** AudioSpecificConfig: what a decoder must know about an AAC stream. ISO/IEC 14496-3 §1.6.2.1. */

import { BitReader } from '../../bytes/bit-reader.ts';
import type { AacTrack } from '../track.ts';

export interface AudioSpecificConfig {
  /** The type signaled first: 2 is AAC-LC; 5 and 29 are explicit SBR and PS around a core coder. */
  readonly objectType: number;
  /** The core coder's rate. SBR doubles it in the decoder; a frame lasts equally long either way. */
  readonly sampleRateHz: number;
  readonly channelCount: number;
  /** The elements of each frame, in bitstream order. */
  readonly elements: readonly ChannelElement[];
  /** Samples of the core coder in one frame. */
  readonly samplesPerFrame: 1024 | 960;
}

/** A configuration with a program config element and an SBR extension stays below this. */
export const MAX_AUDIO_SPECIFIC_CONFIG_BYTES = 64;
/** Table 1.18, samplingFrequencyIndex 0 to 12. */
export const AAC_SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const EXPLICIT_RATE_INDEX = 15;
/**
 * Table 1.19: elements by channelConfiguration (s: one channel, p: a pair, l: LFE). 0 is a program config element,
 * null is reserved.
 */
const CHANNEL_LAYOUTS: readonly (string | null)[] = [
  '',
  's',
  'p',
  'sp',
  'sps',
  'spp',
  'sppl',
  'spppl',
  null,
  null,
  null,
  'sppsl',
  'spppl',
  null,
  'spplp',
];
const AAC_LC = 2;
const SBR = 5;
const PARAMETRIC_STEREO = 29;
/** Main, LC, SSR and LTP: the types whose frames have 1024 or 960 samples and decode on their own. */
const MAX_CORE_OBJECT_TYPE = 4;
const ESCAPE_OBJECT_TYPE = 31;
const MAX_SAMPLE_RATE_HZ = 96_000;

/**
 * null when the configuration is truncated, or belongs to a coder other than AAC Main, LC, SSR or LTP with or without
 * SBR.
 */
export function parseAudioSpecificConfig(bytes: Uint8Array): AudioSpecificConfig | null {
  if (bytes.length > MAX_AUDIO_SPECIFIC_CONFIG_BYTES) return null;
  const reader = new BitReader(bytes);
  const objectType = readObjectType(reader);
  const sampleRateHz = readSampleRate(reader);
  const channelConfiguration = reader.bits(4);
  let coreObjectType = objectType;
  if (objectType === SBR || objectType === PARAMETRIC_STEREO) {
    readSampleRate(reader); // the output rate
    coreObjectType = readObjectType(reader);
  }
  // An SBR extension after the core configuration (§1.6.6.1) changes nothing for code that does not decode.
  const isShortFrame = reader.flag();
  if (reader.flag()) reader.skip(14); // coreCoderDelay
  reader.skip(1); // extensionFlag: nothing follows for these coders
  const elements =
    channelConfiguration === 0 ? readProgramElements(reader) : elementsOf(channelConfiguration);
  const isCore = coreObjectType >= 1 && coreObjectType <= MAX_CORE_OBJECT_TYPE;
  const isRate = sampleRateHz > 0 && sampleRateHz <= MAX_SAMPLE_RATE_HZ;
  if (reader.isOverrun || !isCore || !isRate || elements === null) return null;
  const channelCount = elements.reduce((sum, { kind }) => sum + (kind === 'pair' ? 2 : 1), 0);
  return { objectType, sampleRateHz, channelCount, elements, samplesPerFrame: isShortFrame ? 960 : 1024 };
}

/** AAC-LC without extensions, 1024 samples per frame: the synthetic camera's `config=`. */
export function buildAudioSpecificConfig(sampleRateHz: number, channelConfiguration: number): Uint8Array {
  const index = AAC_SAMPLE_RATES_HZ.indexOf(sampleRateHz);
  if (index < 0) throw new RangeError('not one of the sampling rates of ISO/IEC 14496-3 table 1.18');
  const bits = (AAC_LC << 11) | (index << 7) | (channelConfiguration << 3);
  return Uint8Array.of(bits >> 8, bits & 0xff);
}

/** The track for a configuration; null when `parseAudioSpecificConfig` cannot read it. Keeps `bytes`. */
export function aacTrackOf(bytes: Uint8Array): AacTrack | null {
  const config = parseAudioSpecificConfig(bytes);
  if (config === null) return null;
  return {
    kind: 'audio',
    codec: 'aac',
    timescaleHz: config.sampleRateHz,
    audioSpecificConfig: bytes,
    sampleRateHz: config.sampleRateHz,
    channelCount: config.channelCount,
    samplesPerFrame: config.samplesPerFrame,
    codecString: `mp4a.40.${config.objectType}`,
  };
}

/** Elements of one kind are numbered in order of appearance (§4.5.2.3.1). */
function elementsOf(channelConfiguration: number): ChannelElement[] | null {
  const layout = CHANNEL_LAYOUTS[channelConfiguration] ?? null;
  if (layout === null) return null;
  const tags = { single: 0, pair: 0, lfe: 0 };
  return Array.from(layout, (letter) => {
    const kind = letter === 'p' ? 'pair' : letter === 'l' ? 'lfe' : 'single';
    return { kind, tag: tags[kind]++ };
  });
}

function readObjectType(reader: BitReader): number {
  const type = reader.bits(5);
  return type === ESCAPE_OBJECT_TYPE ? 32 + reader.bits(6) : type;
}

/** 0 when the index is reserved. */
function readSampleRate(reader: BitReader): number {
  const index = reader.bits(4);
  return index === EXPLICIT_RATE_INDEX ? reader.bits(24) : (AAC_SAMPLE_RATES_HZ[index] ?? 0);
}

/** A syntactic element of a raw data block that carries channels. */
interface ChannelElement {
  readonly kind: 'single' | 'pair' | 'lfe';
  /** element_instance_tag */
  readonly tag: number;
}

/**
 * program_config_element(): channel layouts that channelConfiguration has no number for. ISO/IEC 14496-3 §4.4.1.1. Returns the front,
 * side, back and LFE elements, in this order; null when there are none.
 */
function readProgramElements(reader: BitReader): ChannelElement[] | null {
  reader.skip(4 + 2 + 4); // element_instance_tag, object_type, sampling_frequency_index
  const [front, side, back, lfe] = [reader.bits(4), reader.bits(4), reader.bits(4), reader.bits(2)];
  reader.skip(3 + 4); // num_assoc_data_elements, num_valid_cc_elements
  if (reader.flag()) reader.skip(4); // mono_mixdown_element_number
  if (reader.flag()) reader.skip(4); // stereo_mixdown_element_number
  if (reader.flag()) reader.skip(3); // matrix_mixdown_idx, pseudo_surround_enable
  const elements: ChannelElement[] = [];
  for (let element = front + side + back; element > 0; element--) {
    const kind = reader.flag() ? 'pair' : 'single'; // is_cpe
    elements.push({ kind, tag: reader.bits(4) });
  }
  for (let element = lfe; element > 0; element--) elements.push({ kind: 'lfe', tag: reader.bits(4) });
  return reader.isOverrun || elements.length === 0 ? null : elements;
}
