/**
 * Child module: the front door with one share and a live window that does not move, so that responses stay the
 * same. The bare routes run next to it, which return the same bytes from the same memory.
 */

import { readFileSync } from 'node:fs';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { LentMedia, LiveRendition, Unready } from '../../src/stream/media/live-media.ts';
import { startBenchFrontDoor } from '../support/bench-front-door.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { BurstSource } from '../support/burst-source.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { startBare } from './front-door-bare.ts';

/** Paths with their query. */
export interface FrontDoorPaths {
  readonly playlist: string;
  readonly delta: string;
  readonly part: string;
  readonly segment: string;
}

/** A response of the front door that the reference repeats. */
export interface SavedResponse {
  readonly name: keyof FrontDoorPaths;
  /** Path at the reference, without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyFile: string;
}

export interface FrontDoorGatewayCalls {
  start(nothing: null): Promise<{ port: number; paths: FrontDoorPaths }>;
  /** Returns the port. After `start`. */
  startReference(responses: readonly SavedResponse[]): Promise<number>;
  usage(nothing: null): ProcessUsage;
}

/** 4 Mbit/s at 25 frames per second: segments of 1 MB, parts of six frames with 100 KB. */
const SHAPE = {
  groups: 20,
  framesPerGroup: 50,
  ticksPerFrame: 3_600,
  keyFrameBytes: 150_000,
  frameBytes: 17_350,
};
const WANTED_PART_MS = 240;
const SILENCE_MS = 3_600_000;
/** Index in the newest complete segment; not its first part, which has the key frame. */
const PART = 2;
const WHOLE_PLAYLIST = { msn: -1, part: -1, skip: false };

/** Media of the live window, by case. */
const lent = new Map<keyof FrontDoorPaths, LentMedia>();

async function start(): Promise<{ port: number; paths: FrontDoorPaths }> {
  const hub = createBenchHub({ limits: { wantedPartMs: WANTED_PART_MS }, silenceMs: SILENCE_MS });
  const uuid = newRuuid();
  hub.put({ uuid, fingerprint: 'burst', main: new BurstSource(SHAPE), sub: null });
  const camera = hub.get(uuid)!;
  camera.touch('sound');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  camera.awaitPlayable('sound', { onReady: () => resolve(), onGone: reject });
  await promise;
  const frontDoor = await startBenchFrontDoor(hub, uuid);
  const mediaPath = await frontDoor.openShare();
  const rendition = camera.rendition('main')!;
  const msn = newestCompleteSegment(rendition);
  lent.set('part', loanOf(rendition.part(msn, PART)));
  lent.set('segment', loanOf(rendition.segment(msn)));
  const paths = {
    playlist: `${mediaPath}file.m3u8`,
    delta: `${mediaPath}file.m3u8?_HLS_skip=YES`,
    part: `${mediaPath}seg_${msn}.${PART}.m4v`,
    segment: `${mediaPath}seg_${msn}.m4v`,
  };
  return { port: frontDoor.port, paths };
}

function loanOf(media: LentMedia | Unready | null): LentMedia {
  if (media === null || typeof media === 'string') throw new Error(`no media: ${media}`);
  return media;
}

function startReference(responses: readonly SavedResponse[]): Promise<number> {
  const bodyOf = ({ name, bodyFile }: SavedResponse) => {
    const saved = readFileSync(bodyFile);
    const body = lent.get(name)?.bytes ?? saved;
    if (!body.equals(saved)) throw new Error(`${name}: the window holds other bytes than were answered`);
    return body;
  };
  return startBare(
    responses.map((response) => ({ path: response.path, headers: response.headers, body: bodyOf(response) })),
  );
}

function newestCompleteSegment(rendition: LiveRendition): number {
  const playlist = rendition.playlist(WHOLE_PLAYLIST);
  if (typeof playlist === 'string') throw new Error(`no playlist: ${playlist}`);
  const names = [...playlist.text.matchAll(/^seg_(\d+)\.m4v$/gm)];
  return Number(names.at(-1)![1]);
}

const calls: FrontDoorGatewayCalls = { start, startReference, usage: processUsage };

responseParent(calls);
