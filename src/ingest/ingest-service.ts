/** Accepts reports of devices and other systems, batch by batch. */

import type { Clock } from '../core/clock.ts';
import { IneffectiveValues } from '../core/ineffective-values.ts';
import { SlicedWork, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { type Step, UnknownFields } from '../core/unknown-fields.ts';
import type { Store } from '../store/store.ts';
import { type IngestOutcome, ingestBatch } from './ingest-batch.ts';
import type { IngestKind } from './ingest-kind.ts';
import { IngestRate, type Reporter } from './ingest-rate.ts';

export interface TakenBatch extends IngestOutcome {
  /** Sentences that name fields of rows that the kind does not know, and values that change nothing. */
  readonly remarks: readonly string[];
}

export class IngestService {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #rate: IngestRate;

  constructor(parts: { readonly store: Store; readonly clock: Pick<Clock, 'epochMs' | 'monoMs'> }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#rate = new IngestRate(parts.clock);
  }

  /** `placeOf`: what is shown before the name of a row's field. Fails INGEST_RATE_LIMITED, or like `ingestBatch`. */
  async take(
    kind: IngestKind,
    reporter: Reporter,
    rows: readonly unknown[],
    placeOf: (index: number) => readonly Step[],
  ): Promise<TakenBatch> {
    this.#rate.take(reporter, { rows: rows.length, bytes: await jsonBytes(rows) });
    const notes = { unknown: new UnknownFields(), ineffective: new IneffectiveValues(), placeOf };
    const { orgUuid, credentialUuid: reporterUuid } = reporter;
    const context = { orgUuid, reporterUuid, store: this.#store, nowMs: this.#clock.epochMs() };
    const outcome = await ingestBatch(kind, context, rows, notes);
    const { sentence } = notes.unknown;
    return {
      ...outcome,
      remarks: [...(sentence === null ? [] : [sentence]), ...notes.ineffective.sentences],
    };
  }
}

/** About what the rows took in the request. */
async function jsonBytes(rows: readonly unknown[]): Promise<number> {
  const work = new SlicedWork();
  let bytes = 0;
  if (rows.length > STEPS_PER_SLICE) await work.pause();
  for (const row of rows) {
    bytes += JSON.stringify(row)?.length ?? 0;
    if (work.step()) await work.pause();
  }
  return bytes;
}
