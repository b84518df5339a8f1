/** What viewers get of a row's camera: nothing here knows what the row should give. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { askUpgrade, PictureClient } from '../../../src/front-door/pictures/picture-client-fixture.ts';
import type { Json, TestGateway, TestShare } from '../../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare, refusalReason, type TestSegment } from '../../support/hls.ts';
import { decodeErrors, probeStreams } from '../../support/media-check.ts';
import { until } from '../../support/until.ts';
import { sampleEntriesOf } from './page-watch.ts';

const STRICT = ['-err_detect', 'explode'];
/** Two pictures whose times are one at 25 per second are no damage: MJPEG has the times of arrival. */
const ANY_RATE = ['-fps_mode', 'vfr'];
const SEGMENTS = 2;
const REAL_TIME_FRAMES = 25;
const WAIT_MS = 100_000;
const run = promisify(execFile);
/** Of full scale; a beep in the test pictures is ten times as loud. */
const AUDIBLE = 0.01;

/** The gateway's log lines about a camera. */
export function logOf(gateway: TestGateway, name: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{') && line.includes(`"${name}"`));
  return lines.map((line) => JSON.parse(line) as Json).filter((line) => line.name === name);
}

/** What carries the camera now, and what works beside it. */
export function engineOf(gateway: TestGateway, name: string): string {
  const log = logOf(gateway, name);
  const opened = log.findLast(({ msg }) => msg === 'stream opened');
  if (opened === undefined) return 'none';
  const parts = [carrierOf(opened)];
  if (log.some(({ msg }) => msg === 'audio worker started')) parts.push('worker for the sound');
  if (log.some(({ msg }) => msg === 'audio goes to the sound server')) parts.push('sound server');
  if (log.some(({ msg }) => msg === 'transcoding started')) parts.push('worker for H.264');
  return parts.join(' + ');
}

function carrierOf({ engine, plan }: Json): string {
  if (engine !== 'ffmpeg') return engine;
  const doing = { copy: 'copies', encode: 'encodes' } as const;
  const video = `${doing[plan.video as 'copy' | 'encode']} the picture`;
  const isSound = plan.audio === 'copy' || plan.audio === 'encode';
  return `worker ${video}${isSound ? `, ${doing[plan.audio as 'copy' | 'encode']} the sound` : ''}`;
}

/** CODECS of the Multivariant Playlist, one for each variant. */
export async function codecsOf(share: TestShare): Promise<string> {
  const text = (await fetchOk(`${share.m3u8Url}?video=all`)).toString();
  return [...text.matchAll(/[:,]CODECS="([^"]*)"/g)].map(([, codecs]) => sampleEntriesOf(codecs!)).join('; ');
}

/** What ffmpeg makes of the newest segments of the first variant. */
export async function hlsOf(share: TestShare): Promise<string> {
  const url = await openShare(share.m3u8Url);
  const segments = await until(
    `segments of ${url}`,
    async () => {
      const newest = newestRun((await fetchPlaylist(url)).segments);
      return newest.length >= SEGMENTS ? newest.slice(-SEGMENTS) : null;
    },
    WAIT_MS,
  );
  const media = [await fetchOk(new URL(segments[0]!.map.uri, url).href)];
  for (const { uri } of segments) media.push(await fetchOk(new URL(uri, url).href));
  const judged = await judge(media);
  return judged.includes(' + ') && !(await isAudible(media)) ? `${judged}, silent` : judged;
}

/** Complete segments after the last discontinuity. */
function newestRun(segments: readonly TestSegment[]): TestSegment[] {
  const whole = segments.filter(({ duration, uri }) => duration > 0 && uri.startsWith('seg_'));
  const from = whole.findLastIndex(({ discontinuity }) => discontinuity === true);
  return whole.slice(Math.max(0, from));
}

/** The first segments of the newest Period. */
export async function dashOf(share: TestShare): Promise<string> {
  const url = new URL('file.mpd', await openShare(share.m3u8Url)).href;
  const period = await until(
    'a Period',
    async () => {
      const text = (await fetchOk(url)).toString();
      return text.includes('<S ') ? text.slice(text.lastIndexOf('<Period ')) : null;
    },
    WAIT_MS,
  );
  const sets = period.split('<AdaptationSet ').slice(1);
  const kinds = ['video', 'audio'].map((kind) => sets.find((set) => set.includes(`contentType="${kind}"`)));
  // All of it at once: a rendition that no one asks for is closed.
  const media = kinds.map(async (set) => {
    if (set === undefined) return null;
    const [, number, initialization, template] =
      / startNumber="(\d+)" initialization="([^"]*)" media="([^"]*)"/.exec(set)!;
    const names = [initialization!, template!.replace('$Number$', number!)];
    return Promise.all(names.map((name) => fetchOk(new URL(name, url).href)));
  });
  const found = (await Promise.all(media)).filter((each) => each !== null);
  return (await Promise.all(found.map(judge))).join(' + ');
}

/** A second of access units over WebSocket, or why there are none. */
export async function realTimeOf(share: TestShare): Promise<string> {
  const folder = new URL('.', await openShare(share.m3u8Url)).href;
  const { status, body } = await askUpgrade(`${folder}ws`);
  if (status !== 101) return `${status} ${body.reason}`;
  const client = await PictureClient.open(`${folder}ws`);
  try {
    await until(
      'access units',
      () => client.frames.length >= REAL_TIME_FRAMES || client.end !== null,
      WAIT_MS,
    );
  } finally {
    client.leave();
  }
  if (client.end !== null && client.frames.length < REAL_TIME_FRAMES) return `ended: ${client.end}`;
  return judge(client.frames.map(({ bytes }) => bytes));
}

export async function stillOf(share: TestShare): Promise<string> {
  const response = await fetch(share.m3u8Url.replace('file.m3u8', 'poster.jpg'));
  if (!response.ok) return `${response.status} ${await refusalReason(response)}`;
  const { format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return format ?? 'unknown';
}

/** Names the streams, and says so if ffmpeg does not decode them without an error. */
async function judge(media: readonly Buffer[]): Promise<string> {
  const [streams, errors] = await Promise.all([probeStreams(media), decodeErrors(media, STRICT, ANY_RATE)]);
  const names = streams.map(({ codec_name }) => codec_name).join(' + ');
  // For whoever has to find out why.
  if (errors !== '') process.stdout.write(`${names}: ${errors}\n`);
  return errors === '' ? names : `${names}, damaged`;
}

/** Whether its sound ever is louder than noise. */
async function isAudible(media: readonly Buffer[]): Promise<boolean> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1_048_576 } as const;
  const args = ['-v', 'error', '-i', 'pipe:0', '-map', '0:a', '-ac', '1', '-f', 's16le', 'pipe:1'];
  const decoding = run('ffmpeg', args, options);
  decoding.child.stdin!.end(Buffer.concat(media));
  const { stdout } = await decoding;
  for (let at = 0; at + 2 <= stdout.length; at += 2) {
    if (Math.abs(stdout.readInt16LE(at)) > AUDIBLE * 32_768) return true;
  }
  return false;
}
