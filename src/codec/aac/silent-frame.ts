/**
 * An AAC frame of digital silence, to fill gaps in a camera's audio. Every channel has max_sfb 0: no scale factor band,
 * so no section, scale factor or spectral data. The same bits work for the AAC Main, LC, SSR and LTP object types, and
 * for frames of 1024 and of 960 samples. ISO/IEC 14496-3 §4.4.2.
 */

import { parseAudioSpecificConfig } from './audio-specific-config.ts';

/** Table 4.85, id_syn_ele. */
const ELEMENT_IDS = { single: 0, pair: 1, lfe: 3 } as const;
const ID_END = 7;
/** Table 4.6: for a long window, without prediction. */
const ICS_INFO = [
  [1, 0], // ics_reserved_bit
  [2, 0], // window_sequence: ONLY_LONG_SEQUENCE
  [1, 0], // window_shape
  [6, 0], // max_sfb
  [1, 0], // predictor_data_present
] as const;

/** A raw_data_block; null when `parseAudioSpecificConfig` cannot read the configuration. */
export function silentAacFrame(audioSpecificConfig: Uint8Array): Uint8Array | null {
  const config = parseAudioSpecificConfig(audioSpecificConfig);
  if (config === null) return null;
  const frame = new BitList();
  for (const { kind, tag } of config.elements) {
    frame.put(3, ELEMENT_IDS[kind]);
    frame.put(4, tag);
    if (kind === 'pair') frame.put(1, 0); // common_window
    silentChannel(frame);
    if (kind === 'pair') silentChannel(frame);
  }
  frame.put(3, ID_END);
  return frame.bytes();
}

/** individual_channel_stream() */
function silentChannel(frame: BitList): void {
  frame.put(8, 0); // global_gain
  for (const [count, value] of ICS_INFO) frame.put(count, value);
  frame.put(3, 0); // pulse_data_present, tns_data_present, gain_control_data_present
}

/** Called once per track, so not a hot path. */
class BitList {
  #text = '';

  put(count: number, value: number): void {
    this.#text += value.toString(2).padStart(count, '0');
  }

  /** Padded with zeros: byte_alignment() */
  bytes(): Uint8Array {
    const octets = this.#text.match(/.{1,8}/g) ?? [];
    return Uint8Array.from(octets, (octet) => Number.parseInt(octet.padEnd(8, '0'), 2));
  }
}
