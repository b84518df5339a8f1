/**
 * `abuse`: attackers with few rights (one link, one camera, one connection or no key at all) against a running gateway. A
 * well-behaved viewer and API client run at the same time, and any effect on them is part of every verdict. BENCH_CASES
 * takes only the abuses whose title contains it, or one of several texts between bars.
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { API_KEY, type TestConfig, TestGateway } from '../../test/support/gateway.ts';
import { openShare } from '../../test/support/hls.ts';
import { until } from '../../test/support/until.ts';
import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { ChildModule } from '../support/child-module.ts';
import { chosenCases } from '../support/chosen-cases.ts';
import { foreignRssBytes } from '../support/foreign-process.ts';
import { isFailure } from '../support/logged-failure.ts';
import { type Abuse, type Ground, grantOf } from './abuse/abuse.ts';
import { abuses as access } from './abuse/cases/access.ts';
import { abuses as api } from './abuse/cases/api.ts';
import { abuses as cameras } from './abuse/cases/cameras.ts';
import { abuses as crashes } from './abuse/cases/crashes.ts';
import { abuses as http } from './abuse/cases/http.ts';
import { abuses as past } from './abuse/cases/past.ts';
import { abuses as viewers } from './abuse/cases/viewers.ts';
import type { HonestCalls, HonestFigures } from './abuse/honest.ts';
import { camera } from './behaviours/cameras.ts';

const ABUSES: readonly Abuse[] = [...access, ...http, ...viewers, ...past, ...api, ...cameras, ...crashes];

const SHORT_EVERY = 6;
/** Two cores are shared with the attackers. */
const MAX_PLAYLIST_P99_MS = 1_500;
const MAX_API_P99_MS = 5_000;
/** Segments of a second; the attack may end just before one does. */
const MIN_SEGMENTS_SHARE = 0.7;
const PAUSE_MS = 500;
const SETTLE_MS = 15_000;
const MIB = 1_048_576;
const MAX_QUOTED_CHARS = 400;

interface Verdict {
  readonly abuse: Abuse;
  readonly deviations: readonly string[];
  readonly honest: HonestFigures;
  readonly rssMiB: number;
}

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const abuses = chosenCases(ABUSES, titleOf, { isShort, shortEvery: SHORT_EVERY });
  const [good, other] = await Promise.all([camera()(), camera()()]);
  const config: TestConfig = {
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
    sources: {
      connectTimeout: '2s',
      silenceTimeout: '2s',
      backoffMin: '200ms',
      backoffMax: '1s',
      allowLocal: false,
    },
    api: { rateLimit: 1_000_000 },
    recording: { minFree: '16MiB' },
    log: { level: 'info', format: 'json' },
    cameras: [
      { name: 'Good', rtsp: good.url, recording: 'always' },
      { name: 'Other', rtsp: other.url },
    ],
  };
  const gateway = await TestGateway.start(config);
  const honest = new ChildModule<HonestCalls>(join(import.meta.dirname, 'abuse/honest.ts'));
  try {
    const ground = await prepare(gateway, config, isShort);
    const { playlistUrl } = ground;
    await honest.call('start', { playlistUrl, apiUrl: gateway.apiUrl, apiKey: API_KEY });
    await delay(SETTLE_MS);
    await honest.call('take', null);
    const beforeMiB = rssMiB(gateway);
    const verdicts: Verdict[] = [];
    for (const abuse of abuses) verdicts.push(await suffer(abuse, ground, honest));
    await delay(SETTLE_MS);
    return report(verdicts, beforeMiB, rssMiB(gateway), failuresOf(gateway));
  } finally {
    await honest.end();
    await gateway.dispose();
    await Promise.all([good.close(), other.close()]);
  }
}

async function prepare(gateway: TestGateway, config: TestConfig, isShort: boolean): Promise<Ground> {
  const share = await until('the API', () => gateway.share('Good'));
  const other = await gateway.share('Other');
  const opened = await until('the good camera', () => openShare(share.m3u8Url));
  const playlistUrl = opened.replace('stream.m3u8', 'file.m3u8');
  const { grantSigningKey: signingKey } = loadSecrets(join(gateway.folder, 'data'), {});
  const otherGrant = grantOf(await until('the other camera', () => openShare(other.m3u8Url)));
  const grant = grantOf(playlistUrl);
  return { gateway, config, share, other, playlistUrl, grant, otherGrant, signingKey, isShort };
}

async function suffer(abuse: Abuse, ground: Ground, honest: ChildModule<HonestCalls>): Promise<Verdict> {
  await honest.call('take', null);
  const attacked = await abuse
    .attack(ground)
    .catch((error: unknown) => [`the attack failed: ${String(error).slice(0, MAX_QUOTED_CHARS)}`]);
  await delay(PAUSE_MS);
  const figures = await honest.call('take', null);
  const deviations = [...attacked, ...judge(figures), ...(await judgeGateway(ground))];
  const verdict = { abuse, deviations, honest: figures, rssMiB: rssMiB(ground.gateway) };
  for (const deviation of deviations) process.stdout.write(`    ${titleOf(abuse)}: ${deviation}\n`);
  return verdict;
}

function judge({ playlistP99Ms, apiP99Ms, segments, elapsedSec, failures }: HonestFigures): string[] {
  const said = failures.map((failure) => `honest: ${failure}`);
  const within = (what: string, p99Ms: number | null, maxMs: number) => {
    if (p99Ms === null) said.push(`${what} sent no response in ${elapsedSec.toFixed(1)} s`);
    else if (p99Ms > maxMs) said.push(`${what} p99 ${Math.round(p99Ms)} ms`);
  };
  within('playlist', playlistP99Ms, MAX_PLAYLIST_P99_MS);
  within('API', apiP99Ms, MAX_API_P99_MS);
  if (segments < Math.floor(elapsedSec * MIN_SEGMENTS_SHARE) - 1)
    said.push(`${segments} segments in ${elapsedSec.toFixed(1)} s`);
  return said;
}

async function judgeGateway({ gateway }: Ground): Promise<string[]> {
  if (gateway.child.process.exitCode !== null) return ['the gateway is gone'];
  const { status } = await fetch(`${gateway.apiUrl}/readyz`);
  return status === 200 ? [] : [`/readyz says ${status}`];
}

function rssMiB(gateway: TestGateway): number {
  return foreignRssBytes(gateway.child.process.pid!) / MIB;
}

/** Lines about a failure inside the gateway, and lines that contain a secret. */
function failuresOf(gateway: TestGateway): string[] {
  return gateway.child.lines.filter((line) => isFailure(line) || line.includes(API_KEY));
}

function titleOf({ group, name }: Abuse): string {
  return `${group}: ${name}`;
}

function report(
  verdicts: readonly Verdict[],
  beforeMiB: number,
  afterMiB: number,
  failures: readonly string[],
): BenchResult {
  for (const line of failures) process.stdout.write(`    log: ${line.slice(0, MAX_QUOTED_CHARS)}\n`);
  const rows: Row[] = [];
  for (const group of new Set(verdicts.map(({ abuse }) => abuse.group))) {
    const of = verdicts.filter(({ abuse }) => abuse.group === group);
    rows.push({
      case: group,
      abuses: of.length,
      'as expected': of.filter(isExpected).length,
      'playlist p99 ms': worst(of, 'playlistP99Ms'),
      'API p99 ms': worst(of, 'apiP99Ms'),
      'RSS MiB': Math.max(...of.map((verdict) => verdict.rssMiB)),
    });
  }
  const unexpected = verdicts.filter((verdict) => !isExpected(verdict));
  for (const { abuse, deviations } of unexpected)
    rows.push({ case: titleOf(abuse), deviation: deviations.join('; ') });
  return {
    name: 'abuse',
    rows,
    figures: {
      abuses: verdicts.length,
      asExpected: verdicts.length - unexpected.length,
      unexpected: unexpected.length,
      failuresLogged: failures.length,
      worstPlaylistP99Ms: worst(verdicts, 'playlistP99Ms'),
      worstApiP99Ms: worst(verdicts, 'apiP99Ms'),
      rssBeforeMiB: beforeMiB,
      rssHighestMiB: Math.max(...verdicts.map((verdict) => verdict.rssMiB)),
      rssKeptMiB: afterMiB - beforeMiB,
    },
  };
}

/** Worst figure of the cases with a response; the others have a deviation. */
function worst(verdicts: readonly Verdict[], figure: 'playlistP99Ms' | 'apiP99Ms'): number {
  return Math.max(0, ...verdicts.map(({ honest }) => honest[figure] ?? 0));
}

function isExpected({ deviations }: Verdict): boolean {
  return deviations.length === 0;
}
