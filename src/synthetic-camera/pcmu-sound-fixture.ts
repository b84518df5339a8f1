/**
 * The audio of a camera that supports only G.711: a beep at every full second, as in the clips. ITU-T G.711, RFC 3551
 * §4.5.14.
 */

import type { Clip, PcmuSound } from './clip.ts';

const SAMPLE_RATE_HZ = 8_000;
const FRAME_SAMPLES = 160;
const BEEP_SEC = 0.1;
const BEEP_HZ = 440;
const AMPLITUDE = 10_000;
/** In which a sound card that is off by 100 ppm has one frame more or less. */
const DRIFT_LOOP_SEC = 200;
const BIAS = 0x84;
const CLIP_LEVEL = 32_635;

/**
 * The same video with G.711 instead of AAC. `driftPpm`: by how much the sound card runs fast, in parts per million; a
 * multiple of 100, so that the beeps and the frames repeat together.
 */
export function withPcmuSound(clip: Clip, driftPpm = 0): Clip {
  const trueRateHz = SAMPLE_RATE_HZ * (1 + driftPpm / 1e6);
  const frameCount = (trueRateHz * (driftPpm === 0 ? 1 : DRIFT_LOOP_SEC)) / FRAME_SAMPLES;
  if (Math.abs(frameCount - Math.round(frameCount)) > 1e-6)
    throw new Error(`driftPpm is ${driftPpm}, not a multiple of 100`);
  const frames = Array.from({ length: Math.round(frameCount) }, (_, frame) =>
    Uint8Array.from({ length: FRAME_SAMPLES }, (_, sample) => {
      const atSec = ((frame * FRAME_SAMPLES + sample) / trueRateHz) % 1;
      return muLaw(atSec < BEEP_SEC ? Math.round(AMPLITUDE * Math.sin(2 * Math.PI * BEEP_HZ * atSec)) : 0);
    }),
  );
  const audio: PcmuSound = {
    encoding: 'pcmu',
    frames,
    sampleRateHz: SAMPLE_RATE_HZ,
    trueRateHz,
    channelCount: 1,
    samplesPerFrame: FRAME_SAMPLES,
  };
  return { ...clip, audio };
}

/** One 16-bit sample. */
function muLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP_LEVEL) + BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}
