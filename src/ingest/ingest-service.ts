/** Accepts reports of devices and other systems, batch by batch. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { IneffectiveValues } from '../core/ineffective-values.ts';
import { SlicedWork, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { type Step, UnknownFields } from '../core/unknown-fields.ts';
import type { Store } from '../store/store.ts';
import type { DiskRoom } from './disk-room.ts';
import { INGEST_ERRORS } from './errors.ts';
import { type IngestOutcome, ingestBatch } from './ingest-batch.ts';
import type { IngestKind } from './ingest-kind.ts';
import { IngestRate, type Reporter } from './ingest-rate.ts';

export interface TakenBatch extends IngestOutcome {
  /** Sentences that name fields of rows that the kind does not know, and values that change nothing. */
  readonly remarks: readonly string[];
}

export interface IngestServiceParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'epochMs' | 'monoMs'>;
  /** Room on the disk that reports fill; absent: it is checked elsewhere. */
  readonly diskRoom?: Pick<DiskRoom, 'hasRoom'> | undefined;
}

export class IngestService {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #rate: IngestRate;
  readonly #room: Pick<DiskRoom, 'hasRoom'> | null;

  constructor(parts: IngestServiceParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#rate = new IngestRate(parts.clock);
    this.#room = parts.diskRoom ?? null;
  }

  /** `placeOf`: the text before the name of a row's field. Fails INGEST_RATE_LIMITED, INGEST_NO_ROOM, or like `ingestBatch`. */
  async take(
    kind: IngestKind,
    reporter: Reporter,
    rows: readonly unknown[],
    placeOf: (index: number) => readonly Step[],
  ): Promise<TakenBatch> {
    if (this.#room !== null && !(await this.#room.hasRoom())) {
      throw new GatewayError(INGEST_ERRORS.INGEST_NO_ROOM, { retryAfterSec: 30 });
    }
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
