/** The archive of a sealed case, for those who have a link to it (docs/design/evidence.md#archives). */

import { sealedEntries } from '../../cases/case-archive.ts';
import { CASE_SEALS, CASES } from '../../cases/case-records.ts';
import { archiveSources } from '../../cases/evidence-services.ts';
import { GatewayError } from '../../core/errors.ts';
import type { RecordedMedia } from '../../playback/recorded-media.ts';
import type { SharedGroup } from '../../sharing/shared-group.ts';
import type { Store } from '../../store/store.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { isCaseWithheld } from './sealed-case.ts';
import { ZipArchive } from './zip-archive.ts';

/** null: the case is not sealed, or does not exist. Fails CASE_CHANGED, FILES_WITHHELD, and like RecordedMedia.read. */
export type OpenSealedArchive = (group: SharedGroup, media: RecordedMedia) => Promise<ZipArchive | null>;

export function sealedArchives(store: Pick<Store, 'resources' | 'cameras'>): OpenSealedArchive {
  return async (group, media) => {
    const { orgUuid } = group;
    const { caseUuid } = group.body;
    if (caseUuid === undefined) return null;
    const record = await store.resources.of(CASES).find(orgUuid, caseUuid);
    const seal = await store.resources.of(CASE_SEALS).find(orgUuid, caseUuid);
    if (record?.body.state !== 'sealed' || seal === null) return null;
    if (await isCaseWithheld(store, group, record)) throw new GatewayError(FRONT_DOOR_ERRORS.FILES_WITHHELD);
    const entries = await sealedEntries(archiveSources(store, media, orgUuid), record, seal.body);
    return new ZipArchive(
      entries.map(({ read, ...entry }) => ({
        ...entry,
        modifiedEpochMs: seal.createdAtMs,
        async *read(first, end) {
          for await (const bytes of read(first, end)) yield { buffers: [bytes], release: () => undefined };
        },
      })),
    );
  };
}
