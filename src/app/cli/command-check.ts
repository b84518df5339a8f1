/** `sluice check`: is the configuration valid, and what does every camera really send? */

import { resolve } from 'node:path';
import type { AudioTrack, VideoTrack } from '../../codec/track.ts';
import { systemClock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { inspectRedis } from '../../counters/inspect-redis.ts';
import { inspectOnvifDevice } from '../../devices/onvif/onvif-device.ts';
import { onvifServiceOf } from '../../onvif/onvif-service.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import { audioWay } from '../../sources/auto-source.ts';
import { isCameraProtocol } from '../../sources/network/camera-route.ts';
import { type CameraProbe, probeCamera } from '../../sources/probe.ts';
import { inspectPostgres } from '../../store/postgres/open-postgres.ts';
import { cameraFaultOf, faultPlace } from '../../stream/source/camera-fault.ts';
import { recordingsFolder } from '../config/data-folder.ts';
import { configFileOf, DEFAULT_CONFIG_FILE, loadConfig } from '../config/load-config.ts';
import type { CameraConfig, Config } from '../config/schema.ts';
import { CheckWorkers } from './check-workers.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { describeOnvifService } from './describe-onvif-camera.ts';
import { integerOption } from './option-values.ts';

const HELP = `sluice check: validate the configuration; probe the database, Redis and every camera

Reads the configuration the way \`sluice serve\` does and connects to the PostgreSQL database and to Redis if they are
set (without changing anything there). Then it opens every camera (main stream and substream) for a few seconds and prints one line
per stream, in the order of the file (pushed streams are left out): codec, size, measured frame rate, audio, key frame
interval, and how far the camera's clock is from this machine's; or why there is no video. A camera with an ONVIF service
gets a line of its own for it. The exit code is 1 if a stream or ONVIF service does not work, or the database or Redis
cannot be used.

Options
  --config FILE      configuration file (default: SLUICE_CONFIG, or ./sluice.yaml)
  --timeout SECONDS  longest probe of one stream (default 12, with --clocks 45)
  --clocks           watch each stream for that long, and print how its clocks run: drift of the frames, how steadily
                     they arrive, jumps, and whether the camera's wall clock is fit to date them (clock: camera)
  --no-cameras       skip the cameras

Example
  sluice check --config /etc/sluice/sluice.yaml
`;

const OPTIONS = {
  config: { type: 'string' },
  timeout: { type: 'string' },
  clocks: { type: 'boolean', default: false },
  'no-cameras': { type: 'boolean', default: false },
} as const;

/** Concurrent probes: enough to be quick, few enough not to be the load that makes cameras fail. */
const MAX_PROBES_AT_ONCE = 8;

interface ProbeBudget {
  readonly timeoutMs: number;
  /** Watches for all of that time. */
  readonly readsClocks: boolean;
  readonly workers: CheckWorkers;
}

/** A line of the output. */
interface ProbeTask {
  readonly title: string;
  probe(budget: ProbeBudget): Promise<{ readonly isUsable: boolean; readonly text: string }>;
}

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('check', args, OPTIONS);
  const timeoutMs =
    integerOption('--timeout', values.timeout ?? (values.clocks ? '45' : '12'), 1, 600) * 1_000;
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
  const isNode = config.cluster.secret !== null;
  if (isNode && config.s3.bucket === null) process.stdout.write(sharedFolderLine(config));
  const isDatabaseUsable = config.database === null || (await probeDatabase(config.database));
  const isRedisUsable = config.redis === null || (await probeRedis(config.redis, isNode));
  const tasks = values['no-cameras'] ? [] : cameras.flatMap(tasksOf);
  const workers = new CheckWorkers(config.ffmpeg, timeoutMs);
  const failures = await probeAll(tasks, { timeoutMs, readsClocks: values.clocks, workers });
  await workers.close();
  if (tasks.length > 0) {
    const noun = cameras.some(({ onvif }) => onvif !== null) ? 'streams and services' : 'streams';
    const counts = tasks.length === 1 ? '1 stream works' : `${tasks.length} ${noun} work`;
    process.stdout.write(`${tasks.length - failures} of ${counts}.\n`);
  }
  return failures === 0 && isDatabaseUsable && isRedisUsable ? 0 : 1;
}

function sharedFolderLine(config: Config): string {
  const folder = recordingsFolder(config);
  if (config.recording.folder !== null) return `All nodes must share the recordings in ${folder}.\n`;
  return `A cluster needs s3, or a recording.folder that all nodes share: ${folder} is the default of one machine.\n`;
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
    process.stdout.write(`${failureLine(thrown)}\n`);
    return false;
  }
}

/** Prints a line; false: it cannot be used. `isNode`: this gateway is a node of a cluster, whose leases must not be evicted. */
async function probeRedis(url: CredentialUrl, isNode: boolean): Promise<boolean> {
  try {
    const { version, evictionPolicy } = await inspectRedis(url);
    process.stdout.write(`Redis works: version ${version}.\n`);
    if (!isNode || evictionPolicy === 'noeviction') return true;
    process.stdout.write(
      `Redis may remove leases of cameras when its memory is full: its maxmemory-policy is ${evictionPolicy}. Set noeviction.\n`,
    );
  } catch (thrown) {
    process.stdout.write(`${failureLine(thrown)}\n`);
  }
  return false;
}

function failureLine(thrown: unknown): string {
  const { message, code, context } = toGatewayError(thrown);
  return `${message}${context.reason === undefined ? '' : ` ${context.reason}`} [${code}]`;
}

function tasksOf(camera: CameraConfig): ProbeTask[] {
  const { name, rtsp, substream, onvif } = camera;
  // A pushed stream comes when its device pushes it: there is nothing to open.
  const tasks = rtsp === null ? [] : [streamTask(name, camera, rtsp)];
  if (substream !== null) tasks.push(streamTask(`${name} (sub)`, camera, substream));
  if (onvif !== null) tasks.push(onvifTask(`${name} (ONVIF)`, onvif, camera));
  return tasks;
}

function streamTask(title: string, camera: CameraConfig, url: CredentialUrl): ProbeTask {
  const { transport, tls } = camera;
  return {
    title,
    probe: async ({ workers, ...budget }) => {
      const how = { transport, tls, ...budget, clock: systemClock };
      const isWorkerless = camera.engine === 'direct' || isCameraProtocol(url.protocol);
      const probe = await probeCamera(
        url,
        isWorkerless ? how : { ...how, workers: await workers.forCamera(tls) },
      );
      return { isUsable: isUsable(probe, camera), text: describeProbe(probe, camera, budget.readsClocks) };
    },
  };
}

/** Its events become alerts, so a camera without events does not do what the file wants. */
function onvifTask(title: string, url: CredentialUrl, { tls }: CameraConfig): ProbeTask {
  const { service, login } = onvifServiceOf(url);
  return {
    title,
    probe: async ({ timeoutMs }) => {
      try {
        const options = { clock: systemClock, timeoutMs, login, tls };
        const device = await inspectOnvifDevice(service, options);
        return { isUsable: device.hasEvents, text: describeOnvifService(device) };
      } catch (thrown) {
        const { message, code, kind } = toGatewayError(thrown);
        if (kind === 'internal') throw thrown;
        return { isUsable: false, text: `${service.host}: ${message} [${code}]` };
      }
    },
  };
}

/** Prints a line for each stream, in order, as soon as the previous ones are printed; returns how many failed. */
async function probeAll(tasks: readonly ProbeTask[], budget: ProbeBudget): Promise<number> {
  const width = Math.max(0, ...tasks.map((task) => task.title.length));
  const queue = tasks.entries();
  const lines: string[] = [];
  let done = 0;
  let printed = 0;
  let failures = 0;
  const worker = async (): Promise<void> => {
    for (const [index, { title, probe }] of queue) {
      const { isUsable, text } = await probe(budget);
      if (!isUsable) failures++;
      lines[index] = `${title.padEnd(width)}  ${text}\n`;
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

type AudioConfig = Pick<CameraConfig, 'engine' | 'audio'>;

/**
 * One line, for example `h264 1920x1080 25.0 fps, aac 48000 Hz stereo, key frame every 2.0 s, clock +0.1 s`, or
 * `unreachable 192.0.2.10:554 (ECONNREFUSED): The camera cannot be reached. [DIRECT_UNREACHABLE]`. `wantsClocks`: it was to be
 * watched for how its clocks run.
 */
export function describeProbe(probe: CameraProbe, camera: AudioConfig, wantsClocks = false): string {
  if (probe.status === 'GOOD') return describeGood(probe, camera, wantsClocks);
  const offered = probe.offered
    .map((media) => `${media.kind} ${media.encodings.join('/') || 'unknown'}`)
    .join(', ');
  if (needsWorker(probe) && camera.engine !== 'direct') return `${offered} (through an ffmpeg worker)`;
  if (probe.error === null) return 'silent: no video in time';
  const fault = cameraFaultOf(probe.error);
  const offers = offered === '' ? '' : ` Offers ${offered}.`;
  const { fingerprint } = probe.error.context;
  const presents = typeof fingerprint === 'string' ? ` It presents ${fingerprint}.` : '';
  return `${fault.reason}${faultPlace(fault)}: ${fault.message}${presents} [${fault.code}]${offers}`;
}

function describeGood(probe: CameraProbe, camera: AudioConfig, wantsClocks: boolean): string {
  const video = probe.tracks.find((track): track is VideoTrack => track.kind === 'video');
  const audio = probe.tracks.find((track): track is AudioTrack => track.kind === 'audio');
  const parts = [
    video === undefined
      ? audio === undefined
        ? 'no video'
        : 'no video: sound only'
      : `${video.codec} ${video.widthPx}x${video.heightPx}${frameRate(probe)}${conversion(probe)}`,
    audio === undefined
      ? otherAudio(probe, camera)
      : `${audio.codec} ${audio.sampleRateHz} Hz ${channels(audio)}`,
    ...(video === undefined && audio !== undefined ? [] : [keyFrames(probe)]),
    probe.clockOffsetMs === null ? 'clock unknown' : `clock ${signed(probe.clockOffsetMs / 1_000)} s`,
    ...clockParts(probe.clockReading, wantsClocks),
    ...otherVideo(probe),
  ];
  return parts.join(', ');
}

function keyFrames({ gopMs }: CameraProbe): string {
  return gopMs === null ? 'no second key frame in time' : `key frame every ${(gopMs / 1_000).toFixed(1)} s`;
}

/** Formats that only a worker reads. */
const FED_FORMATS: ReadonlySet<string> = new Set(['jpeg', 'mpegts', 'mp4', 'hevc', 'hvc1', 'hev1']);

function conversion({ offered }: CameraProbe): string {
  const videos = offered.filter(({ kind }) => kind === 'video');
  // A pulled stream offers one video; of several videos, the gateway plays one as it is.
  const encodings = videos.length === 1 ? videos[0]!.encodings : [];
  const fed = encodings.find((encoding) => FED_FORMATS.has(encoding.split('.')[0]!));
  return fed === undefined ? '' : ` (from ${fed}, through an ffmpeg worker)`;
}

/** Cameras with several sensors describe each as a video of its own; the first that can be played is used. */
function otherVideo(probe: CameraProbe): string[] {
  return probe.surplus
    .filter(({ kind }) => kind === 'video')
    .map(({ encodings }) => `another video not used: ${encodings.join('/')}`);
}

/** Clock figures, known after half a minute. */
function clockParts(reading: ClockReading | null, wantsClocks: boolean): string[] {
  if (reading === null || reading.driftPpm === null) {
    return wantsClocks ? ['drift not known yet: watch it for longer with --timeout'] : [];
  }
  const { driftPpm, driftUncertaintyPpm, uncertaintyMs, jumps, verdict, soundDriftPpm } = reading;
  return [
    `frames ${signed(driftPpm, 0)} ppm (±${Math.ceil(driftUncertaintyPpm ?? 0)})`,
    ...(soundDriftPpm === null ? [] : [`sound ${signed(soundDriftPpm, 0)} ppm against them`]),
    `arrival ±${Math.ceil(uncertaintyMs ?? 0)} ms`,
    jumps === 0 ? 'no jumps' : counted(jumps, 'jump'),
    verdict === 'sane' ? 'wall clock sane' : `wall clock not usable: ${verdict}`,
  ];
}

function frameRate(probe: CameraProbe): string {
  return probe.frameRateHz === null ? '' : ` ${probe.frameRateHz.toFixed(1)} fps`;
}

function otherAudio(probe: CameraProbe, { engine, audio }: AudioConfig): string {
  const encodings = probe.offered
    .filter((media) => media.kind === 'audio')
    .flatMap((media) => media.encodings);
  if (encodings.length === 0) return 'no audio';
  if (audio === 'off') return 'audio off';
  const way = audioWay(encodings);
  const usesWorker = engine !== 'direct' && (way === 'worker' || (way === 'direct' && audio === 'aac'));
  const isLeftOut = way === 'none' || (way === 'worker' && !usesWorker);
  const name = `audio ${encodings.join('/')}`;
  return isLeftOut ? `${name} (left out)` : usesWorker ? `${name} (through an ffmpeg worker)` : name;
}

function channels(audio: AudioTrack): string {
  return audio.channelCount === 1
    ? 'mono'
    : audio.channelCount === 2
      ? 'stereo'
      : `${audio.channelCount} channels`;
}

function signed(value: number, digits = 1): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}

export const checkCommand: Command = { help: HELP, run };
