/** What the link of a case shows: what its archive contains, and what proves it. Nothing of a case that is not sealed. */

import { ownFiles } from '../../cases/case-archive.ts';
import { CASE_SEALS, CASES, type Case, type SealBody } from '../../cases/case-records.ts';
import { VERIFY_PAGE_NAME } from '../../cases/manifest.ts';
import type { Clock } from '../../core/clock.ts';
import { fingerprintOf } from '../../evidence/certificate.ts';
import { type SharedGroup, showsUnmasked } from '../../sharing/shared-group.ts';
import { hasMasks } from '../../store/removed-masks.ts';
import type { Store } from '../../store/store.ts';
import { RecentReads, storeTurns } from './recent-reads.ts';
import { zipByteLength } from './zip-archive.ts';

/** A file of the archive with media; a clip of several cameras has several. */
export interface ShownCaseItem {
  /** '' if the camera was removed; null: a clip. */
  readonly camera: string | null;
  /** Epoch milliseconds; null: a clip. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly note: string;
  readonly files: number;
  readonly byteLength: number;
}

export interface ShownSeal {
  readonly number: string;
  readonly notes: string;
  readonly sealedAtMs: number;
  readonly sealedBy: string;
  /** SHA-256 of the certificate, hexadecimal. */
  readonly fingerprint: string;
  readonly archiveBytes: number;
  /** The archive shows what privacy masks cover, and the link may not. */
  readonly isWithheld: boolean;
  readonly items: readonly ShownCaseItem[];
}

/** As `manifest.json` has it. */
interface ReadManifest {
  readonly sealedAt: string;
  readonly sealedBy: string | null;
  readonly case: { readonly number: string; readonly notes: string };
  readonly items: readonly {
    readonly camera: { readonly name: string } | null;
    readonly from: string | null;
    readonly to: string | null;
    readonly note: string;
    readonly files: readonly { readonly name: string }[];
  }[];
}

export interface SealedCasesOptions {
  readonly store: Pick<Store, 'resources' | 'cameras'>;
  readonly clock: Pick<Clock, 'monoMs'>;
}

export class SealedCases {
  readonly #options: SealedCasesOptions;
  readonly #reads: RecentReads<ShownSeal | null>;
  readonly #lookups = storeTurns();

  constructor(options: SealedCasesOptions) {
    this.#options = options;
    this.#reads = new RecentReads(options.clock);
  }

  /** null: the case is not sealed. Rejects like the store, or with TOO_MANY_PAST_READS. */
  shown(group: SharedGroup): Promise<ShownSeal | null> {
    return this.#reads.get(group.uuid, () =>
      this.#lookups.run(async () => {
        const sealed = await this.#sealed(group);
        if (sealed === null) return null;
        const isWithheld = await isCaseWithheld(this.#options.store, group, sealed.record);
        return { ...shownSeal(sealed.seal), isWithheld };
      }),
    );
  }

  /** The HTML of the page that checks the archive. null and rejects like `shown`. */
  async verifyPage(group: SharedGroup): Promise<string | null> {
    const sealed = await this.#lookups.run(() => this.#sealed(group));
    return sealed?.seal.texts[VERIFY_PAGE_NAME] ?? null;
  }

  async #sealed({
    orgUuid,
    body: { caseUuid },
  }: SharedGroup): Promise<{ readonly record: Case; readonly seal: SealBody } | null> {
    const { resources } = this.#options.store;
    if (caseUuid === undefined) return null;
    const record = await resources.of(CASES).find(orgUuid, caseUuid);
    if (record?.body.state !== 'sealed') return null;
    const seal = await resources.of(CASE_SEALS).find(orgUuid, caseUuid);
    return seal === null ? null : { record, seal: seal.body };
  }
}

/** Recordings have no masks. Rejects like the store. */
export async function isCaseWithheld(
  store: Pick<Store, 'resources' | 'cameras'>,
  { orgUuid, body }: SharedGroup,
  { body: { items } }: Pick<Case, 'body'>,
): Promise<boolean> {
  if (showsUnmasked(body)) return false;
  for (const uuid of new Set(items.flatMap(({ cameraUuids }) => cameraUuids))) {
    if (await hasMasks(store, orgUuid, uuid, await store.cameras.find(orgUuid, uuid))) return true;
  }
  return false;
}

function shownSeal(seal: SealBody): Omit<ShownSeal, 'isWithheld'> {
  const { manifest, certificatePem, files } = seal;
  const { sealedAt, sealedBy, case: sealed, items } = JSON.parse(manifest) as ReadManifest;
  const bytes = new Map(files.map(({ name, byteLength }) => [name, byteLength]));
  const own = ownFiles(seal).map(([name, { length: byteLength }]) => ({ name, byteLength }));
  return {
    number: sealed.number,
    notes: sealed.notes,
    sealedAtMs: Date.parse(sealedAt),
    sealedBy: sealedBy ?? '',
    fingerprint: fingerprintOf(certificatePem),
    archiveBytes: zipByteLength([...own, ...files]),
    items: items.map(({ camera, from, to, note, files: named }) => ({
      camera: camera?.name ?? null,
      fromMs: from === null ? null : Date.parse(from),
      toMs: to === null ? null : Date.parse(to),
      note,
      files: named.length,
      byteLength: named.reduce((sum, { name }) => sum + (bytes.get(name) ?? 0), 0),
    })),
  };
}
