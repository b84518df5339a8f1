/** The table of unit costs in the guide to scaling, from `bench/unit-costs.json`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface UnitCosts {
  readonly machine: string;
  readonly costs: readonly {
    readonly what: string;
    readonly value: number;
    readonly unit: string;
    /** The command that measured the cost. */
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
  const cells = [
    ['what', 'cost', 'from', 'written down'],
    ...costs.map(({ what, value, unit, command, date }) => [what, `${value} ${unit}`, command, date]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const [head, ...lines] = cells.map((row) => lineOf(row.map((cell, at) => cell.padEnd(widths[at]!))));
  const rule = lineOf(widths.map((width) => '-'.repeat(width)));
  return `Machine: ${machine}.\n\n${[head, rule, ...lines].join('\n')}`;
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
