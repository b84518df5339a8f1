/** `sluice check`: is the configuration valid, and what does every camera really send? */

import { resolve } from 'node:path';
import type { AacTrack, H264Track } from '../codec/track.ts';
import { systemClock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { isTranscodableAudio } from '../sources/auto-source.ts';
import { type CameraProbe, probeCamera } from '../sources/direct/probe.ts';
import { inspectPostgres } from '../store/postgres/open-postgres.ts';
import { cameraFaultOf, faultPlace } from '../stream/camera-fault.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { configFileOf, DEFAULT_CONFIG_FILE, loadConfig } from './config/load-config.ts';
import type { CameraConfig, Config } from './config/schema.ts';
import { integerOption } from './option-values.ts';

const HELP = `sluice check: validate the configuration; probe the database and every camera

Reads the configuration the way \`sluice serve\` does and connects to the PostgreSQL database if one is set (without
changing anything there). Then it opens every camera (main stream and substream) for a few seconds and prints one line
per stream, in the order of the file: codec, size, measured frame rate, audio, key frame interval, and how far the
camera's clock is from this machine's; or why there is no video. The exit code is 1 if a stream does not work or the
database does not answer.

Options
  --config FILE      configuration file (default: SLUICE_CONFIG, or ./sluice.yaml)
  --timeout SECONDS  longest probe of one stream (default 12)
  --no-cameras       skip the cameras

Example
  sluice check --config /etc/sluice/sluice.yaml
`;

const OPTIONS = {
  config: { type: 'string' },
  timeout: { type: 'string', default: '12' },
  'no-cameras': { type: 'boolean', default: false },
} as const;

/** Concurrent probes: enough to be quick, few enough not to be the load that makes cameras fail. */
const MAX_PROBES_AT_ONCE = 8;

interface ProbeTask {
  readonly title: string;
  readonly camera: CameraConfig;
  readonly url: CameraConfig['rtsp'];
}

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('check', args, OPTIONS);
  const timeoutMs = integerOption('--timeout', values.timeout, 1, 120) * 1_000;
  const source = { env: process.env, ...(values.config === undefined ? {} : { path: values.config }) };
  if (configFileOf(source) === null) {
    process.stdout.write(
      `No configuration file: ${resolve(DEFAULT_CONFIG_FILE)} does not exist, and neither --config nor SLUICE_CONFIG ` +
        'is set. Checking the defaults and the environment.\n',
    );
  }
  const config = loadConfig(source);
  process.stdout.write(`Configuration is valid: ${contentsOf(config)}.\n`);
  const { cameras } = config;
  const isDatabaseUsable = config.database === null || (await probeDatabase(config.database));
  const tasks = values['no-cameras'] ? [] : cameras.flatMap(tasksOf);
  const failures = await probeAll(tasks, timeoutMs);
  if (tasks.length > 0)
    process.stdout.write(
      `${tasks.length - failures} of ${counted(tasks.length, 'stream')} ${tasks.length === 1 ? 'works' : 'work'}.\n`,
    );
  return failures === 0 && isDatabaseUsable ? 0 : 1;
}

/** `1 camera, no NVRs, 2 locations`. */
export function contentsOf(config: Pick<Config, 'cameras' | 'nvrs' | 'locations'>): string {
  const { cameras, nvrs, locations } = config;
  return [
    counted(cameras.length, 'camera'),
    counted(nvrs.length, 'NVR'),
    counted(locations.length, 'location'),
  ].join(', ');
}

function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count === 0 ? 'no' : count} ${noun}s`;
}

/** Prints a line; false: the gateway could not start with it. */
async function probeDatabase(url: CredentialUrl): Promise<boolean> {
  try {
    const { version, schemaVersion } = await inspectPostgres(url);
    const state = schemaVersion === 0 ? 'empty' : `schema version ${schemaVersion}`;
    process.stdout.write(`Database works: PostgreSQL ${version}, ${state}.\n`);
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

/** Prints a line for each stream, in order, as soon as the previous ones are printed; returns how many failed. */
async function probeAll(tasks: readonly ProbeTask[], timeoutMs: number): Promise<number> {
  const width = Math.max(0, ...tasks.map((task) => task.title.length));
  const queue = tasks.entries();
  const lines: string[] = [];
  let done = 0;
  let printed = 0;
  let failures = 0;
  const worker = async (): Promise<void> => {
    for (const [index, task] of queue) {
      const { camera, url, title } = task;
      const { transport, tls } = camera;
      const probe = await probeCamera(url, { transport, tls, timeoutMs, clock: systemClock });
      if (!isUsable(probe, camera)) failures++;
      lines[index] = `${title.padEnd(width)}  ${describeProbe(probe, camera)}\n`;
      progress(`${++done}/${tasks.length}`);
      for (let line = lines[printed]; line !== undefined; line = lines[++printed]) print(line);
    }
  };
  // Probes wait on unreferenced timers and on sockets of cameras that may be gone: something must keep the process
  // alive.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  progress(`0/${tasks.length}`);
  await Promise.all(Array.from({ length: MAX_PROBES_AT_ONCE }, worker));
  clearInterval(keepAlive);
  progress('');
  return failures;
}

/** Replaces the line that shows the progress. */
function print(line: string): void {
  progress('');
  process.stdout.write(line);
}

/** On a terminal only: a line that is overwritten. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `probing ${text} `}`);
}

/** An ffmpeg worker carries what direct does not, unless the camera is set to direct. */
function isUsable(probe: CameraProbe, camera: CameraConfig): boolean {
  return probe.status === 'GOOD' || (needsWorker(probe) && camera.engine !== 'direct');
}

function needsWorker(probe: CameraProbe): boolean {
  return probe.status === 'NOT_SUPPORTED' && probe.offered.some((media) => media.kind === 'video');
}

/**
 * One line, for example `h264 1920x1080 25.0 fps, aac 48000 Hz stereo, key frame every 2.0 s, clock +0.1 s`, or
 * `unreachable 192.0.2.10:554 (ECONNREFUSED): The camera cannot be reached. [DIRECT_UNREACHABLE]`.
 */
export function describeProbe(probe: CameraProbe, camera: Pick<CameraConfig, 'engine'>): string {
  if (probe.status === 'GOOD') return describeGood(probe, camera);
  const offered = probe.offered
    .map((media) => `${media.kind} ${media.encodings.join('/') || 'unknown'}`)
    .join(', ');
  if (needsWorker(probe) && camera.engine !== 'direct') return `${offered} (through an ffmpeg worker)`;
  if (probe.error === null) return 'silent: no video in time';
  const fault = cameraFaultOf(probe.error);
  const offers = offered === '' ? '' : ` Offers ${offered}.`;
  return `${fault.reason}${faultPlace(fault)}: ${fault.message} [${fault.code}]${offers}`;
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
