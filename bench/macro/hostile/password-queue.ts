/**
 * Wrong passwords at one share, as many as the limits allow from twelve addresses, while people open other shares with the
 * correct one. `otherShareOpenP99Ms`: how long they wait; `otherShareOpenRatio`: the median divided by the one without
 * guessing; `otherShareRefused`: how many were refused. Each opens a share of their own: a remembered password would say
 * nothing about the queue.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../test/support/ports.ts';
import { type BenchOptions, median, percentile, type Row } from '../../report.ts';
import { ChildModule, withChildren } from '../../support/child-module.ts';
import type { PasswordGatewayCalls } from './password-queue-gateway.ts';

const PASSWORD = 'correct horse battery staple';
const GUESSERS = 12;
/** As many as `access.passwordAttempts` allows in one burst. */
const GUESSES_OF_EACH = 10;
const SHORT = { waves: 1, opens: 10 };
const LONG = { waves: 3, opens: 20 };
/** Between two honest openings. */
const OPEN_EVERY_MS = 100;

interface Opening {
  readonly status: number;
  readonly ms: number;
}

export async function measure({ isShort }: BenchOptions): Promise<{
  rows: Row[];
  figures: Record<string, number>;
}> {
  const { waves, opens } = isShort ? SHORT : LONG;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-passwords-'));
  const gateway = new ChildModule<PasswordGatewayCalls>(
    join(import.meta.dirname, 'password-queue-gateway.ts'),
  );
  try {
    return await withChildren([gateway], async () => {
      const [apiPort, mediaPort] = [await freePort(), await freePort()];
      const { guessed, others } = await gateway.call('start', {
        folder,
        apiPort,
        mediaPort,
        password: PASSWORD,
        others: opens * (waves + 1),
      });
      const quiet = await openEach(others.splice(0, opens));
      const attacked: Opening[] = [];
      const guesses: Opening[] = [];
      for (let wave = 1; wave <= waves; wave++) {
        const guessing = guess(guessed, wave);
        attacked.push(...(await openEach(others.splice(0, opens))));
        guesses.push(...(await guessing));
      }
      await gateway.call('close', null);
      const refused = attacked.filter(({ status }) => status !== 200).length;
      return {
        rows: [
          row('other shares, nobody guesses', quiet),
          row(`other shares, ${GUESSERS * GUESSES_OF_EACH} guesses at once`, attacked),
          row('the guesses', guesses),
        ],
        figures: {
          otherShareOpenP99Ms: percentile(
            attacked.map(({ ms }) => ms),
            0.99,
          ),
          otherShareOpenRatio: medianMs(attacked) / medianMs(quiet),
          otherShareRefused: refused,
        },
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One after another. */
async function openEach(pageUrls: readonly string[]): Promise<Opening[]> {
  const openings: Opening[] = [];
  for (const pageUrl of pageUrls) {
    openings.push(await open(pageUrl, PASSWORD, '198.51.100.1'));
    await delay(OPEN_EVERY_MS);
  }
  return openings;
}

/** Guesses in parallel, from addresses that have not guessed before. */
function guess(pageUrl: string, wave: number): Promise<Opening[]> {
  return Promise.all(
    Array.from({ length: GUESSERS * GUESSES_OF_EACH }, (_, index) =>
      open(pageUrl, `guess ${index}`, `203.0.${wave}.${index % GUESSERS}`),
    ),
  );
}

async function open(pageUrl: string, password: string, address: string): Promise<Opening> {
  const startMs = performance.now();
  const response = await fetch(`${pageUrl}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ password }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - startMs };
}

function row(name: string, openings: readonly Opening[]): Row {
  const ms = openings.map((opening) => opening.ms);
  return {
    case: name,
    openings: openings.length,
    'p50 ms': median(ms),
    'p99 ms': percentile(ms, 0.99),
    '503': openings.filter(({ status }) => status === 503).length,
  };
}

function medianMs(openings: readonly Opening[]): number {
  return median(openings.map(({ ms }) => ms));
}
