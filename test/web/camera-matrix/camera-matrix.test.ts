/**
 * The compatibility matrix: every camera of rows.ts in one gateway, watched in Chromium and judged by ffmpeg. What was seen
 * must be what `seen.json` says, from which docs/reference/cameras.md is made. `npm run camera-matrix` rewrites both.
 */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, type ExpectStatic, it } from 'vitest';
import { TestGateway, type TestShare } from '../../support/gateway.ts';
import { refusalReason } from '../../support/hls.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { openPage, startBrowser, type TestBrowser } from '../browser.ts';
import { codecsOf, dashOf, engineOf, hlsOf, logOf, realTimeOf, stillOf } from './observe.ts';
import { listen, type PagePlayback, playedInPage, restartPlayed, watchPage } from './page-watch.ts';
import { pushedTags, type RunningCamera, type Seat, settingsOf, startRowCamera } from './row-cameras.ts';
import { type MatrixRow, nameOf, ROWS } from './rows.ts';
import { type Refused, readSeen, SEEN_FILE, type Seen, type SeenFile } from './seen.ts';

const IS_WRITING = process.env.CAMERA_MATRIX === 'write';
const WATCH_SEC = 3;
/** The least of 25 pictures a second that is not a slide show. */
const LEAST_FRAMES_PER_SEC = 10;
/** Of full scale; the cameras' ticks and tones are ten times as loud. */
const AUDIBLE = 0.01;
const START_MS = 60_000;
const PLAY_MS = 60_000;
/** A camera that failed this often, and never streamed, does not work. */
const FAILURES = 2;
/** Of the gateway, about a camera whose row failed. */
const LOG_LINES = 12;
/** Rows that are neighbors have much in common, an encoder of H.265 for example: they are not watched at once. */
const STRIDE = 12;
const ORDER = Array.from({ length: STRIDE }, (_, from) =>
  ROWS.filter((_row, index) => index % STRIDE === from),
).flat();

const seats = new Map<MatrixRow, Seat>();
const seen = new Map<string, Seen | Refused>();
let expected: SeenFile['rows'];
let gateway: TestGateway;
let browser: TestBrowser;

beforeAll(async () => {
  expected = IS_WRITING ? {} : readSeen().rows;
  const rtmpPort = await freePort();
  for (const [index, row] of ROWS.entries()) {
    seats.set(row, { port: await freePort(), rtmpPort, key: `camera-matrix-row-${index}-key` });
  }
  // Before anything is watched: each holds up this process for a second.
  pushedTags('enhanced');
  pushedTags('legacy');
  gateway = await TestGateway.start({
    // A camera whose page is held up for seconds by a busy machine is not closed.
    hls: { segmentTarget: '1s', idleStop: '60s' },
    sources: { backoffMin: '200ms', backoffMax: '5s' },
    ffmpeg: { maxWorkers: 16, maxCores: 16 },
    rtmp: { listen: `127.0.0.1:${rtmpPort}` },
    cameras: ROWS.map((row) => settingsOf(row, seats.get(row)!)),
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.dispose();
});

afterAll(() => {
  if (!IS_WRITING || seen.size < ROWS.length) return;
  const rows = Object.fromEntries(ROWS.map((row) => [nameOf(row), seen.get(nameOf(row))!]));
  writeFileSync(SEEN_FILE, `${JSON.stringify({ peers: peersOf(browser), rows }, null, 2)}\n`);
});

/** Versions as programs name themselves, without what distributions add. */
function peersOf({ context }: TestBrowser): SeenFile['peers'] {
  const version = (command: string, args: readonly string[]) =>
    /\d+\.\d+/.exec(spawnSync(command, args, { encoding: 'utf8' }).stdout)?.[0] ?? 'unknown';
  const gstreamer = 'from gi.repository import Gst; print(Gst.version_string())';
  return {
    Chromium: context.browser()?.version().split('.')[0] ?? 'unknown',
    ffmpeg: version('ffmpeg', ['-version']),
    GStreamer: version('/usr/bin/python3', ['-W', 'ignore', '-c', gstreamer]),
  };
}

describe('a camera with', () => {
  for (const row of ORDER) it.concurrent(nameOf(row), ({ expect }) => checkRow(row, expect));
});

async function checkRow(row: MatrixRow, expect: ExpectStatic): Promise<void> {
  const name = nameOf(row);
  const camera = await startRowCamera(row, seats.get(row)!);
  try {
    const share = await gateway.share(name);
    const found = await watchRow(row, share, camera);
    seen.set(name, found);
    // Not revoked: that may reset an idle connection while another row takes it.
    if (!IS_WRITING) expect(found, name).toEqual(expected[name]);
  } catch (error) {
    const log = logOf(gateway, name).slice(-LOG_LINES);
    process.stdout.write(`${name}:\n${log.map((line) => JSON.stringify(line)).join('\n')}\n`);
    throw error;
  } finally {
    await camera.close();
  }
}

async function watchRow(row: MatrixRow, share: TestShare, camera: RunningCamera): Promise<Seen | Refused> {
  const name = nameOf(row);
  const { page } = await openPage(browser);
  try {
    await watchPage(page);
    await page.goto(share.pageUrl);
    const outcome = await until(`${name}: media or a reason`, () => begun(page, row), START_MS);
    if (outcome !== 'moves') return await refused(share, outcome);
    await listen(page);
    await camera.interrupt?.(() => noticed(name));
    await restartPlayed(page);
    const inPage = await watched(page, row);
    const playing = await Promise.all([
      codecsOf(share),
      hlsOf(share),
      dashOf(share),
      realTimeOf(share),
      stillOf(share),
    ]);
    const [codecs, hls, dash, realTime, still] = playing;
    return { engine: engineOf(gateway, name), codecs, page: inPage, hls, dash, realTime, still };
  } finally {
    await page.close();
  }
}

/** `moves`, or the code with which the camera failed again and again; null: neither yet. */
async function begun(page: Page, row: MatrixRow): Promise<string | null> {
  const { playedSec, decodedFrames } = await playedInPage(page);
  if (playedSec > 0.3 && (decodedFrames > 3 || !hasPicture(row))) return 'moves';
  const name = nameOf(row);
  const log = logOf(gateway, name);
  if (log.some(({ msg }) => msg === 'camera streaming')) return null;
  const failures = log.filter(({ msg }) => msg === 'camera offline');
  return failures.length >= FAILURES ? failures.at(-1)!.err.code : null;
}

async function refused(share: TestShare, code: string): Promise<Refused> {
  const response = await fetch(share.m3u8Url);
  return { code, answer: `${response.status} ${await refusalReason(response)}` };
}

function noticed(name: string): Promise<unknown> {
  return until(`${name}: noticed`, () => logOf(gateway, name).some(({ msg }) => msg === 'camera offline'));
}

/** What the page plays, as soon as it has played for so long; what it plays not, if that takes too long. */
async function watched(page: Page, row: MatrixRow): Promise<string> {
  const watchSec = row.watchSec ?? WATCH_SEC;
  const leastFrames = hasPicture(row) ? watchSec * LEAST_FRAMES_PER_SEC : 0;
  const isPlayed = ({ playedSec, decodedFrames }: PagePlayback) =>
    playedSec >= watchSec && decodedFrames >= leastFrames;
  const deadlineMs = performance.now() + PLAY_MS;
  const playback = await until(
    'the page to play',
    async () => {
      const now = await playedInPage(page);
      return isPlayed(now) || performance.now() > deadlineMs ? now : null;
    },
    2 * PLAY_MS,
  );
  const { codecs, widthsPx, soundPeak } = playback;
  if (!isPlayed(playback)) return `stands still (${codecs})`;
  const sizes = widthsPx.length > 1 ? `, ${widthsPx.length} sizes` : '';
  const sound = /mp4a|flac|opus/i.test(codecs) ? `, ${soundPeak > AUDIBLE ? 'heard' : 'silent'}` : '';
  return `${codecs}${sizes}${sound}`;
}

function hasPicture({ video }: MatrixRow): boolean {
  return video !== 'none';
}
