/** Compares a viewer's media with the declarations of the table. Every sentence is one deviation. */

import type { Expectation, Plays, PlaysAgain, Refused } from './behaviour.ts';
import { type Decoded, decode } from './decoded.ts';
import { videoDecodeTime, videoTimescaleHz, type Watched, type WatchedSegment } from './watcher.ts';

/** Observations of a case at its end. */
export interface Evidence {
  readonly watched: Watched;
  /** When the share was made. */
  readonly openedMs: number;
  /** `connectionStatus` and `connectionDetail.code` while it was still watched. */
  readonly status: string;
  readonly code: string | null;
}

/** The backlog in the first playlist is not paced. */
const SETTLE_MS = 1_000;
const MAX_PACE = 1.15;
/** How late fetches are on a busy machine. */
const JITTER_SEC = 0.5;
/** Limit from the newest segment to the end of the watch. */
const MAX_STALE_MS = 2_500;
const LOUD = 1_000;
const QUIET = 50;
const MAX_QUOTED_CHARS = 160;
/** At the end, where frames exist whose B pictures do not. */
const MAX_REORDERED = 4;
/** Fraction of the frames in a case with losses. */
const MAX_TRACES = 0.25;
/** At the clip's beginning, where it starts again. */
const MAX_LOST_PICTURES = 50;

/** The findings about a case. */
export interface Judgement {
  readonly deviations: readonly string[];
  /** Frames that were decoded. */
  readonly pictures: number;
}

export async function judge(expectation: Expectation, evidence: Evidence): Promise<Judgement> {
  switch (expectation.kind) {
    case 'plays':
      return judgePlays(expectation, evidence);
    case 'plays-again':
      return { deviations: judgePlaysAgain(expectation, evidence), pictures: 0 };
    case 'refused':
      return { deviations: judgeRefused(expectation, evidence), pictures: 0 };
  }
}

async function judgePlays(expected: Plays, evidence: Evidence): Promise<Judgement> {
  const { watched, openedMs, status, code } = evidence;
  const { segments, firstAtMs, refusals } = watched;
  if (firstAtMs === null) return { deviations: [`no video; ${status} ${code ?? ''}`], pictures: 0 };
  const deviations: string[] = [];
  const startSec = (firstAtMs - openedMs) / 1_000;
  if (startSec > expected.startWithinSec) deviations.push(`first video after ${startSec.toFixed(1)} s`);
  if (refusals.size > 0) deviations.push(`refusals: ${textOf(refusals)}`);
  if (status !== 'GREEN') deviations.push(`state ${status} ${code ?? ''}`);
  const seams = segments.filter(({ isSeam }) => isSeam).length;
  if (seams > expected.maxSeams) deviations.push(`${seams} discontinuities`);
  const content = await judgeContent(expected, watched);
  deviations.push(...judgeTimes(expected, watched), ...content.deviations);
  return { deviations, pictures: content.pictures };
}

function judgeTimes(expected: Plays, { segments, inits, endMs, firstAtMs }: Watched): string[] {
  const deviations: string[] = [];
  const times = segments.map((segment) => mediaSec(segment, inits));
  const backwards = times.findIndex((time, index) => index > 0 && time <= times[index - 1]!);
  if (backwards > 0) deviations.push(`tfdt ${times[backwards]} after ${times[backwards - 1]}`);
  const from = segments.findLastIndex(({ atMs }) => atMs < firstAtMs! + SETTLE_MS);
  const last = segments.length - 1;
  const paced = from === last ? null : { from: segments[from]!, to: segments[last]! };
  const media = paced === null ? 0 : times[last]! - times[from]!;
  const wall = paced === null ? 1 : (paced.to.atMs - paced.from.atMs) / 1_000;
  if (media < wall * expected.minPace - JITTER_SEC || media > wall * MAX_PACE + JITTER_SEC)
    deviations.push(`${media.toFixed(1)} s of media in ${wall.toFixed(1)} s`);
  const longest = Math.max(...segments.map(({ durationSec }) => durationSec));
  const staleMs = endMs - segments[last]!.atMs;
  if (staleMs > MAX_STALE_MS + longest * 1_000) deviations.push(`nothing new for ${Math.round(staleMs)} ms`);
  return deviations;
}

function mediaSec(segment: WatchedSegment, inits: ReadonlyMap<string, Buffer>): number {
  const ticks = videoDecodeTime(segment.bytes);
  const init = inits.get(segment.map);
  return ticks === null || init === undefined ? Number.NaN : ticks / videoTimescaleHz(init);
}

async function judgeContent(expected: Plays, watched: Watched): Promise<Judgement> {
  const deviations: string[] = [];
  const pieces: Decoded[] = [];
  for (const piece of stretches(watched.segments)) {
    const init = watched.inits.get(piece[0]!.map);
    if (init === undefined) return { deviations: [`no init segment ${piece[0]!.map}`], pictures: 0 };
    pieces.push(await decode([init, ...piece.map(({ bytes }) => bytes)], expected.sound !== null));
  }
  const complaints = pieces.map((piece) => piece.complaints).join(' ');
  if (expected.isClean && complaints.trim() !== '')
    deviations.push(`decoder: ${complaints.slice(0, MAX_QUOTED_CHARS)}`);
  const numbers = pieces.flatMap((piece) => piece.numbers);
  if (numbers.length === 0) deviations.push('nothing decodes');
  if (expected.isNumbered)
    deviations.push(...judgeNumbers(numbers.slice(0, -MAX_REORDERED), expected.mayLose));
  if (expected.sound !== null) deviations.push(...judgeSound(expected.sound, pieces));
  return { deviations, pictures: numbers.length };
}

/** Parts that one decoder takes without a break, each from the start of a segment on. */
function stretches(segments: readonly WatchedSegment[]): WatchedSegment[][] {
  const result: WatchedSegment[][] = [];
  for (const segment of segments) {
    const current = result.at(-1);
    if (current === undefined || segment.isSeam || segment.map !== current[0]!.map) result.push([segment]);
    else current.push(segment);
  }
  return result;
}

/**
 * A clip starts again with 0 after its last frame. After a loss, traces of older numbers stay until the next key frame:
 * those may be misread now and then.
 */
function judgeNumbers(numbers: readonly (number | null)[], mayLose: boolean): string[] {
  const unreadable = numbers.filter((number) => number === null).length;
  if (unreadable > (mayLose ? numbers.length * MAX_TRACES : 0))
    return [`${unreadable} numbers cannot be read`];
  const wrong: string[] = [];
  let before: number | null = null;
  for (const number of numbers) {
    if (number === null) continue;
    const isNext = before === null || number === before + 1 || number === 0;
    const isFine = isNext || (mayLose && (number >= before! || number < MAX_LOST_PICTURES));
    if (!isFine) wrong.push(`picture ${number} after ${before}`);
    before = number;
  }
  return wrong.length > (mayLose ? numbers.length * MAX_TRACES : 0) ? [wrong.slice(0, 3).join(', ')] : [];
}

function judgeSound(sound: 'heard' | 'silent' | 'absent', pieces: readonly Decoded[]): string[] {
  const levels = pieces.map(({ loudest }) => loudest).filter((loudest) => loudest !== null);
  const loudest = Math.max(...levels, 0);
  if (sound === 'absent') return levels.length === 0 ? [] : ['an unexpected audio track'];
  if (levels.length === 0) return ['no audio track'];
  if (sound === 'silent') return loudest <= QUIET ? [] : [`audio level ${loudest} where silence is expected`];
  return loudest >= LOUD ? [] : [`audio level ${loudest}: nothing can be heard`];
}

function judgePlaysAgain(expected: PlaysAgain, { watched, openedMs, status, code }: Evidence): string[] {
  const { segments, firstAtMs, endMs, inits } = watched;
  if (firstAtMs === null) return [`no video; ${status} ${code ?? ''}`];
  const deviations: string[] = [];
  const startSec = (firstAtMs - openedMs) / 1_000;
  if (startSec > expected.startWithinSec) deviations.push(`first video after ${startSec.toFixed(1)} s`);
  const times = segments.map((segment) => mediaSec(segment, inits));
  const backwards = times.findIndex((time, index) => index > 0 && time <= times[index - 1]!);
  if (backwards > 0) deviations.push(`tfdt ${times[backwards]} after ${times[backwards - 1]}`);
  const arrivals = [...segments.map(({ atMs }) => atMs), endMs];
  const gapsSec = arrivals.slice(1).map((atMs, index) => (atMs - arrivals[index]!) / 1_000);
  const longestSec = Math.max(...gapsSec);
  if (longestSec > expected.withinSec) deviations.push(`no new segment for ${longestSec.toFixed(1)} s`);
  if (!segments.some(({ isSeam }) => isSeam)) deviations.push('no discontinuity: it never came back');
  return deviations;
}

function judgeRefused(expected: Refused, { watched, status, code }: Evidence): string[] {
  if (watched.firstAtMs !== null) return ['it plays'];
  const deviations: string[] = [];
  if (status !== 'RED') deviations.push(`state ${status}`);
  if (code === null || !expected.codes.includes(code)) deviations.push(`code ${code}`);
  return deviations;
}

function textOf(refusals: ReadonlyMap<string, number>): string {
  return [...refusals]
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ')
    .slice(0, MAX_QUOTED_CHARS);
}
