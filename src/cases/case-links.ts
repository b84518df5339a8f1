/** Links to the archive of a sealed case: shared groups whose only item is the case. docs/design/evidence.md#archives. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { SharedGroup } from '../sharing/shared-group.ts';
import type { NewGroupRequest, SharedGroupService } from '../sharing/shared-group-service.ts';
import { seeingAll } from '../store/acting-view.ts';
import type { Cases } from './cases.ts';
import { CASE_ERRORS } from './errors.ts';

export interface CaseLinksOptions {
  readonly cases: Pick<Cases, 'expectAll'>;
  readonly groups: CaseGroups;
}

export type CaseGroups = Pick<
  SharedGroupService,
  'create' | 'list' | 'remove' | 'removeEndedDownloads' | 'pageUrl'
>;

/** As long as that of clips. */
const DOWNLOAD_SEC = 3_600;

export class CaseLinks {
  readonly #options: CaseLinksOptions;

  constructor(options: CaseLinksOptions) {
    this.#options = options;
  }

  /** Fails CASE_NOT_FOUND, CASE_HAS_HIDDEN_ITEMS, and like SharedGroupService.create. */
  async create(
    orgUuid: Ruuid,
    caseUuid: Ruuid,
    terms: Pick<NewGroupRequest, 'password' | 'expirationTimeSecs' | 'isDownload' | 'showsUnmasked'>,
  ): Promise<SharedGroup> {
    const { cases, groups } = this.#options;
    const { record } = await cases.expectAll(orgUuid, caseUuid);
    return groups.create(orgUuid, 'clip', {
      ...terms,
      title: record.name,
      itemUuids: [caseUuid],
      caseUuid,
    });
  }

  /** For one download by the person who creates it. Fails CASE_NOT_SEALED, and like `create`. */
  async createDownload(orgUuid: Ruuid, caseUuid: Ruuid): Promise<SharedGroup> {
    const { cases, groups } = this.#options;
    const { record } = await cases.expectAll(orgUuid, caseUuid);
    if (record.body.state !== 'sealed') throw new GatewayError(CASE_ERRORS.CASE_NOT_SEALED);
    await groups.removeEndedDownloads(orgUuid, 'clip');
    // The organization's own callers see all of the picture.
    const terms = { expirationTimeSecs: DOWNLOAD_SEC, isDownload: true, showsUnmasked: true } as const;
    return this.create(orgUuid, caseUuid, terms);
  }

  /** Without downloads, the oldest first. Fails CASE_NOT_FOUND, CASE_HAS_HIDDEN_ITEMS. */
  async list(orgUuid: Ruuid, caseUuid: Ruuid): Promise<SharedGroup[]> {
    const { cases, groups } = this.#options;
    await cases.expectAll(orgUuid, caseUuid);
    const all = await groups.list(orgUuid, 'clip');
    return all.filter(({ body }) => body.caseUuid === caseUuid && body.isDownload !== true);
  }

  /** The page for recipients. */
  pageUrl(group: SharedGroup): string {
    return this.#options.groups.pageUrl(group);
  }
}

/** Ends views and downloads by all links of the case, also those that the caller cannot list. Fails like SharedGroupService.remove. */
export async function endCaseLinks(
  groups: Pick<CaseGroups, 'list' | 'remove'>,
  orgUuid: Ruuid,
  caseUuid: Ruuid,
): Promise<void> {
  await seeingAll(async () => {
    for (const { uuid, body } of await groups.list(orgUuid, 'clip')) {
      if (body.caseUuid === caseUuid) await groups.remove(orgUuid, 'clip', uuid);
    }
  });
}
