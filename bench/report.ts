/** How benchmarks report: a table for people, a JSON file for machines, and budgets that can fail a run. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** One measured case. Figures are medians unless the name says otherwise. */
export interface Row {
  readonly case: string;
  readonly [figure: string]: string | number;
}

export interface BenchResult {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Ratios and limits by name, which budgets check. */
  readonly figures: Readonly<Record<string, number>>;
}

export interface BenchOptions {
  /** Seconds instead of minutes: for CI. */
  readonly isShort: boolean;
}

/** At least, or at most. The file says for every budget how it was chosen and how to raise it. */
interface Budget {
  readonly min?: number;
  readonly max?: number;
  /** True: checked only if it was measured, because not every machine has the reference. */
  readonly isOptional?: boolean;
}

const RESULTS = join(import.meta.dirname, 'results');
const BUDGETS = join(import.meta.dirname, 'budgets.json');

export function printTable(result: BenchResult): void {
  const columns = [...new Set(result.rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...result.rows.map((row) => columns.map((column) => format(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  process.stdout.write(`\n${result.name}\n`);
  for (const row of cells) {
    const line = row.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!),
    );
    process.stdout.write(`  ${line.join('  ')}\n`);
  }
  for (const [name, value] of Object.entries(result.figures)) {
    process.stdout.write(`  ${name} = ${format(value)}\n`);
  }
}

/** Writes `bench/results/<name>.json` with the machine it ran on. */
export function writeResult(result: BenchResult, options: BenchOptions): string {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${result.name}.json`);
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
  };
  const at = new Date().toISOString();
  writeFileSync(file, `${JSON.stringify({ at, machine, isShort: options.isShort, ...result }, null, 2)}\n`);
  return file;
}

/** Sentences for every budget that `result` misses. */
export function brokenBudgets(result: BenchResult): string[] {
  const budgets: Record<string, Record<string, Budget>> = JSON.parse(readFileSync(BUDGETS, 'utf8'));
  const broken: string[] = [];
  for (const [figure, budget] of Object.entries(budgets[result.name] ?? {})) {
    const value = result.figures[figure];
    // NaN: of no values.
    if (value === undefined || Number.isNaN(value)) {
      if (!budget.isOptional) broken.push(`${result.name}: ${figure} was not measured`);
    } else if (budget.min !== undefined && value < budget.min) {
      broken.push(`${result.name}: ${figure} is ${format(value)}, budget at least ${budget.min}`);
    } else if (budget.max !== undefined && value > budget.max) {
      broken.push(`${result.name}: ${figure} is ${format(value)}, budget at most ${budget.max}`);
    }
  }
  return broken;
}

/** The smallest value that this share of the values does not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function format(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return value.toFixed(Math.abs(value) < 1 ? 3 : Math.abs(value) < 100 ? 2 : 0);
}
