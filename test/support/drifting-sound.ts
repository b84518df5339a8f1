/** AAC that states another sampling rate than it was recorded with, for the clips of synthetic cameras. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readAdts } from '../../src/codec/aac/adts.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';

const FRAME_SAMPLES = 1_024;
/** 440 Hz for a tenth of each second, as in the clips. */
const BEEP = 'if(lt(mod(t,1),0.1),0.5*sin(2*PI*440*t),0)';

/**
 * The same video with AAC of `statedRateHz` that was recorded at `trueRateHz`: a whole number of frames must last as long as
 * the clip.
 */
export async function withWrongAac(clip: Clip, statedRateHz: number, trueRateHz: number): Promise<Clip> {
  const seconds = clip.pictures.length / clip.fps;
  const frames = (seconds * trueRateHz) / FRAME_SAMPLES;
  if (!Number.isInteger(frames)) throw new Error(`${frames} frames`);
  const { path } = await findFfmpeg({});
  const sound = `aevalsrc=${BEEP}|${BEEP}:s=${trueRateHz}:d=${seconds + 1},asetrate=${statedRateHz}`;
  // The commas of the expression, not the one between the filters.
  const graph = sound.replace(/,(?!asetrate)/g, '\\,');
  const coding = ['-f', 'lavfi', '-i', graph, '-c:a', 'aac', '-b:a', '96k', '-f', 'adts', 'pipe:1'];
  const run = promisify(execFile)(path, ['-loglevel', 'error', ...coding], {
    encoding: 'buffer',
    maxBuffer: 1e9,
  });
  const adts = readAdts((await run).stdout);
  if (adts === null || adts.sampleRateHz !== statedRateHz) throw new Error('ffmpeg made other AAC');
  return { ...clip, audio: { ...adts, frames: adts.frames.slice(0, frames), trueRateHz } };
}
