/** What a decoder must know before the first sample. ISO/IEC 14496-12 §8.5.2, 14496-14 §6.7, 14496-15 §5. */

import type { AacTrack, H264Track, Track } from '../codec/track.ts';
import type { BoxWriter } from './box-writer.ts';
import { readChromaFormat } from './sps-chroma.ts';

const MAX_SPS = 31;
const MAX_PPS = 255;
const MAX_PARAMETER_SET_BYTES = 0xffff;
/** NAL header, profile, constraints, level: the record repeats these. */
const MIN_SPS_BYTES = 4;

const ES_DESCRIPTOR = 0x03;
const DECODER_CONFIG_DESCRIPTOR = 0x04;
const DECODER_SPECIFIC_INFO = 0x05;
const SL_CONFIG_DESCRIPTOR = 0x06;
const OBJECT_TYPE_MPEG4_AUDIO = 0x40;
const STREAM_TYPE_AUDIO = 0x05;
/** A descriptor's tag and its length in the four-byte form. */
const DESCRIPTOR_HEADER_BYTES = 5;

/** Sample descriptions: a single entry, for `track`. */
export function stsd(writer: BoxWriter, track: Track): void {
  const box = writer.beginFull('stsd', 0, 0);
  writer.u32(1); // entry_count
  if (track.codec === 'h264') avc1(writer, track);
  else mp4a(writer, track);
  writer.end(box);
}

/** H.264 with its parameter sets out of band. ISO/IEC 14496-15 §5.4.2. */
export function avc1(writer: BoxWriter, track: H264Track): void {
  const box = writer.begin('avc1');
  writer.zeros(6); // reserved
  writer.u16(1); // data_reference_index
  writer.zeros(16); // pre_defined, reserved
  writer.u16(track.widthPx); // width
  writer.u16(track.heightPx); // height
  writer.u32(0x00480000); // horizresolution, 72 dpi
  writer.u32(0x00480000); // vertresolution, 72 dpi
  writer.u32(0); // reserved
  writer.u16(1); // frame_count
  writer.zeros(32); // compressorname
  writer.u16(0x0018); // depth
  writer.u16(0xffff); // pre_defined
  avcC(writer, track);
  writer.end(box);
}

/** AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3. Parameter sets that a record cannot hold are left out. */
export function avcC(writer: BoxWriter, track: H264Track): void {
  const sps = track.sps.filter((nalu) => nalu.length >= MIN_SPS_BYTES && fitsRecord(nalu)).slice(0, MAX_SPS);
  const pps = track.pps.filter(fitsRecord).slice(0, MAX_PPS);
  const first = sps[0];
  const box = writer.begin('avcC');
  writer.u8(1); // configurationVersion
  writer.u8(first?.[1] ?? 0); // AVCProfileIndication
  writer.u8(first?.[2] ?? 0); // profile_compatibility
  writer.u8(first?.[3] ?? 0); // AVCLevelIndication
  writer.u8(0xfc | 3); // reserved, lengthSizeMinusOne
  writer.u8(0xe0 | sps.length); // reserved, numOfSequenceParameterSets
  for (const nalu of sps) parameterSet(writer, nalu);
  writer.u8(pps.length); // numOfPictureParameterSets
  for (const nalu of pps) parameterSet(writer, nalu);
  const chroma = first === undefined ? null : readChromaFormat(first);
  if (chroma !== null) {
    writer.u8(0xfc | chroma.chromaFormat); // reserved, chroma_format
    writer.u8(0xf8 | (chroma.lumaBitDepth - 8)); // reserved, bit_depth_luma_minus8
    writer.u8(0xf8 | (chroma.chromaBitDepth - 8)); // reserved, bit_depth_chroma_minus8
    writer.u8(0); // numOfSequenceParameterSetExt
  }
  writer.end(box);
}

/** AAC. ISO/IEC 14496-14 §6.7.2. */
export function mp4a(writer: BoxWriter, track: AacTrack): void {
  const box = writer.begin('mp4a');
  writer.zeros(6); // reserved
  writer.u16(1); // data_reference_index
  writer.zeros(8); // reserved
  writer.u16(track.channelCount); // channelcount
  writer.u16(16); // samplesize
  writer.u32(0); // pre_defined, reserved
  writer.u16(track.sampleRateHz > 0xffff ? 0 : track.sampleRateHz); // samplerate, integer part
  writer.u16(0); // samplerate, fraction
  esds(writer, track);
  writer.end(box);
}

/** Elementary stream descriptor around the AudioSpecificConfig. ISO/IEC 14496-1 §7.2.6. */
export function esds(writer: BoxWriter, track: AacTrack): void {
  const specificBytes = track.audioSpecificConfig.length;
  const configBytes = 13 + DESCRIPTOR_HEADER_BYTES + specificBytes;
  const box = writer.beginFull('esds', 0, 0);
  descriptor(writer, ES_DESCRIPTOR, 3 + DESCRIPTOR_HEADER_BYTES + configBytes + DESCRIPTOR_HEADER_BYTES + 1);
  writer.u16(0); // ES_ID
  writer.u8(0); // stream dependence, URL, OCR flags, priority
  descriptor(writer, DECODER_CONFIG_DESCRIPTOR, configBytes);
  writer.u8(OBJECT_TYPE_MPEG4_AUDIO); // objectTypeIndication
  writer.u8((STREAM_TYPE_AUDIO << 2) | 1); // streamType, upStream, reserved
  writer.zeros(3); // bufferSizeDB
  writer.u32(0); // maxBitrate, unknown
  writer.u32(0); // avgBitrate, unknown
  descriptor(writer, DECODER_SPECIFIC_INFO, specificBytes);
  writer.put(track.audioSpecificConfig); // AudioSpecificConfig
  descriptor(writer, SL_CONFIG_DESCRIPTOR, 1);
  writer.u8(2); // predefined: MP4
  writer.end(box);
}

function fitsRecord(nalu: Uint8Array): boolean {
  return nalu.length > 0 && nalu.length <= MAX_PARAMETER_SET_BYTES;
}

function parameterSet(writer: BoxWriter, nalu: Uint8Array): void {
  writer.u16(nalu.length); // parameterSetLength
  writer.put(nalu); // parameterSetNALUnit
}

function descriptor(writer: BoxWriter, tag: number, length: number): void {
  writer.u8(tag); // tag
  writer.u8(0x80 | ((length >> 21) & 0x7f)); // length, seven bits per byte
  writer.u8(0x80 | ((length >> 14) & 0x7f));
  writer.u8(0x80 | ((length >> 7) & 0x7f));
  writer.u8(length & 0x7f);
}
