/** Writes the facts that a decoder needs before the first sample. ISO/IEC 14496-12 §8.5.2, 14496-14 §6.7, 14496-15 §5. */

import type { AacTrack, CodedTrack, H264Track, JpegTrack } from '../codec/track.ts';
import { fLaC, Opus } from './audio-sample-entries.ts';
import type { BoxWriter } from './box-writer.ts';
import { hvc1 } from './hevc-sample-entry.ts';
import { readChromaFormat } from './sps-chroma.ts';
import { fitsRecord, parameterSet, visualSampleEntry } from './visual-sample-entry.ts';

const MAX_SPS = 31;
const MAX_PPS = 255;
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
export function stsd(writer: BoxWriter, track: CodedTrack): void {
  const box = writer.beginFull('stsd', 0, 0);
  writer.u32(1); // entry_count
  if (track.codec === 'h264') avc1(writer, track);
  else if (track.codec === 'h265') hvc1(writer, track);
  else if (track.codec === 'jpeg') jpeg(writer, track);
  else if (track.codec === 'aac') mp4a(writer, track);
  else if (track.codec === 'flac') fLaC(writer, track);
  else Opus(writer, track);
  writer.end(box);
}

/** H.264 with its parameter sets out of band. ISO/IEC 14496-15 §5.4.2. */
export function avc1(writer: BoxWriter, track: H264Track): void {
  const box = writer.begin('avc1');
  visualSampleEntry(writer, track);
  avcC(writer, track);
  writer.end(box);
}

/** Motion JPEG without a configuration. QuickTime File Format, Video Sample Description; ffmpeg reads it in any MP4. */
export function jpeg(writer: BoxWriter, track: JpegTrack): void {
  const box = writer.begin('jpeg');
  visualSampleEntry(writer, track);
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

function descriptor(writer: BoxWriter, tag: number, length: number): void {
  writer.u8(tag); // tag
  writer.u8(0x80 | ((length >> 21) & 0x7f)); // length, seven bits per byte
  writer.u8(0x80 | ((length >> 14) & 0x7f));
  writer.u8(0x80 | ((length >> 7) & 0x7f));
  writer.u8(length & 0x7f);
}
