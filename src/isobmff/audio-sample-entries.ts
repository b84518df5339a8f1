/**
 * Sample entries of audio other than AAC: `fLaC` ("Encapsulation of FLAC in ISO Base Media File Format", §3.3) and `Opus`
 * ("Encapsulation of Opus in ISO Base Media File Format", §4.3).
 */

import { OPUS_SAMPLE_RATE_HZ } from '../codec/opus/opus-packet.ts';
import type { FlacTrack, OpusTrack } from '../codec/track.ts';
import type { BoxWriter } from './box-writer.ts';

const SAMPLE_SIZE_BITS = 16;
/** RFC 9639 §8.1: the last metadata block, of type 0. */
const LAST_STREAM_INFO_BLOCK = 0x80;
/** The sample entry has 16 bits for the whole Hz; a FLAC stream above that has it in its STREAMINFO only. */
const MAX_ENTRY_RATE_HZ = 0xffff;

/** FLAC with its STREAMINFO as the only metadata block. */
export function fLaC(writer: BoxWriter, track: FlacTrack): void {
  const box = writer.begin('fLaC');
  audioSampleEntry(writer, track.channelCount, track.sampleRateHz);
  const configuration = writer.beginFull('dfLa', 0, 0);
  writer.u32(LAST_STREAM_INFO_BLOCK * 0x1000000 + track.streamInfo.length); // METADATA_BLOCK_HEADER
  writer.put(track.streamInfo); // METADATA_BLOCK_DATA
  writer.end(configuration);
  writer.end(box);
}

/** Opus, one stream of one or two channels. */
export function Opus(writer: BoxWriter, track: OpusTrack): void {
  const box = writer.begin('Opus');
  audioSampleEntry(writer, track.channelCount, OPUS_SAMPLE_RATE_HZ);
  const configuration = writer.begin('dOps');
  writer.u8(0); // Version
  writer.u8(track.channelCount); // OutputChannelCount
  writer.u16(track.preSkipSamples); // PreSkip
  writer.u32(OPUS_SAMPLE_RATE_HZ); // InputSampleRate
  writer.u16(0); // OutputGain
  writer.u8(0); // ChannelMappingFamily: mono or stereo
  writer.end(configuration);
  writer.end(box);
}

/** ISO/IEC 14496-12 §12.2.3. */
function audioSampleEntry(writer: BoxWriter, channelCount: number, sampleRateHz: number): void {
  writer.zeros(6); // reserved
  writer.u16(1); // data_reference_index
  writer.zeros(8); // reserved
  writer.u16(channelCount); // channelcount
  writer.u16(SAMPLE_SIZE_BITS); // samplesize
  writer.u32(0); // pre_defined, reserved
  writer.u16(sampleRateHz > MAX_ENTRY_RATE_HZ ? 0 : sampleRateHz); // samplerate, integer part
  writer.u16(0); // samplerate, fraction
}
