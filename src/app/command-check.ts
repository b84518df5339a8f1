/** `sluice check`: is the configuration right, and what does every camera really send? */

import { parseArgs } from 'node:util';
import type { AacTrack, H264Track } from '../codec/track.ts';
import { systemClock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { isTranscodableAudio } from '../sources/auto-source.ts';
import { type CameraProbe, probeCamera } from '../sources/direct/probe.ts';
import { inspectPostgres } from '../store/postgres/open-postgres.ts';
import type { Command } from './command.ts';
import { loadConfig } from './config/load-config.ts';
import type { CameraConfig } from './config/schema.ts';
import { integerOption } from './option-values.ts';

const HELP = `sluice check: validate the configuration, probe the database and every camera

Reads the configuration as \`sluice serve\` would, connects to the PostgreSQL database if one is set (and changes
nothing there), then opens every camera (main and sub stream) for a few
seconds and prints one line each: codec, size, measured frame rate, audio, distance of key frames, and how far
the camera's clock is from this machine's. Ends with 1 when a camera does not deliver or the database does not answer.

Options
  --config FILE      configuration (default: SLUICE_CONFIG, else ./sluice.yaml)
  --timeout SECONDS  longest probe of one camera (default 12)
  --no-cameras       leave out the cameras

Example
  sluice check --config /etc/sluice/sluice.yaml
`;

const OPTIONS = {
  config: { type: 'string' },
  timeout: { type: 'string', default: '12' },
  'no-cameras': { type: 'boolean', default: false },
} as const;

/** Probes at once: enough to be quick, few enough not to be the load that makes cameras fail. */
const MAX_PROBES_AT_ONCE = 8;

interface ProbeTask {
  readonly title: string;
  readonly camera: CameraConfig;
  readonly url: CameraConfig['rtsp'];
}

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS, strict: true });
  const timeoutMs = integerOption('--timeout', values.timeout, 1, 120) * 1_000;
  const config = loadConfig({
    env: process.env,
    ...(values.config === undefined ? {} : { path: values.config }),
  });
  const { cameras, nvrs, locations } = config;
  process.stdout.write(
    `Configuration is valid: ${cameras.length} cameras, ${nvrs.length} NVRs, ${locations.length} locations.\n`,
  );
  const isDatabaseUsable = config.database === null || (await probeDatabase(config.database));
  const tasks = values['no-cameras'] ? [] : cameras.flatMap(tasksOf);
  const failures = await probeAll(tasks, timeoutMs);
  if (tasks.length > 0)
    process.stdout.write(`${tasks.length - failures} of ${tasks.length} streams deliver.\n`);
  return failures === 0 && isDatabaseUsable ? 0 : 1;
}

/** Prints a line; false: the gateway could not start with it. */
async function probeDatabase(url: CredentialUrl): Promise<boolean> {
  try {
    const { version, schemaVersion } = await inspectPostgres(url);
    const state = schemaVersion === 0 ? 'empty' : `schema version ${schemaVersion}`;
    process.stdout.write(`Database answers: PostgreSQL ${version}, ${state}.\n`);
    return true;
  } catch (thrown) {
    const { message, code, context } = toGatewayError(thrown);
    const reason = context.reason === undefined ? '' : ` ${context.reason}`;
    process.stdout.write(`${message}${reason} [${code}]\n`);
    return false;
  }
}

function tasksOf(camera: CameraConfig): ProbeTask[] {
  const main = { title: camera.name, camera, url: camera.rtsp };
  return camera.substream === null
    ? [main]
    : [main, { title: `${camera.name} (sub)`, camera, url: camera.substream }];
}

/** Prints a line as each probe ends; returns how many failed. */
async function probeAll(tasks: readonly ProbeTask[], timeoutMs: number): Promise<number> {
  const width = Math.max(0, ...tasks.map((task) => task.title.length));
  const queue = tasks.values();
  let done = 0;
  let failures = 0;
  const worker = async (): Promise<void> => {
    for (const task of queue) {
      const probe = await probeCamera(task.url, {
        transport: task.camera.transport,
        tls: task.camera.tls,
        timeoutMs,
        clock: systemClock,
      });
      if (!isUsable(probe, task.camera)) failures++;
      progress(`${++done}/${tasks.length}`);
      process.stdout.write(`${task.title.padEnd(width)}  ${describeProbe(probe, task.camera)}\n`);
    }
  };
  // Probes wait on unreferenced timers and sockets of cameras that may be gone: something must hold the process.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  progress(`0/${tasks.length}`);
  await Promise.all(Array.from({ length: MAX_PROBES_AT_ONCE }, worker));
  clearInterval(keepAlive);
  progress('');
  return failures;
}

/** On a terminal only: a line that is overwritten. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `probing ${text} `}`);
}

/** What direct does not carry, an ffmpeg worker does, unless the camera is set to direct. */
function isUsable(probe: CameraProbe, camera: CameraConfig): boolean {
  return probe.status === 'GOOD' || (needsWorker(probe) && camera.engine !== 'direct');
}

function needsWorker(probe: CameraProbe): boolean {
  return probe.status === 'NOT_SUPPORTED' && probe.offered.some((media) => media.kind === 'video');
}

/** One line, for example `h264 1920x1080 25.0 fps, aac 48000 Hz stereo, key frame every 2.0 s, clock +0.1 s`. */
export function describeProbe(probe: CameraProbe, camera: Pick<CameraConfig, 'engine'>): string {
  if (probe.status === 'GOOD') return describeGood(probe, camera);
  const offered = probe.offered
    .map((media) => `${media.kind} ${media.encodings.join('/') || 'unknown'}`)
    .join(', ');
  if (needsWorker(probe) && camera.engine !== 'direct') return `${offered} (through an ffmpeg worker)`;
  const reason = probe.error === null ? 'no picture in time' : `${probe.error.message} [${probe.error.code}]`;
  return `${probe.status}: ${reason}${offered === '' ? '' : ` Offers ${offered}.`}`;
}

function describeGood(probe: CameraProbe, camera: Pick<CameraConfig, 'engine'>): string {
  const video = probe.tracks.find((track): track is H264Track => track.kind === 'video');
  const audio = probe.tracks.find((track): track is AacTrack => track.kind === 'audio');
  const parts = [
    video === undefined ? 'no video' : `${video.codec} ${video.widthPx}x${video.heightPx}${frameRate(probe)}`,
    audio === undefined
      ? otherAudio(probe, camera)
      : `${audio.codec} ${audio.sampleRateHz} Hz ${channels(audio)}`,
    probe.gopMs === null
      ? 'no second key frame in time'
      : `key frame every ${(probe.gopMs / 1_000).toFixed(1)} s`,
    probe.clockOffsetMs === null ? 'clock unknown' : `clock ${signed(probe.clockOffsetMs / 1_000)} s`,
  ];
  return parts.join(', ');
}

function frameRate(probe: CameraProbe): string {
  return probe.frameRateHz === null ? '' : ` ${probe.frameRateHz.toFixed(1)} fps`;
}

function otherAudio(probe: CameraProbe, { engine }: Pick<CameraConfig, 'engine'>): string {
  const encodings = probe.offered
    .filter((media) => media.kind === 'audio')
    .flatMap((media) => media.encodings);
  if (encodings.length === 0) return 'no audio';
  const isCarried = engine !== 'direct' && isTranscodableAudio(encodings);
  return `audio ${encodings.join('/')} (${isCarried ? 'through an ffmpeg worker' : 'left out'})`;
}

function channels(audio: AacTrack): string {
  return audio.channelCount === 1
    ? 'mono'
    : audio.channelCount === 2
      ? 'stereo'
      : `${audio.channelCount} channels`;
}

function signed(seconds: number): string {
  return `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(1)}`;
}

export const checkCommand: Command = { help: HELP, run };
