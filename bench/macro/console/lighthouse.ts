/** Lighthouse on pages of the console, as a phone and as a desktop see them. */

import lighthouse, { desktopConfig, type Flags } from 'lighthouse';
import { median, type Row } from '../../report.ts';
import type { Measured } from '../console.ts';
import type { LiveConsole } from './live-console.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
type Category = (typeof CATEGORIES)[number];
type Scores = Readonly<Record<Category, number>>;

/** A metric below it lowers the performance noticeably. */
const LOW_METRIC = 0.9;
const DEVICES = ['phone', 'desktop'] as const;
/** Chromium loses the beginning of a trace now and then, and Lighthouse asks for another run. */
const LOST_TRACE = 'NO_NAVSTART';
const LOST_TRACES = 2;

export async function measureLighthouse(live: LiveConsole, rounds: number): Promise<Measured> {
  const rows: Row[] = [];
  const all: Scores[] = [];
  await live.browser.signOut();
  const pages = ['', '', 'shares', `cameras/${live.cameraUuid}`, 'system'];
  for (const [index, path] of pages.entries()) {
    if (index === 1) await live.signIn();
    const name = index === 0 ? 'sign-in' : path === '' ? 'cameras' : path.replace(/\/.*/, '/one');
    for (const device of DEVICES) {
      const runs: Scores[] = [];
      const notes = new Set<string>();
      for (let round = 0; round < rounds; round++) runs.push(await audit(live, path, device, notes));
      const scores = Object.fromEntries(
        CATEGORIES.map((category) => [category, median(runs.map((run) => run[category]))]),
      ) as Scores;
      all.push(scores);
      rows.push({ case: `Lighthouse, ${name}, ${device}`, ...scores, below: [...notes].join(' ') });
    }
  }
  const worst = (category: Category) => Math.min(...all.map((scores) => scores[category]));
  return {
    rows,
    figures: {
      lighthousePerformance: worst('performance'),
      lighthouseAccessibility: worst('accessibility'),
      lighthouseBestPractices: worst('best-practices'),
    },
  };
}

/** `notes`: gets what lowers the scores, with figures for the performance. */
async function audit(
  live: LiveConsole,
  path: string,
  device: (typeof DEVICES)[number],
  notes: Set<string>,
  lostTraces = 0,
): Promise<Scores> {
  const { browser, apiUrl } = live;
  const flags: Flags = {
    port: browser.port,
    logLevel: 'error',
    disableStorageReset: true,
    onlyCategories: [...CATEGORIES],
  };
  const config = device === 'desktop' ? desktopConfig : undefined;
  const result = await lighthouse(`${apiUrl}/console/${path}`, flags, config);
  if (result === undefined) throw new Error(`Lighthouse says nothing about ${path}`);
  const { categories, audits, runtimeError } = result.lhr;
  if (runtimeError?.code === LOST_TRACE && lostTraces < LOST_TRACES) {
    return audit(live, path, device, notes, lostTraces + 1);
  }
  if (runtimeError !== undefined) throw new Error(`${path}: ${runtimeError.message}`);
  for (const category of ['accessibility', 'best-practices'] as const) {
    for (const { id, weight } of categories[category]!.auditRefs) {
      const { score } = audits[id]!;
      if (weight > 0 && score !== null && score < 1) notes.add(id);
    }
  }
  for (const { id, weight, group } of categories.performance!.auditRefs) {
    const { score, displayValue = '' } = audits[id]!;
    const isLow = group === 'metrics' && weight > 0 && score !== null && score < LOW_METRIC;
    if (isLow) notes.add(`${id} ${displayValue.replaceAll('\u00A0', ' ')}`);
  }
  const percent = (category: Category) => Math.round((categories[category]?.score ?? 0) * 100);
  return Object.fromEntries(CATEGORIES.map((category) => [category, percent(category)])) as Scores;
}
