/** The table of unit costs in the guide to scaling, from `bench/unit-costs.json`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface UnitCosts {
  readonly machine: string;
  readonly costs: readonly {
    readonly what: string;
    readonly value: number;
    readonly unit: string;
    /** What measured it. */
    readonly command: string;
    readonly date: string;
  }[];
}

const BEGIN = '<!-- unit costs: generated from bench/unit-costs.json -->\n';
const END = '<!-- end of unit costs -->';

/** `docs/guide/scaling.md` with its table as it should be. Throws if the page does not mark where the table is. */
export function renderScalingGuide(root: string): string {
  const page = readFileSync(join(root, 'docs/guide/scaling.md'), 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('docs/guide/scaling.md does not mark where its table is');
  const costs: UnitCosts = JSON.parse(readFileSync(join(root, 'bench/unit-costs.json'), 'utf8'));
  return `${page.slice(0, begin + BEGIN.length)}\n${tableOf(costs)}\n\n${page.slice(end)}`;
}

function tableOf({ machine, costs }: UnitCosts): string {
  const rows = costs.map(
    ({ what, value, unit, command, date }) => `| ${what} | ${value} ${unit} | ${command} | ${date} |`,
  );
  const head = ['| what | cost | from | written down |', '| --- | --- | --- | --- |'];
  return `Machine: ${machine}.\n\n${[...head, ...rows].join('\n')}`;
}
