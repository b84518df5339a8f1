/**
 * `front-door`: what a media request costs beyond a bare Fastify route. A share's playlist, delta playlist, part and
 * 1 MB segment, each with the whole access decision, compared with Fastify routes that return the same bytes and
 * headers from the same memory of the same process, and with nginx where it is installed. Playlists are also compared with what people
 * would build otherwise: nginx that asks a small service about each request (auth_request). The load comes from this process.
 * In a process of its own the reference was up to a quarter faster or slower with segments, whatever the code: most
 * of that work is the kernel's copying, which depends on where in memory the bytes happen to be.
 *
 * The machine is noisy and the load generator costs more than the servers. Hence rounds in which the servers take
 * turns, ratios within each round, the median of the rounds. Long runs start the servers several times. Each
 * start warms up until the compiler is done with the hot path, about 50,000 responses: before that, the server with more
 * code of its own looks a fifth slower than it is. The rate is not responses per second but responses per
 * second of the server's processor time, which is what one of its cores serves when nothing else slows it down. Both rates are
 * in the table.
 */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';
import { ChildModule, type ProcessUsage, withChildren } from '../support/child-module.ts';
import { HttpLoad, type LoadResult } from '../support/http-load.ts';
import type { FrontDoorDeciderCalls } from './front-door-decider.ts';
import type { FrontDoorGatewayCalls, FrontDoorPaths, SavedResponse } from './front-door-gateway.ts';
import { NginxServer } from './front-door-nginx.ts';

type CaseName = keyof FrontDoorPaths;

interface Server {
  readonly name: string;
  readonly urls: Readonly<Record<CaseName, string>>;
  usage(): ProcessUsage | Promise<ProcessUsage>;
}

/** Figures of one server in one round. */
interface Measure {
  readonly perSec: number;
  readonly perCpuSec: number;
  readonly cpuShare: number;
  readonly bytesPerSec: number;
}

interface Case {
  readonly name: CaseName;
  readonly connections: number;
  readonly extension: string;
  readonly plan: keyof Plan['cases'];
  readonly open: (url: string, connections: number) => Load;
}

/** On one case of one server, as long as its turns last. */
interface Load {
  run(seconds: number): Promise<LoadResult>;
  close(): void;
}

interface Turn {
  readonly server: Server;
  /** Among all servers. */
  readonly index: number;
  readonly load: Load;
}

/** Plan of one case in one start of the servers. */
interface CasePlan {
  readonly warmUpSec: number;
  /** How often the clients reconnect. */
  readonly sets: number;
  /** Rounds of one set. */
  readonly rounds: number;
  readonly sliceSec: number;
}

interface Plan {
  readonly starts: number;
  readonly cases: Readonly<Record<'playlists' | 'parts' | 'segments', CasePlan>>;
}

/** autocannon needs several times as long for a large response as the servers do: it would measure only itself. */
const CASES: readonly Case[] = [
  { name: 'playlist', connections: 50, extension: 'm3u8', plan: 'playlists', open: openCannon },
  { name: 'delta', connections: 50, extension: 'm3u8', plan: 'playlists', open: openCannon },
  { name: 'part', connections: 10, extension: 'm4v', plan: 'parts', open: openLinks },
  { name: 'segment', connections: 10, extension: 'm4v', plan: 'segments', open: openLinks },
];
/** In short runs, nginx takes part only where it has a budget. */
const NGINX_CASE: CaseName = 'segment';
/** The case in which nginx with a service that decides takes part. */
const GUARDED_CASE: CaseName = 'playlist';
const GUARDED = 3;
/** Its lead is large: every so many sets are enough to tell. */
const NGINX_SETS = 4;
/**
 * Segments are the kernel's copying, at the mercy of the memory's bandwidth: of two slices side by side one is often a
 * fifth faster than the other (CV 0.2 with slices of 30 ms, no less with 300 ms), and of ten connections a tenth
 * faster than ten others for as long as they last. Many short slices and many connections make up for it: 240
 * rounds in 40 sets give the ratio a standard error of 0.02.
 */
const SHORT: Plan = {
  starts: 1,
  cases: {
    playlists: { warmUpSec: 1.5, sets: 1, rounds: 8, sliceSec: 0.3 },
    parts: { warmUpSec: 1.5, sets: 8, rounds: 6, sliceSec: 0.03 },
    segments: { warmUpSec: 0.5, sets: 40, rounds: 6, sliceSec: 0.03 },
  },
};
const LONG: Plan = {
  starts: 5,
  cases: {
    playlists: { warmUpSec: 3, sets: 1, rounds: 9, sliceSec: 0.4 },
    parts: { warmUpSec: 3, sets: 20, rounds: 6, sliceSec: 0.03 },
    segments: { warmUpSec: 1, sets: 20, rounds: 6, sliceSec: 0.03 },
  },
};
const SAMPLE_INTERVAL_MS = 50;
const SHARED_MEMORY = '/dev/shm';
/** Set by Node and Fastify themselves. */
const OWN_HEADERS = new Set(['connection', 'date', 'keep-alive', 'content-length', 'transfer-encoding']);

/** By case, and for each round by server. */
type Rounds = Record<CaseName, Measure[][]>;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const { starts } = isShort ? SHORT : LONG;
  const rounds: Rounds = mapCases(() => []);
  let names: readonly string[] = [];
  for (let start = 0; start < starts; start++) names = await runStart(rounds, isShort);
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  for (const { name } of CASES) {
    const measured = rounds[name];
    for (const [index, server] of names.entries()) {
      if (measured[0]![index] !== undefined) rows.push(tableRow(name, server, measured, index));
    }
    figures[`${name}Ratio`] = ratio(measured, 1, 'perCpuSec');
    figures[`${name}WallRatio`] = ratio(measured, 1, 'perSec');
    if (name === GUARDED_CASE && names.length > GUARDED) {
      figures.playlistVsAuthRequest = ratio(measured, GUARDED, 'perCpuSec');
      figures.playlistVsAuthRequestWall = ratio(measured, GUARDED, 'perSec');
    }
    if (name === NGINX_CASE && names.length > 2) {
      figures.segmentVsNginx = ratio(measured, 2, 'perCpuSec');
      figures.segmentVsNginxWall = ratio(measured, 2, 'perSec');
    }
  }
  return { name: 'front-door', rows, figures };
}

/** Adds the rounds of one start of the servers, and returns their names. */
async function runStart(rounds: Rounds, isShort: boolean): Promise<readonly string[]> {
  const base = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'sluice-bench-front-door-'));
  const gateway = new ChildModule<FrontDoorGatewayCalls>(join(import.meta.dirname, 'front-door-gateway.ts'));
  const decider = new ChildModule<FrontDoorDeciderCalls>(join(import.meta.dirname, 'front-door-decider.ts'));
  try {
    return await withChildren([gateway, decider], async () => {
      const { port, paths } = await gateway.call('start', null);
      const urls = mapCases((name) => `http://127.0.0.1:${port}${paths[name]}`);
      const barePort = await gateway.call('startReference', await saveResponses(urls, folder));
      const servers: Server[] = [
        { name: 'sluice', urls, usage: () => gateway.call('usage', null) },
        { name: 'fastify', urls: fileUrls(barePort, paths), usage: () => gateway.call('usage', null) },
      ];
      const decides = await decider.call('start', null);
      const nginx = await NginxServer.start(folder, decides.port);
      if (nginx !== null) {
        servers.push({ name: 'nginx', urls: fileUrls(nginx.port, paths), usage: () => nginx.usage() });
        servers.push({
          name: 'nginx, auth_request',
          urls: fileUrls(nginx.guardedPort, paths, `guarded/${decides.grant}/`),
          usage: async () => sumOf(nginx.usage(), await decider.call('usage', null)),
        });
      }
      await withChildren(nginx === null ? [] : [nginx], () => measureAll(servers, rounds, isShort));
      return servers.map(({ name }) => name);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(servers: readonly Server[], rounds: Rounds, isShort: boolean): Promise<void> {
  for (const testCase of CASES) {
    const plan = (isShort ? SHORT : LONG).cases[testCase.plan];
    const guarded = testCase.name === GUARDED_CASE ? servers.slice(GUARDED) : [];
    const withoutNginx = [...servers.slice(0, 2), ...guarded];
    const compared =
      isShort && testCase.name !== NGINX_CASE ? withoutNginx : [...servers.slice(0, 3), ...guarded];
    for (let set = 0; set < plan.sets; set++) {
      const ofSet = set % NGINX_SETS === 0 ? compared : withoutNginx;
      const turns = ofSet.map((server) => ({
        server,
        index: servers.indexOf(server),
        load: testCase.open(server.urls[testCase.name], testCase.connections),
      }));
      for (const turn of turns) await measure(turn, set === 0 ? plan.warmUpSec : plan.sliceSec);
      rounds[testCase.name].push(...(await takeTurns(turns, plan)));
      for (const { load } of turns) load.close();
    }
  }
}

async function takeTurns(turns: readonly Turn[], { rounds, sliceSec }: CasePlan): Promise<Measure[][]> {
  const measured: Measure[][] = [];
  for (let round = 0; round < rounds; round++) {
    const order = turns.map((_, turn) => (turn + round) % turns.length);
    const ofRound: Measure[] = [];
    for (const turn of order) ofRound[turns[turn]!.index] = await measure(turns[turn]!, sliceSec);
    measured.push(ofRound);
  }
  return measured;
}

/** The first server compared with another: the median of the ratios of the rounds in which both took part. */
function ratio(measured: readonly Measure[][], other: number, rate: 'perSec' | 'perCpuSec'): number {
  return median(withServer(measured, other).map((ofRound) => ofRound[0]![rate] / ofRound[other]![rate]));
}

function withServer(measured: readonly Measure[][], index: number): readonly Measure[][] {
  return measured.filter((ofRound) => ofRound[index] !== undefined);
}

function tableRow(name: string, server: string, measured: readonly Measure[][], index: number): Row {
  const of = (field: keyof Measure) =>
    median(withServer(measured, index).map((ofRound) => ofRound[index]![field]));
  return {
    case: `${name}, ${server}`,
    'answers/s of CPU': Math.round(of('perCpuSec')),
    'answers/s': Math.round(of('perSec')),
    'server CPU %': Math.round(of('cpuShare') * 100),
    'MB/s': Math.round(of('bytesPerSec') / 1e6),
  };
}

async function measure({ server, load }: Turn, seconds: number): Promise<Measure> {
  const before = await server.usage();
  const { answers, bytes, elapsedSec } = await load.run(seconds);
  const after = await server.usage();
  const cpuSec = (after.cpuMicros - before.cpuMicros) / 1e6;
  return {
    perSec: answers / elapsedSec,
    perCpuSec: answers / cpuSec,
    cpuShare: cpuSec / ((after.atMs - before.atMs) / 1_000),
    bytesPerSec: bytes / elapsedSec,
  };
}

function openLinks(url: string, connections: number): Load {
  return HttpLoad.of(url, connections);
}

/** autocannon: closed loop, no pipelining, connections of its own for each turn. */
function openCannon(url: string, connections: number): Load {
  const run = async (seconds: number): Promise<LoadResult> => {
    const options = { url, connections, duration: seconds, sampleInt: SAMPLE_INTERVAL_MS, pipelining: 1 };
    const result = await autocannon(options);
    const failures = result.non2xx + result.errors;
    if (failures > 0 || result['2xx'] === 0) throw new Error(`${url}: ${failures} failures`);
    return {
      answers: result['2xx'],
      bytes: result.throughput.total,
      elapsedSec: (result.finish.getTime() - result.start.getTime()) / 1_000,
    };
  };
  return { run, close: () => undefined };
}

/** Requests each case from the front door once, and stores the responses as files for the references. */
async function saveResponses(
  urls: Readonly<Record<CaseName, string>>,
  folder: string,
): Promise<SavedResponse[]> {
  const responses: SavedResponse[] = [];
  for (const { name, extension } of CASES) {
    const response = await fetch(urls[name]);
    if (response.status !== 200)
      throw new Error(`${urls[name]} answers ${response.status}: ${await response.text()}`);
    const bodyFile = join(folder, `${name}.${extension}`);
    writeFileSync(bodyFile, Buffer.from(await response.arrayBuffer()));
    const headers = Object.fromEntries([...response.headers].filter(([header]) => !OWN_HEADERS.has(header)));
    responses.push({ name, path: `/${name}.${extension}`, headers, bodyFile });
  }
  return responses;
}

/** `folder`: before the names, with a trailing slash. */
function fileUrls(port: number, paths: FrontDoorPaths, folder = ''): Readonly<Record<CaseName, string>> {
  const files = new Map(CASES.map(({ name, extension }) => [name, `${name}.${extension}`]));
  return mapCases((name) => {
    const query = paths[name].indexOf('?');
    return `http://127.0.0.1:${port}/${folder}${files.get(name)}${query < 0 ? '' : paths[name].slice(query)}`;
  });
}

function sumOf(one: ProcessUsage, other: ProcessUsage): ProcessUsage {
  const { atMs } = one;
  return { cpuMicros: one.cpuMicros + other.cpuMicros, rssBytes: one.rssBytes + other.rssBytes, atMs };
}

function mapCases<T>(value: (name: CaseName) => T): Record<CaseName, T> {
  return {
    playlist: value('playlist'),
    delta: value('delta'),
    part: value('part'),
    segment: value('segment'),
  };
}
