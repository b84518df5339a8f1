/** Makes a clip's streams: frames drawn here go to ffmpeg through a pipe; ffmpeg's audio source beeps every second. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { GatewayError } from '../core/errors.ts';
import type { ClipStreams } from './clip-file.ts';
import type { ClipParameters } from './clip-parameters.ts';
import { SYNTHETIC_CAMERA_ERRORS } from './errors.ts';
import { TestPicture } from './test-picture.ts';

const AUDIO_RATE_HZ = 48_000;
const BEEP = '0.3*sin(2*PI*440*t)*lt(mod(t,1),0.1)';
const MAX_ERROR_TEXT_CHARS = 2_000;

/** Works in files next to `temporaryPath`, and removes them. Fails with CLIP_ENCODER_FAILED. */
export async function encodeClip(
  ffmpegPath: string,
  parameters: ClipParameters,
  temporaryPath: string,
): Promise<ClipStreams> {
  const videoPath = `${temporaryPath}.video`;
  const audioPath = `${temporaryPath}.aac`;
  const child = spawn(ffmpegPath, ffmpegArguments(parameters, videoPath, audioPath), {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  try {
    await Promise.all([exited(child), feed(child, parameters)]);
    return {
      video: await readFile(videoPath),
      audio: parameters.audio ? await readFile(audioPath) : null,
    };
  } finally {
    child.kill('SIGKILL');
    await Promise.all([rm(videoPath, { force: true }), rm(audioPath, { force: true })]);
  }
}

function ffmpegArguments(parameters: ClipParameters, videoPath: string, audioPath: string): string[] {
  const { widthPx, heightPx, fps, gopSec, bitrateBitsPerSec, durationSec } = parameters;
  const gop = Math.max(1, Math.round(fps * gopSec));
  const inputs = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${widthPx}x${heightPx}`, '-r', `${fps}`];
  inputs.push('-i', 'pipe:0');
  const video = ['-map', '0:v', ...(parameters.codec === 'h265' ? h265Options(gop) : h264Options(gop))];
  video.push('-pix_fmt', 'yuv420p', '-b:v', `${bitrateBitsPerSec}`);
  video.push('-maxrate', `${bitrateBitsPerSec}`, '-bufsize', `${bitrateBitsPerSec}`);
  video.push(...(parameters.encoderArguments ?? []));
  video.push('-f', parameters.codec === 'h265' ? 'hevc' : 'h264', videoPath);
  if (!parameters.audio) return ['-nostdin', '-y', '-v', 'error', ...inputs, ...video];
  // One second more than the video: the encoder's delay must not cost the last frame.
  const sound = `aevalsrc=${BEEP}|${BEEP}:s=${AUDIO_RATE_HZ}:d=${durationSec + 1}`.replaceAll(',', '\\,');
  inputs.push('-f', 'lavfi', '-i', sound);
  const audio = ['-map', '1:a', '-c:a', 'aac', '-b:a', '96k', '-f', 'adts', audioPath];
  return ['-nostdin', '-y', '-v', 'error', ...inputs, ...video, ...audio];
}

function h264Options(gop: number): string[] {
  const x264 = `keyint=${gop}:min-keyint=${gop}:scenecut=0:open-gop=0:repeat-headers=1`;
  return ['-c:v', 'libx264', '-preset', 'superfast', '-profile:v', 'high', '-bf', '0', '-x264-params', x264];
}

function h265Options(gop: number): string[] {
  const groups = `keyint=${gop}:min-keyint=${gop}:scenecut=0:open-gop=0:repeat-headers=1`;
  const x265 = `${groups}:bframes=0:log-level=none`;
  return ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', x265];
}

/** Draws every frame and waits for ffmpeg to read it. A broken pipe is the process's failure, reported by `exited`. */
async function feed(child: ChildProcess, parameters: ClipParameters): Promise<void> {
  const input = child.stdin!;
  const broken = once(input, 'close').then(
    () => 'closed' as const,
    () => 'closed' as const,
  );
  input.on('error', () => undefined);
  const picture = new TestPicture(parameters);
  const pictures = Math.round(parameters.fps * parameters.durationSec);
  for (let frameNumber = 0; frameNumber < pictures; frameNumber++) {
    // The stream keeps the buffer, but the next frame is drawn over it.
    if (input.write(Buffer.from(picture.draw(frameNumber)))) continue;
    const drained = once(input, 'drain').then(
      () => 'drained' as const,
      () => 'closed' as const,
    );
    if ((await Promise.race([drained, broken])) === 'closed') return;
  }
  input.end();
}

async function exited(child: ChildProcess): Promise<void> {
  let errorText = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-MAX_ERROR_TEXT_CHARS);
  });
  const exit = once(child, 'close').catch((error: unknown) => {
    throw new GatewayError(SYNTHETIC_CAMERA_ERRORS.CLIP_ENCODER_FAILED, { reason: 'not-started' }, error);
  });
  const [exitCode] = (await exit) as [number | null];
  if (exitCode !== 0) {
    const context = { exitCode, stderr: errorText.trim() };
    throw new GatewayError(SYNTHETIC_CAMERA_ERRORS.CLIP_ENCODER_FAILED, context);
  }
}
