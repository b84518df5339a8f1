/**
 * Child module: a well-behaved viewer and API client, in a process of their own. The verdict measures the effect on them.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../report.ts';
import { responseParent } from '../../support/child-module.ts';

export interface HonestCalls {
  start(options: { readonly playlistUrl: string; readonly apiUrl: string; readonly apiKey: string }): void;
  /** Figures since the last call. */
  take(nothing: null): HonestFigures;
}

export interface HonestFigures {
  /** null: there was no response. */
  readonly playlistP99Ms: number | null;
  readonly apiP99Ms: number | null;
  /** Newest media sequence number minus the one at the last call. */
  readonly segments: number;
  readonly elapsedSec: number;
  readonly failures: readonly string[];
}

const PLAYLIST_EVERY_MS = 150;
const API_EVERY_MS = 300;
const MAX_KEPT_FAILURES = 5;
const RETRY_MS = 250;
const RESPONSE_MS = 10_000;

let playlistMs: number[] = [];
let apiMs: number[] = [];
let failures: string[] = [];
let newest = -1;
let newestAtLast = -1;
let lastMs = performance.now();

async function measure(into: () => number[], what: string, act: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  try {
    await act();
    into().push(performance.now() - startMs);
  } catch (error) {
    const { message, cause } = error as Error;
    if (failures.length < MAX_KEPT_FAILURES) failures.push(`${what}: ${message} ${cause ?? ''}`);
  }
}

async function view(playlistUrl: string): Promise<void> {
  let fetched = '';
  for (;;) {
    let text = '';
    await measure(
      () => playlistMs,
      'playlist',
      async () => {
        const response = await fetch(playlistUrl);
        text = await response.text();
        if (response.status !== 200) throw new Error(String(response.status));
      },
    );
    const name = text.match(/^seg_\d+\.m4v$/gm)?.at(-1) ?? '';
    if (name !== '' && name !== fetched) {
      fetched = name;
      newest = Number(/\d+/.exec(name)![0]);
      await measure(
        () => [],
        'segment',
        () => fetchWhole(new URL(name, playlistUrl).href),
      );
    }
    await delay(PLAYLIST_EVERY_MS);
  }
}

async function fetchWhole(url: string): Promise<void> {
  const response = await fetch(url);
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== 200 || byteLength !== Number(response.headers.get('content-length')))
    throw new Error(`${response.status}, ${byteLength} bytes`);
}

async function administer(apiUrl: string, apiKey: string): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-auth-apikey': apiKey,
    'x-auth-scheme': 'api-token',
  };
  for (;;) {
    await measure(
      () => apiMs,
      'API',
      async () => {
        await ask(`${apiUrl}/api/camera/getMinimalCameraStateList`, headers);
      },
    );
    await delay(API_EVERY_MS);
  }
}

/** Follows the gateway's instructions: if the gateway reports that it is too busy, requests again in a moment. */
async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const deadlineMs = performance.now() + RESPONSE_MS;
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers, body: '{}' });
    const { error } = (await response.json()) as { error: boolean };
    if (response.status === 200 && !error) return;
    if (!response.headers.has('retry-after') || performance.now() > deadlineMs)
      throw new Error(String(response.status));
    await delay(RETRY_MS);
  }
}

function p99(values: readonly number[]): number | null {
  return values.length === 0 ? null : percentile(values, 0.99);
}

const calls: HonestCalls = {
  start: ({ playlistUrl, apiUrl, apiKey }) => {
    void view(playlistUrl);
    void administer(apiUrl, apiKey);
  },
  take: () => {
    const nowMs = performance.now();
    const figures = {
      playlistP99Ms: p99(playlistMs),
      apiP99Ms: p99(apiMs),
      segments: newest - newestAtLast,
      elapsedSec: (nowMs - lastMs) / 1_000,
      failures,
    };
    playlistMs = [];
    apiMs = [];
    failures = [];
    newestAtLast = newest;
    lastMs = nowMs;
    return figures;
  },
};

responseParent(calls);
