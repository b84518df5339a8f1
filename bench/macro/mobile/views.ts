/** Views of the `mobile` benchmark, in Chromium through a network whose bandwidth and distance are exact. */

import type { Page } from 'playwright-core';
import { TestGateway } from '../../../test/support/gateway.ts';
import { SlowNetwork } from '../../../test/support/slow-network.ts';
import { makeClip, startCamera } from '../../../test/support/synthetic.ts';
import { openPage, startBrowser, type TestBrowser } from '../../../test/web/browser.ts';
import { waitForMotion } from '../../../test/web/page-probes.ts';
import { takePlayback, watchPlayback } from '../../../test/web/playback-watch.ts';
import type { BenchOptions, BenchResult, Row } from '../../report.ts';

/** Rates of the camera with audio, as the page loads it. */
const STREAM_BITS_PER_SEC = 1_260_000;
const SOUND_BITS_PER_SEC = 35_000;
/** The stream takes 80% of it. */
const LINK_BITS_PER_SEC = STREAM_BITS_PER_SEC / 0.8;
const ADAPT_MS = 10_000;
const MINUTE_MS = 60_000;
/** Stall in a minute, after adapting. */
const ALLOWED_MS = 500;

interface Case {
  readonly camera: string;
  readonly roundTripMs: number;
  readonly linkBitsPerSec: number;
  /** How many times slower the page's processor is than this machine's. */
  readonly cpuSlowdown: number;
}

interface View {
  readonly stallMsPerMinute: number;
  readonly longestStallMs: number;
  readonly gaps: number;
  readonly adaptStallMs: number;
  readonly requestsPerSec: number;
  /** Traffic in percent of the link's capacity. */
  readonly linkPercent: number;
  readonly aheadSec: number;
}

/** The demo of `npm start`, with its sound. */
const DEMO_BITS_PER_SEC = 1_500_000;
const DEMO_LINK_BITS_PER_SEC = (DEMO_BITS_PER_SEC + SOUND_BITS_PER_SEC) / 0.8;
const REFERENCE_MS = 20;

const CASES: Readonly<Record<string, Case>> = {
  Near: { camera: 'Dock', roundTripMs: REFERENCE_MS, linkBitsPerSec: LINK_BITS_PER_SEC, cpuSlowdown: 1 },
  At150Ms: { camera: 'Dock', roundTripMs: 150, linkBitsPerSec: LINK_BITS_PER_SEC, cpuSlowdown: 1 },
  At300Ms: { camera: 'Dock', roundTripMs: 300, linkBitsPerSec: LINK_BITS_PER_SEC, cpuSlowdown: 1 },
  SlowCpuNear: { camera: 'Demo', roundTripMs: 40, linkBitsPerSec: DEMO_LINK_BITS_PER_SEC, cpuSlowdown: 4 },
  SlowCpuAt150Ms: {
    camera: 'Demo',
    roundTripMs: 150,
    linkBitsPerSec: DEMO_LINK_BITS_PER_SEC,
    cpuSlowdown: 4,
  },
};

export async function measureViews({ isShort }: BenchOptions): Promise<BenchResult> {
  const only = process.env.BENCH_CASES?.split(',');
  const clip = await makeClip(640, 360, {
    gopSec: Number(process.env.BENCH_GOP ?? 2),
    bitrateBitsPerSec: STREAM_BITS_PER_SEC - SOUND_BITS_PER_SEC,
  });
  const demo = await makeClip(1_280, 720, { gopSec: 2, bitrateBitsPerSec: DEMO_BITS_PER_SEC });
  const cameras = { Dock: await startCamera(0, { clip }), Demo: await startCamera(0, { clip: demo }) };
  const gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: Object.entries(cameras).map(([name, { url }]) => ({ name, rtsp: url })),
  });
  const network = await SlowNetwork.to(gateway.mediaUrl);
  const browser = await startBrowser();
  const rows: Row[] = [];
  const stalls = new Map<string, number>();
  try {
    for (const [name, view] of Object.entries(CASES)) {
      if (only !== undefined && !only.includes(name)) continue;
      const watched = await watch(view, { gateway, network, browser }, isShort ? MINUTE_MS / 2 : MINUTE_MS);
      rows.push({ case: `${name}: ${view.roundTripMs} ms, processor / ${view.cpuSlowdown}`, ...watched });
      stalls.set(name, watched.stallMsPerMinute);
    }
  } finally {
    await browser.close();
    await network.close();
    await gateway.dispose();
    for (const camera of Object.values(cameras)) await camera.close();
  }
  return { name: 'mobile', rows, figures: ratios(stalls) };
}

/** Ratios to the near camera: 1 if both stall for as long, 2 if this one stalls for 0.5 s a minute more. */
function ratios(stalls: ReadonlyMap<string, number>): Record<string, number> {
  const nearMs = stalls.get('Near');
  if (nearMs === undefined) return {};
  const others = [...stalls].filter(([name]) => name !== 'Near');
  return Object.fromEntries(
    others.map(([name, ms]) => [`stall${name}VsNear`, (ms + ALLOWED_MS) / (nearMs + ALLOWED_MS)]),
  );
}

interface Stage {
  readonly gateway: TestGateway;
  readonly network: SlowNetwork;
  readonly browser: TestBrowser;
}

async function watch(view: Case, { gateway, network, browser }: Stage, watchMs: number): Promise<View> {
  network.limit(Number.POSITIVE_INFINITY);
  const { pageUrl } = await gateway.share(view.camera);
  const { page, problems } = await openPage(browser);
  try {
    let requests = 0;
    page.on('request', () => requests++);
    network.limit(view.linkBitsPerSec, view.roundTripMs);
    const session = await browser.context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: view.cpuSlowdown });
    await page.goto(network.through(pageUrl));
    await waitForMotion(page);
    await watchPlayback(page);
    await after(page, ADAPT_MS);
    const adapting = await takePlayback(page);
    requests = 0;
    const fromBytes = network.passedBytes;
    await watchPlayback(page);
    await after(page, watchMs);
    const { playingShare, watchedMs, longestStallMs, stalls } = await takePlayback(page);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return {
      stallMsPerMinute: Math.round((1 - playingShare) * MINUTE_MS),
      longestStallMs: Math.round(longestStallMs),
      gaps: stalls,
      adaptStallMs: Math.round((1 - adapting.playingShare) * adapting.watchedMs),
      requestsPerSec: Math.round((requests / watchedMs) * 10_000) / 10,
      linkPercent: Math.round(
        (800_000 * (network.passedBytes - fromBytes)) / watchedMs / view.linkBitsPerSec,
      ),
      aheadSec: await aheadSec(page),
    };
  } finally {
    await page.close();
  }
}

async function after(page: Page, ms: number): Promise<void> {
  const untilMs = await page.evaluate((passMs) => performance.now() + passMs, ms);
  await page.waitForFunction((deadlineMs) => performance.now() >= deadlineMs, untilMs, { timeout: 2 * ms });
}

/** Buffered media that is not yet played. */
function aheadSec(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { buffered, currentTime } = document.querySelector('video')!;
    return buffered.length === 0
      ? 0
      : Math.round(10 * (buffered.end(buffered.length - 1) - currentTime)) / 10;
  });
}
