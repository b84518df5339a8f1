/**
 * `playback`: what recorded media cost. 16 viewers download the segments of a recording, and byte ranges of an MP4 of it,
 * each from a place of their own, and each with the whole access decision; nginx serves the same bytes as files, with
 * sendfile. All of it fits into the page cache: a disk would be the same for both.
 *
 * Rounds in which the servers take turns, many short ones over many sets of connections, and the median of the ratios: see
 * front-door.ts. Also how long the first byte takes of an MP4 of ten minutes that was not requested before.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';
import { ChildModule, type ProcessUsage, withChildren } from '../support/child-module.ts';
import { HttpLoad, type Requests, requestText } from '../support/http-load.ts';
import { NginxServer } from './front-door-nginx.ts';
import type { PlaybackGatewayCalls } from './playback-gateway.ts';

interface Scale {
  readonly seconds: number;
  readonly sets: number;
  readonly rounds: number;
  readonly sliceSec: number;
}

type CaseName = 'segment' | 'range';

interface Server {
  readonly name: string;
  readonly port: number;
  readonly requests: Readonly<Record<CaseName, readonly Requests[]>>;
  usage(): ProcessUsage | Promise<ProcessUsage>;
}

interface Measure {
  readonly perSec: number;
  readonly perCpuSec: number;
  readonly bytesPerSec: number;
}

const SHORT: Scale = { seconds: 640, sets: 20, rounds: 4, sliceSec: 0.05 };
const LONG: Scale = { seconds: 640, sets: 60, rounds: 6, sliceSec: 0.05 };
const CASES: Readonly<Record<CaseName, { readonly title: string; readonly status: number }>> = {
  segment: { title: 'segments of 2 s', status: 200 },
  range: { title: 'MP4 in ranges of 1 MiB', status: 206 },
};
const MIB = 1_048_576;
const MOVIE_NAME = 'clip.mp4';
const MOVIE_SEC = 600;
const MOVIE_STARTS = 21;
const VIEWERS = 16;
const WARM_UP_SEC = 2;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-playback-'));
  const gateway = new ChildModule<PlaybackGatewayCalls>(join(import.meta.dirname, 'playback-gateway.ts'));
  try {
    return await withChildren([gateway], async () => {
      const { port, fromSec, paths } = await gateway.call('start', {
        folder: join(folder, 'media'),
        seconds: scale.seconds,
        viewers: VIEWERS,
      });
      const origin = `http://127.0.0.1:${port}`;
      const files = await saveFiles(`${origin}${paths[0]}`, join(folder, 'files'));
      const own = paths.map((path) => `${origin}${path}`);
      const servers: Server[] = [
        { name: 'sluice', port, requests: requestsOf(own, files), usage: () => gateway.call('usage', null) },
      ];
      const nginx = await NginxServer.start(join(folder, 'files'));
      if (nginx !== null) {
        const same = paths.map(() => `http://127.0.0.1:${nginx.port}/`);
        const requests = requestsOf(same, files);
        servers.push({ name: 'nginx', port: nginx.port, requests, usage: () => nginx.usage() });
      }
      return withChildren(nginx === null ? [] : [nginx], async () => {
        const measured = {
          segment: await measureAll('segment', servers, scale),
          range: await measureAll('range', servers, scale),
        };
        const startsMs = await movieStarts(`${origin}${paths[0]!.split('vod/')[0]}vod/`, fromSec);
        return resultOf(servers, measured, startsMs);
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface SavedFiles {
  readonly segments: readonly string[];
  readonly movieBytes: number;
}

/** Saves the responses of `base` as files in `folder`: all segments of the playlist, and the MP4. */
async function saveFiles(base: string, folder: string): Promise<SavedFiles> {
  mkdirSync(folder);
  const save = async (name: string): Promise<Buffer> => {
    const response = await fetch(`${base}${name}`);
    if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    writeFileSync(join(folder, name), bytes);
    return bytes;
  };
  const playlist = String(await save('file.m3u8'));
  const segments = playlist.split('\n').filter((line) => line.startsWith('seg_'));
  if (segments.length < VIEWERS) throw new Error(`a playlist without segments: ${playlist}`);
  for (const name of segments) await save(name);
  return { segments, movieBytes: (await save(MOVIE_NAME)).length };
}

/** `bases`: one for each viewer. All files in order, again and again; each viewer begins somewhere else. */
function requestsOf(bases: readonly string[], { segments, movieBytes }: SavedFiles): Server['requests'] {
  const ranges = Array.from(
    { length: Math.floor(movieBytes / MIB) },
    (_, i) => `Range: bytes=${i * MIB}-${(i + 1) * MIB - 1}`,
  );
  const from = <T>(items: readonly T[], viewer: number) => {
    const at = Math.floor((viewer * items.length) / VIEWERS);
    return [...items.slice(at), ...items.slice(0, at)];
  };
  return {
    segment: bases.map((base, viewer) => from(segments, viewer).map((name) => requestText(`${base}${name}`))),
    range: bases.map((base, viewer) =>
      from(ranges, viewer).map((range) => requestText(`${base}${MOVIE_NAME}`, range)),
    ),
  };
}

/** Milliseconds to the first byte of the media, each time of another range. */
async function movieStarts(folder: string, fromSec: number): Promise<number[]> {
  const startsMs: number[] = [];
  for (let i = 0; i < MOVIE_STARTS; i++) {
    const startMs = performance.now();
    const response = await fetch(`${folder}${fromSec + 1 + i}/${MOVIE_SEC}/${MOVIE_NAME}`);
    if (response.status !== 200) throw new Error(`MP4: ${response.status} ${await response.text()}`);
    const reader = response.body!.getReader();
    await reader.read();
    startsMs.push(performance.now() - startMs);
    await reader.cancel();
  }
  return startsMs;
}

async function measureAll(name: CaseName, servers: readonly Server[], scale: Scale): Promise<Measure[][]> {
  const measured: Measure[][] = [];
  for (let set = 0; set < scale.sets; set++) {
    const loads = servers.map(
      (server) => new HttpLoad(server.name, server.port, server.requests[name], CASES[name].status),
    );
    for (const [index, server] of servers.entries()) {
      await measure(server, loads[index]!, set === 0 ? WARM_UP_SEC : scale.sliceSec);
    }
    for (let round = 0; round < scale.rounds; round++) {
      const ofRound: Measure[] = [];
      for (let turn = 0; turn < servers.length; turn++) {
        const index = (turn + round) % servers.length;
        ofRound[index] = await measure(servers[index]!, loads[index]!, scale.sliceSec);
      }
      measured.push(ofRound);
    }
    for (const load of loads) load.close();
  }
  return measured;
}

async function measure(server: Server, load: HttpLoad, seconds: number): Promise<Measure> {
  const before = await server.usage();
  const { answers, bytes, elapsedSec } = await load.run(seconds);
  const after = await server.usage();
  return {
    perSec: answers / elapsedSec,
    perCpuSec: answers / ((after.cpuMicros - before.cpuMicros) / 1e6),
    bytesPerSec: bytes / elapsedSec,
  };
}

function resultOf(
  servers: readonly Server[],
  measured: Readonly<Record<CaseName, readonly Measure[][]>>,
  startsMs: readonly number[],
): BenchResult {
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  for (const name of ['segment', 'range'] as const) {
    const rounds = measured[name];
    for (const [index, server] of servers.entries()) {
      const of = (field: keyof Measure) => median(rounds.map((ofRound) => ofRound[index]![field]));
      rows.push({
        case: `${CASES[name].title}, ${VIEWERS} viewers, ${server.name}`,
        'answers/s of CPU': Math.round(of('perCpuSec')),
        'answers/s': Math.round(of('perSec')),
        'MB/s': Math.round(of('bytesPerSec') / 1e6),
      });
    }
    if (servers.length < 2) continue;
    const ratio = (field: keyof Measure) => median(rounds.map(([own, other]) => own![field] / other![field]));
    figures[`${name}VsNginx`] = ratio('perCpuSec');
    figures[`${name}VsNginxWall`] = ratio('perSec');
  }
  figures.movieStartMs = median(startsMs);
  figures.movieStartMaxMs = Math.max(...startsMs);
  rows.push({ case: 'first byte of an MP4 of 10 minutes, median', ms: figures.movieStartMs });
  rows.push({ case: `slowest of ${MOVIE_STARTS}`, ms: figures.movieStartMaxMs });
  return { name: 'playback', rows, figures };
}
