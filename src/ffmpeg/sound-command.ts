/** The command line of a worker that encodes sound: see command.ts. */

import Ffmpeg from 'fluent-ffmpeg';
import {
  AUDIO_BITS_PER_SEC,
  AUDIO_SAMPLE_RATE_HZ,
  DECODER_THREADS,
  type FfmpegCommandLine,
  pipeOptions,
} from './command.ts';

/** How a worker encodes sound. */
const SOUND_ENCODERS = {
  aac: ['-c:a', 'aac', '-b:a', String(AUDIO_BITS_PER_SEC)],
  opus: ['-c:a', 'libopus', '-frame_duration', '20', '-b:a', '32k'],
} as const;
export type SoundCodec = keyof typeof SOUND_ENCODERS;

/** Standard input, as `inputOptions` describe it, to AAC or Opus on standard output; nothing is opened. */
export function soundCommand(
  inputOptions: readonly string[],
  codec: SoundCodec,
  channelCount: number,
): FfmpegCommandLine {
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'warning'],
      ...['-threads', String(DECODER_THREADS)],
      ...['-protocol_whitelist', 'pipe'],
      // Nothing has to be detected; media that is read for that arrives later.
      ...['-probesize', '32', '-analyzeduration', '0', '-fflags', 'nobuffer'],
      ...inputOptions,
    )
    .output('pipe:1')
    .outputOptions(
      ...['-map', '0:a:0', ...SOUND_ENCODERS[codec], '-ar', String(AUDIO_SAMPLE_RATE_HZ)],
      ...['-ac', String(channelCount)],
      ...pipeOptions(),
    );
  return { args: command._getArguments(), stdin: null };
}
