/** Accepts reports of devices and other systems, batch by batch. */

import type { Clock } from '../core/clock.ts';
import { IneffectiveValues } from '../core/ineffective-values.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type Step, UnknownFields } from '../core/unknown-fields.ts';
import type { Store } from '../store/store.ts';
import { type IngestOutcome, ingestBatch } from './ingest-batch.ts';
import type { IngestKind } from './ingest-kind.ts';

export interface TakenBatch extends IngestOutcome {
  /** Sentences that name fields of rows that the kind does not know, and values that change nothing. */
  readonly remarks: readonly string[];
}

export class IngestService {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(parts: { readonly store: Store; readonly clock: Pick<Clock, 'epochMs'> }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
  }

  /** `placeOf`: what is shown before the name of a row's field. Fails like `ingestBatch`. */
  async take(
    kind: IngestKind,
    orgUuid: Ruuid,
    rows: readonly unknown[],
    placeOf: (index: number) => readonly Step[],
  ): Promise<TakenBatch> {
    const notes = { unknown: new UnknownFields(), ineffective: new IneffectiveValues(), placeOf };
    const context = { orgUuid, store: this.#store, nowMs: this.#clock.epochMs() };
    const outcome = await ingestBatch(kind, context, rows, notes);
    const { sentence } = notes.unknown;
    return {
      ...outcome,
      remarks: [...(sentence === null ? [] : [sentence]), ...notes.ineffective.sentences],
    };
  }
}
