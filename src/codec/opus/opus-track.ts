/** The track of an Opus stream of one or two channels. RFC 6716 §2, RFC 7587 §4.1: its clock always counts 48 kHz. */

import type { OpusTrack } from '../track.ts';
import { OPUS_SAMPLE_RATE_HZ } from './opus-packet.ts';

/** 20 ms, what nearly every encoder sends. Packets say how long they really are. */
const USUAL_PACKET_SAMPLES = 960;

export function opusTrackOf(channelCount: number, preSkipSamples: number): OpusTrack {
  return {
    kind: 'audio',
    codec: 'opus',
    timescaleHz: OPUS_SAMPLE_RATE_HZ,
    sampleRateHz: OPUS_SAMPLE_RATE_HZ,
    channelCount,
    samplesPerFrame: USUAL_PACKET_SAMPLES,
    preSkipSamples,
    codecString: 'Opus',
  };
}
