/**
 * A flooding camera: how long a viewer of another camera waits for a playlist and for a part, compared with the
 * same without the flood, in alternating rounds. The flood consists of the smallest possible frames, as fast as the
 * gateway takes them: over TCP, TLS and UDP. The gateway, its cameras and this viewer each have a process.
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FLOOD_PAUSE_SEC } from '../../../src/stream/source/flood-guard.ts';
import { type BenchOptions, median, type Row } from '../../report.ts';
import type { CameraFleetCalls } from '../../support/camera-fleet.ts';
import { ChildModule, withChildren } from '../../support/child-module.ts';
import { HttpLink } from '../../support/http-link.ts';
import type { FloodGatewayCalls, FloodOutcome } from './flooding-camera-gateway.ts';
import type { FloodSenderCalls } from './flooding-camera-sender.ts';

const CAMERA = { cameras: 1, widthPx: 640, heightPx: 360, bitrateBitsPerSec: 1_000_000 };
const SHORT = { rounds: 2, roundMs: 12_000 };
/** As long as the pause after a flood, so that each round sees its full share. */
const LONG = { rounds: 3, roundMs: FLOOD_PAUSE_SEC * 1_000 };
/** Between two requests of a viewer. */
const PAUSE_MS = 5;
const PATIENCE_MS = 20_000;
/** Length of a playlist's tail, where it lists the newest parts. */
const TAIL_CHARS = 2_000;
const WARM_UP_MS = 2_000;

interface Waits {
  readonly playlistMs: number[];
  readonly partMs: number[];
}

export async function measure({ isShort }: BenchOptions) {
  const { rounds, roundMs } = isShort ? SHORT : LONG;
  const here = (file: string): string => join(import.meta.dirname, file);
  const fleet = new ChildModule<CameraFleetCalls>(here('../../support/camera-fleet.ts'));
  const sender = new ChildModule<FloodSenderCalls>(here('flooding-camera-sender.ts'));
  const gateway = new ChildModule<FloodGatewayCalls>(here('flooding-camera-gateway.ts'));
  return withChildren([fleet, sender, gateway], async () => {
    const [camera] = await fleet.call('start', CAMERA);
    const floods = await sender.call('start', null);
    const folderUrl = await gateway.call('start', camera!);
    const playlistUrl = `${folderUrl}file.m3u8`;
    await firstPart(playlistUrl);
    await watch(playlistUrl, WARM_UP_MS);
    const rows: Row[] = [];
    const figures: Record<string, number> = {};
    for (const kind of ['tcp', 'tls', 'udp'] as const) {
      const alone: Waits[] = [];
      const flooded: Waits[] = [];
      const outcomes: FloodOutcome[] = [];
      for (let round = 0; round < rounds; round++) {
        alone.push(await watch(playlistUrl, roundMs));
        await gateway.call('openFlood', { rtsp: floods[kind], transport: kind === 'udp' ? 'udp' : 'tcp' });
        flooded.push(await watch(playlistUrl, roundMs));
        outcomes.push(await gateway.call('closeFlood', null));
      }
      const prefix = `flood${kind[0]!.toUpperCase()}${kind.slice(1)}`;
      figures[`${prefix}PlaylistP99Ratio`] = ratio(alone, flooded, 'playlistMs');
      figures[`${prefix}PartP99Ratio`] = ratio(alone, flooded, 'partMs');
      rows.push(row(`viewer alone (before ${kind})`, alone), {
        ...row(`viewer beside a flood over ${kind}`, flooded),
        'held max ms': Math.max(...outcomes.map(({ heldMaxMs }) => heldMaxMs)),
        'held p99.9 ms': median(outcomes.map(({ heldP999Ms }) => heldP999Ms)),
        'opened in a round': median(outcomes.map(({ opened }) => opened)),
        ends: outcomes.at(-1)!.code,
      });
    }
    return { rows, figures };
  });
}

function ratio(alone: readonly Waits[], flooded: readonly Waits[], kind: keyof Waits): number {
  return median(flooded.map((waits, round) => p99(waits[kind]) / p99(alone[round]![kind])));
}

function row(name: string, rounds: readonly Waits[]): Row {
  const middle = (pick: (waits: Waits) => number) => median(rounds.map(pick));
  return {
    case: name,
    'playlist p50 ms': middle(({ playlistMs }) => at(playlistMs, 0.5)),
    'playlist p99 ms': middle(({ playlistMs }) => p99(playlistMs)),
    'part p50 ms': middle(({ partMs }) => at(partMs, 0.5)),
    'part p99 ms': middle(({ partMs }) => p99(partMs)),
    'worst ms': Math.max(...rounds.flatMap(({ playlistMs, partMs }) => [...playlistMs, ...partMs])),
  };
}

async function firstPart(playlistUrl: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const response = await fetch(playlistUrl);
    const text = await response.text();
    if (response.status === 200 && /seg_\d+\.\d+\.m4v/.test(text)) return;
    await delay(100);
  }
  throw new Error('the camera that is watched does not play');
}

/**
 * Requests the playlist and the newest part in turn, over one connection, at the pace of `PAUSE_MS`. The last part
 * that a playlist names is the next one, which the request would wait for; the one before it is the newest that
 * exists.
 */
async function watch(playlistUrl: string, forMs: number): Promise<Waits> {
  const waits: Waits = { playlistMs: [], partMs: [] };
  const link = new Asking(new URL(playlistUrl));
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const text = await link.get(playlistUrl, waits.playlistMs);
    const part = text.match(/seg_\d+\.\d+\.m4v/g)?.at(-2);
    if (part !== undefined) await link.get(new URL(part, playlistUrl).href, waits.partMs);
    await delay(PAUSE_MS);
  }
  link.close();
  return waits;
}

/** One request after another over one connection, and how long each took. */
class Asking {
  readonly #link: HttpLink;
  #response: PromiseWithResolvers<string> | null = null;

  constructor(url: URL) {
    this.#link = new HttpLink(Number(url.port), TAIL_CHARS, {
      onResponse: (status, tail) => {
        if (status === 200) this.#response?.resolve(tail);
        else this.#response?.reject(new Error(`status ${status}`));
      },
      onBroken: (reason) => this.#response?.reject(new Error(reason)),
    });
  }

  async get(url: string, into: number[]): Promise<string> {
    const { pathname, host } = new URL(url);
    this.#response = Promise.withResolvers<string>();
    const startMs = performance.now();
    this.#link.send(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const body = await this.#response.promise;
    into.push(performance.now() - startMs);
    return body;
  }

  close(): void {
    this.#link.close();
  }
}

function p99(values: readonly number[]): number {
  return at(values, 0.99);
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
