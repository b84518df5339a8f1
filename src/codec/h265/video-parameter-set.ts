/** Video parameter sets, as far as an SPS leaves questions open. ISO/IEC 23008-2 §7.3.2.1. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_VPS, nalHeader, nalLayer, nalType, rbspOf } from './nal-unit.ts';
import { readProfileTierLevel } from './profile-tier-level.ts';
import { readFrameRate } from './timing-info.ts';

export interface VideoParameterSet {
  readonly id: number;
  /** null when it is absent or nonsense. */
  readonly nominalFrameRateHz: number | null;
}

/** Encoders write 20 to 40 bytes; extensions for layers make it longer. */
export const MAX_VPS_BYTES = 2_048;
const MAX_SUB_LAYERS = 7;
const MAX_LAYER_SETS = 1_024;

/** null when `nalu` is not a VPS of the base layer, or too short for its fixed part. */
export function parseVideoParameterSet(nalu: Uint8Array): VideoParameterSet | null {
  const header = nalHeader(nalu);
  if (nalu.length > MAX_VPS_BYTES || nalType(header) !== NAL_VPS || nalLayer(header) !== 0) return null;
  const reader = new BitReader(rbspOf(nalu, MAX_VPS_BYTES));
  const id = reader.bits(4);
  reader.skip(8); // vps_base_layer_internal_flag, vps_base_layer_available_flag, vps_max_layers_minus1
  const subLayers = reader.bits(3) + 1;
  reader.skip(17); // vps_temporal_id_nesting_flag, vps_reserved_0xffff_16bits
  if (subLayers > MAX_SUB_LAYERS) return null;
  readProfileTierLevel(reader, subLayers);
  if (reader.isOverrun) return null;
  return { id, nominalFrameRateHz: readTiming(reader, subLayers) };
}

function readTiming(reader: BitReader, subLayers: number): number | null {
  const entries = reader.flag() ? subLayers : 1; // vps_sub_layer_ordering_info_present_flag
  for (let at = 0; at < entries; at++) for (let field = 0; field < 3; field++) reader.expGolomb();
  const layerIds = reader.bits(6) + 1;
  const layerSets = reader.expGolomb();
  if (layerSets > MAX_LAYER_SETS) return null;
  reader.skip(layerSets * layerIds); // layer_id_included_flag
  const rateHz = reader.flag() ? readFrameRate(reader) : null;
  return reader.isOverrun ? null : rateHz;
}
