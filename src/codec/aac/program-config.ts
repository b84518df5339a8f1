/** program_config_element(): channels that channelConfiguration has no number for. ISO/IEC 14496-3 §4.4.1.1. */

import type { BitReader } from '../../bytes/bit-reader.ts';

/** Channels of all front, side, back and LFE elements; null when there are none. */
export function readProgramChannels(reader: BitReader): number | null {
  reader.skip(4 + 2 + 4); // element_instance_tag, object_type, sampling_frequency_index
  const [front, side, back, lfe] = [reader.bits(4), reader.bits(4), reader.bits(4), reader.bits(2)];
  reader.skip(3 + 4); // num_assoc_data_elements, num_valid_cc_elements
  if (reader.flag()) reader.skip(4); // mono_mixdown_element_number
  if (reader.flag()) reader.skip(4); // stereo_mixdown_element_number
  if (reader.flag()) reader.skip(3); // matrix_mixdown_idx, pseudo_surround_enable
  let channels = lfe;
  for (let element = front + side + back; element > 0; element--) {
    channels += reader.flag() ? 2 : 1; // is_cpe: a channel pair
    reader.skip(4); // tag_select
  }
  return reader.isOverrun || channels === 0 ? null : channels;
}
