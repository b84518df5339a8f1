/**
 * Imports rows from JSON lines: each line has `kind` in addition to the fields of a row. Rows are gathered into
 * batches by kind. Kinds refer to each other (events to doors), so as soon as one batch is full, all batches are
 * stored, in the order of the kinds: those that others refer to come first.
 */

import { IneffectiveValues } from '../core/ineffective-values.ts';
import { UnknownFields } from '../core/unknown-fields.ts';
import { ingestBatch, MAX_INGEST_ROWS } from './ingest-batch.ts';
import type { IngestContext, IngestKind } from './ingest-kind.ts';
import type { JsonLine } from './json-lines.ts';

export interface ImportTotals {
  readonly lines: number;
  readonly accepted: number;
  readonly duplicates: number;
  /** Lines that changed records stored before. */
  readonly updates: number;
  readonly rejected: number;
}

export interface LineProblem {
  readonly lineNumber: number;
  readonly reason: string;
}

export interface ImportOptions {
  readonly lines: AsyncIterable<JsonLine>;
  /** Kinds that others refer to come first. */
  readonly kinds: readonly IngestKind[];
  readonly context: IngestContext;
  /** Called after every batch. */
  onProgress(totals: ImportTotals): void;
  onProblem(problem: LineProblem): void;
  /** Called at the end with the fields that no kind knows, and the values that change nothing. */
  onWarning(sentence: string): void;
}

/** Resolves with the totals for the file. Fails like the store; rows stored until then remain. */
export async function importLines(options: ImportOptions): Promise<ImportTotals> {
  const run = new ImportRun(options);
  for await (const line of options.lines) await run.take(line);
  await run.flush();
  run.warn();
  return run.totals;
}

interface GatheredRow {
  readonly lineNumber: number;
  readonly row: unknown;
}

class ImportRun {
  readonly #options: ImportOptions;
  /** In the order in which they are stored. */
  readonly #gathered: ReadonlyMap<string, { readonly kind: IngestKind; readonly rows: GatheredRow[] }>;
  readonly #unknown = new UnknownFields();
  readonly #ineffective = new IneffectiveValues();
  #totals: ImportTotals = { lines: 0, accepted: 0, duplicates: 0, updates: 0, rejected: 0 };

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#gathered = new Map(options.kinds.map((kind) => [kind.name, { kind, rows: [] }]));
  }

  get totals(): ImportTotals {
    return this.#totals;
  }

  async take(line: JsonLine): Promise<void> {
    this.#totals = { ...this.#totals, lines: this.#totals.lines + 1 };
    if ('problem' in line) {
      this.#reject(line.lineNumber, line.problem);
      return;
    }
    const { value, lineNumber } = line;
    const name = typeof value === 'object' && value !== null ? (value as { kind?: unknown }).kind : undefined;
    const batch = typeof name === 'string' ? this.#gathered.get(name) : undefined;
    if (batch === undefined) {
      this.#reject(lineNumber, `kind must be one of ${[...this.#gathered.keys()].join(', ')}.`);
      return;
    }
    const { kind: _kind, ...row } = value as { kind?: unknown };
    batch.rows.push({ lineNumber, row });
    if (batch.rows.length === MAX_INGEST_ROWS) await this.flush();
  }

  async flush(): Promise<void> {
    for (const { kind, rows } of this.#gathered.values()) {
      if (rows.length > 0) await this.#store(kind, rows.splice(0));
    }
  }

  warn(): void {
    if (this.#unknown.sentence !== null) this.#options.onWarning(this.#unknown.sentence);
    for (const sentence of this.#ineffective.sentences) this.#options.onWarning(sentence);
  }

  async #store(kind: IngestKind, rows: readonly GatheredRow[]): Promise<void> {
    const values = rows.map(({ row }) => row);
    const outcome = await ingestBatch(kind, this.#options.context, values, {
      unknown: this.#unknown,
      ineffective: this.#ineffective,
      placeOf: () => [kind.name],
    });
    this.#totals = {
      ...this.#totals,
      accepted: this.#totals.accepted + outcome.acceptedCount,
      duplicates: this.#totals.duplicates + outcome.duplicateCount,
      updates: this.#totals.updates + outcome.updates.length,
    };
    for (const { index, reason } of outcome.conflicts) {
      this.#options.onProblem({ lineNumber: rows[index]!.lineNumber, reason });
    }
    for (const { index, reason } of outcome.rejected) this.#reject(rows[index]!.lineNumber, reason);
    this.#options.onProgress(this.#totals);
  }

  #reject(lineNumber: number, reason: string): void {
    this.#totals = { ...this.#totals, rejected: this.#totals.rejected + 1 };
    this.#options.onProblem({ lineNumber, reason });
  }
}
