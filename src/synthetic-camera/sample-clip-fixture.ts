/** A clip of a few made-up frames, for tests that decode nothing. */

import { buildAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts';
import { SAMPLE_PPS, SAMPLE_SPS, slice } from '../rtp/sample-stream-fixture.ts';
import type { Clip } from './clip.ts';

/**
 * 25 frames per second, a key frame every `gop`; frame n has `n:` in its slice, and the second one is larger than a
 * packet.
 */
export function sampleClip(pictureCount: number, gop: number): Clip {
  const pictures = Array.from({ length: pictureCount }, (_, index) => {
    const isKey = index % gop === 0;
    const text = `${index}:${'x'.repeat(index % gop === 1 ? 5_000 : 100)}`;
    const nalus = isKey ? [SAMPLE_SPS, SAMPLE_PPS, slice('idr', text)] : [slice('reference', text)];
    return { nalus, isKey };
  });
  const audio = {
    frames: Array.from({ length: 15 }, (_, index) => Uint8Array.of(0x21, index)),
    audioSpecificConfig: buildAudioSpecificConfig(48_000, 2),
    sampleRateHz: 48_000,
    channelCount: 2,
  };
  return { widthPx: 320, heightPx: 240, fps: 25, pictures, sps: SAMPLE_SPS, pps: SAMPLE_PPS, audio };
}
