/** program_config_element(): channel layouts that channelConfiguration has no number for. ISO/IEC 14496-3 §4.4.1.1. */

import type { BitReader } from '../../bytes/bit-reader.ts';

/** A syntactic element of a raw data block that carries channels. */
export interface ChannelElement {
  readonly kind: 'single' | 'pair' | 'lfe';
  /** element_instance_tag */
  readonly tag: number;
}

/** The front, side, back and LFE elements, in this order; null when there are none. */
export function readProgramElements(reader: BitReader): ChannelElement[] | null {
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
