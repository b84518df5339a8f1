/** H.265 with its parameter sets out of band. ISO/IEC 14496-15 §8.3.3, §8.4. */

import { parseHevcConfiguration } from '../codec/h265/hevc-configuration.ts';
import { NAL_PPS, NAL_SPS, NAL_VPS } from '../codec/h265/nal-unit.ts';
import { h265CodecString, type ProfileTierLevel } from '../codec/h265/profile-tier-level.ts';
import { parseSequenceParameterSet } from '../codec/h265/sequence-parameter-set.ts';
import type { H265Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { type BoxCursor, fourCc } from './box-reader.ts';
import type { BoxWriter } from './box-writer.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { fitsRecord, parameterSet, readVisualSampleEntry, visualSampleEntry } from './visual-sample-entry.ts';

const HVCC = fourCc('hvcC');
const COMPLETE = 0x80;

/** `hvc1`: all parameter sets are in the record, none in samples. */
export function hvc1(writer: BoxWriter, track: H265Track): void {
  const box = writer.begin('hvc1');
  visualSampleEntry(writer, track);
  hvcC(writer, track);
  writer.end(box);
}

/**
 * HEVCDecoderConfigurationRecord, §8.3.3.1. The general fields repeat the first SPS. Parameter sets that a record cannot
 * hold are left out.
 */
export function hvcC(writer: BoxWriter, track: H265Track): void {
  const sps = parseSequenceParameterSet(track.sps[0] ?? new Uint8Array(0));
  const box = writer.begin('hvcC');
  writer.u8(1); // configurationVersion
  generalProfile(writer, sps?.profile ?? null);
  writer.u16(0xf000); // reserved, min_spatial_segmentation_idc: unknown
  writer.u8(0xfc); // reserved, parallelismType: unknown
  writer.u8(0xfc | (sps?.chromaFormat ?? 1)); // reserved, chroma_format_idc
  writer.u8(0xf8 | ((sps?.lumaBitDepth ?? 8) - 8)); // reserved, bit_depth_luma_minus8
  writer.u8(0xf8 | ((sps?.chromaBitDepth ?? 8) - 8)); // reserved, bit_depth_chroma_minus8
  writer.u16(0); // avgFrameRate, unspecified
  const isNested = sps?.isTemporalIdNested === true;
  writer.u8(((sps?.subLayers ?? 0) << 3) | (isNested ? 4 : 0) | 3); // constantFrameRate, layers, lengthSizeMinusOne
  const arrays = [
    [NAL_VPS, track.vps.filter(fitsRecord)],
    [NAL_SPS, track.sps.filter(fitsRecord)],
    [NAL_PPS, track.pps.filter(fitsRecord)],
  ] as const;
  writer.u8(arrays.length); // numOfArrays
  for (const [type, nalus] of arrays) {
    writer.u8(COMPLETE | type); // array_completeness, NAL_unit_type
    writer.u16(nalus.length); // numNalus
    for (const nalu of nalus) parameterSet(writer, nalu);
  }
  writer.end(box);
}

function generalProfile(writer: BoxWriter, profile: ProfileTierLevel | null): void {
  if (profile === null) {
    writer.zeros(12);
    return;
  }
  writer.u8((profile.profileSpace << 6) | (profile.tierFlag << 5) | profile.profileIdc);
  writer.u32(profile.compatibilityFlags); // general_profile_compatibility_flags
  writer.put(profile.constraintBytes); // general_constraint_indicator_flags
  writer.u8(profile.levelIdc); // general_level_idc
}

/** `hvc1` or `hev1`; what we write of such a track is `hvc1`. Fails ISOBMFF_… */
export function readHevcEntry(entry: BoxCursor): (timescaleHz: number) => H265Track {
  const { widthPx, heightPx } = readVisualSampleEntry(entry);
  const box = entry.children();
  while (box.next()) {
    if (box.type !== HVCC) continue;
    const record = parseHevcConfiguration(box.view(box.left));
    // Samples are read with lengths of four bytes, as all muxers write them.
    if (record === null || record.lengthBytes !== 4) break;
    const { vps, sps, pps } = record;
    const codecString = h265CodecString(record.profile);
    if (sps.length === 0 || widthPx === 0 || heightPx === 0) break;
    return (timescaleHz) => ({
      kind: 'video',
      codec: 'h265',
      timescaleHz,
      vps,
      sps,
      pps,
      widthPx,
      heightPx,
      nominalFrameRateHz: null,
      codecString,
    });
  }
  throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'hvcC' });
}
