/**
 * `console`: the speed of the page for people. Lighthouse on a phone and on a desktop; the size of a first visit, and when
 * it can be used on a phone whose processor is slowed; how fast lists of 1,000 cameras and 10,000 shares open, sort, filter, and scroll,
 * next to an empty page that scrolls in the same run; and whether a wall of 16 live tiles drops frames.
 */

import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { measureFirstVisit } from './console/first-visit.ts';
import { measureLighthouse } from './console/lighthouse.ts';
import { measureListWork } from './console/list-work.ts';
import { measureLists } from './console/lists.ts';
import { LiveConsole } from './console/live-console.ts';
import { ManyConsole } from './console/many-console.ts';
import { measureWall } from './console/wall.ts';

/** Results of one part of the benchmark. */
export interface Measured {
  readonly rows: readonly Row[];
  readonly figures: Readonly<Record<string, number>>;
}

const SHORT = { rounds: 2, scrollSec: 2, wallSec: 10 };
const LONG = { rounds: 7, scrollSec: 5, wallSec: 60 };

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const parts: Measured[] = [];
  const live = await LiveConsole.open();
  try {
    parts.push(await measureWall(live, scale.wallSec));
    parts.push(await measureFirstVisit(live, scale.rounds));
    parts.push(await measureLighthouse(live, isShort ? 1 : 3));
  } finally {
    await live.close();
  }
  const many = await ManyConsole.open();
  try {
    parts.push(await measureLists(many, scale));
    parts.push(await measureListWork(many, scale));
  } finally {
    await many.close();
  }
  return {
    name: 'console',
    rows: parts.flatMap(({ rows }) => rows),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Record<string, number>,
  };
}
