/** Creating, changing and removing shared groups of files: the rules behind the API's calls for clips and timelapses. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { withoutTrailingSlashes } from '../core/trailing-slashes.ts';
import { type LinkEndRequest, laterThan } from '../store/access-end.ts';
import { waitingBriefly, waitingBrieflyIf } from '../store/brief-waits.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import { changedRules, endWithoutStore } from './end-without-store.ts';
import { SHARING_ERRORS } from './errors.ts';
import { hashIfGiven, type Passwords } from './password.ts';
import { expiryOf, FIRST_ACCESS_EPOCH } from './share-service.ts';
import type { ShareTokens } from './share-token.ts';
import {
  SHARED_GROUPS,
  type SharedFileKind,
  type SharedGroup,
  type SharedGroupBody,
} from './shared-group.ts';

/** The fields of a request; null and absent are the same. */
export interface NewGroupRequest {
  readonly title?: string | null;
  readonly description?: string | null;
  /** Each exists, and is of the kind of the group. */
  readonly itemUuids: readonly Ruuid[];
  /** Blank: none. */
  readonly password?: string | null;
  /** Below 10^9: seconds from now; otherwise an epoch second. */
  readonly expirationTimeSecs?: number | null;
  /** As in SharedGroupBody. */
  readonly isDownload?: true;
  readonly caseUuid?: Ruuid;
  readonly showsUnmasked?: boolean;
}

/** Absent fields stay as they are; null removes a password or an expiration. */
export type GroupChangeRequest = Partial<
  Omit<NewGroupRequest, 'itemUuids' | 'isDownload' | 'caseUuid' | 'showsUnmasked'>
>;

export interface SharedGroupServiceOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly rules: AccessRules;
  readonly passwords: Passwords;
  /** ShareTokens.forGroups. */
  readonly tokens: ShareTokens;
  readonly clock: Clock;
  /** Base of the media listener as viewers reach it. */
  readonly publicMediaUrl: string;
}

/** Per kind and organization. */
export const MAX_SHARED_GROUPS = LIMITS.sharedGroups.perOrganization;
/** The most items on one page. */
export const MAX_GROUP_ITEMS = 100;
export const MAX_GROUP_TITLE_CHARS = 256;
export const MAX_GROUP_DESCRIPTION_CHARS = 4_096;

export class SharedGroupService {
  readonly #options: SharedGroupServiceOptions;
  readonly #mediaUrl: string;
  /** Rules learn about a group's changes in the order in which they were stored. */
  readonly #turns = new KeyedLock();

  constructor(options: SharedGroupServiceOptions) {
    this.#options = options;
    this.#mediaUrl = withoutTrailingSlashes(options.publicMediaUrl);
  }

  /**
   * Fails with GROUP_EMPTY, GROUP_TOO_LARGE, SHARE_EXPIRY_INVALID, SHARE_PASSWORD_TOO_LONG, TOO_MANY_SHARED_GROUPS. An
   * item that is named twice counts once.
   */
  async create(orgUuid: Ruuid, kind: SharedFileKind, request: NewGroupRequest): Promise<SharedGroup> {
    const { rules, clock, passwords } = this.#options;
    const nowEpochMs = clock.epochMs();
    const itemUuids = [...new Set(request.itemUuids)];
    if (itemUuids.length === 0) throw new GatewayError(SHARING_ERRORS.GROUP_EMPTY);
    if (itemUuids.length > MAX_GROUP_ITEMS) throw tooLarge('items', MAX_GROUP_ITEMS);
    const group: SharedGroup = {
      uuid: newRuuid(),
      orgUuid,
      name: titleOf(request.title),
      parentUuid: null,
      secret: null,
      body: {
        kind,
        description: descriptionOf(request.description),
        itemUuids,
        expiresAtSec: expiryOf(request.expirationTimeSecs, nowEpochMs),
        passwordHash: await hashIfGiven(passwords, request.password),
        accessEpoch: FIRST_ACCESS_EPOCH,
        ...(request.isDownload === undefined ? {} : { isDownload: true }),
        ...(request.showsUnmasked === true ? { showsUnmasked: true } : {}),
        ...(request.caseUuid === undefined ? {} : { caseUuid: request.caseUuid }),
      },
      createdAtMs: nowEpochMs,
      updatedAtMs: nowEpochMs,
    };
    await this.#of(kind).change(orgUuid, group.uuid, () => group, {
      atMost: MAX_SHARED_GROUPS,
      within: 'organization',
      full: () => new GatewayError(SHARING_ERRORS.TOO_MANY_SHARED_GROUPS, { limit: MAX_SHARED_GROUPS }),
    });
    await rules.applied({ kind: 'group', uuid: group.uuid, record: group });
    return group;
  }

  /**
   * A changed or removed password ends every running view and download before this resolves. Fails with GROUP_NOT_FOUND,
   * and like `create`.
   */
  async update(
    orgUuid: Ruuid,
    kind: SharedFileKind,
    uuid: Ruuid,
    changes: GroupChangeRequest,
  ): Promise<SharedGroup> {
    const { rules, clock, passwords } = this.#options;
    const { title, description, password, expirationTimeSecs } = changes;
    const nowEpochMs = clock.epochMs();
    const changed: Partial<SharedGroupBody> = {
      ...(description === undefined ? {} : { description: descriptionOf(description) }),
      ...(expirationTimeSecs === undefined ? {} : { expiresAtSec: expiryOf(expirationTimeSecs, nowEpochMs) }),
      ...(password === undefined ? {} : { passwordHash: await hashIfGiven(passwords, password) }),
    };
    const name = title === undefined ? {} : { name: titleOf(title) };
    return this.#turns.run(uuid, async () => {
      const decide = (known: SharedGroup | null): SharedGroup => {
        if (known === null) throw notFound(uuid);
        const accessEpoch = known.body.accessEpoch + (password === undefined ? 0 : 1);
        return {
          ...known,
          ...name,
          body: { ...known.body, ...changed, accessEpoch },
          updatedAtMs: laterThan(known, nowEpochMs),
        };
      };
      const storeChange = async () => {
        await rules.storeEnds(uuid);
        // The change may end access.
        return this.#of(kind).change(orgUuid, uuid, decide, undefined, 'vital');
      };
      try {
        const { after } = await waitingBrieflyIf(isOfRulesAlone(changes), storeChange);
        if (after === null) throw notFound(uuid);
        await rules.applied({ kind: 'group', uuid, record: after });
        return after;
      } catch (thrown) {
        return this.#endBy(orgUuid, uuid, changes, changed, thrown);
      }
    });
  }

  /** A password or an earlier expiration does not wait for the store. Fails with `thrown`, and like `endWithoutStore`. */
  async #endBy(
    orgUuid: Ruuid,
    uuid: Ruuid,
    changes: GroupChangeRequest,
    stored: Partial<SharedGroupBody>,
    thrown: unknown,
  ): Promise<SharedGroup> {
    if (!isOfRulesAlone(changes)) throw thrown;
    const rules = changedRules(changes, stored);
    const request: LinkEndRequest = { kind: 'rules', of: 'group', uuid, rules };
    const group = await endWithoutStore<SharedGroup>(this.#options.rules, orgUuid, request, thrown);
    if (group === null) throw notFound(uuid);
    return group;
  }

  /**
   * Its viewers are cut off before this resolves; the files stay. Fails with GROUP_NOT_FOUND, and
   * like `endWithoutStore`.
   */
  async remove(orgUuid: Ruuid, kind: SharedFileKind, uuid: Ruuid): Promise<void> {
    const { rules } = this.#options;
    await this.#turns.run(uuid, async () => {
      const isRemoved = await waitingBriefly(() => this.#of(kind).remove(orgUuid, uuid)).catch(
        (thrown: unknown) => this.#end(orgUuid, uuid, thrown),
      );
      if (!isRemoved) throw notFound(uuid);
      if (isRemoved !== 'not-stored') await rules.applied({ kind: 'group', uuid, record: null });
    });
  }

  async #end(orgUuid: Ruuid, uuid: Ruuid, thrown: unknown): Promise<'not-stored'> {
    await endWithoutStore(this.#options.rules, orgUuid, { kind: 'link', uuid }, thrown);
    return 'not-stored';
  }

  /** Groups for downloads that have ended. */
  async removeEndedDownloads(orgUuid: Ruuid, kind: SharedFileKind): Promise<void> {
    const nowSec = this.#options.clock.epochMs() / 1_000;
    for (const { uuid, body } of await this.list(orgUuid, kind)) {
      const hasEnded = body.isDownload === true && (body.expiresAtSec ?? 0) <= nowSec;
      if (hasEnded) await this.remove(orgUuid, kind, uuid);
    }
  }

  /** Fails with GROUP_NOT_FOUND. */
  async find(orgUuid: Ruuid, kind: SharedFileKind, uuid: Ruuid): Promise<SharedGroup> {
    const group = await this.#of(kind).find(orgUuid, uuid);
    if (group === null) throw notFound(uuid);
    return group;
  }

  /** In creation order, including expired ones. */
  list(orgUuid: Ruuid, kind: SharedFileKind): Promise<SharedGroup[]> {
    return this.#of(kind).list(orgUuid);
  }

  /** The page for viewers. */
  pageUrl(group: Pick<SharedGroup, 'uuid'>): string {
    return `${this.#mediaUrl}/clips/${this.#options.tokens.tokenOf(group.uuid)}`;
  }

  #of(kind: SharedFileKind): ResourceRepository<SharedGroupBody> {
    return this.#options.store.resources.of(SHARED_GROUPS[kind]);
  }
}

function titleOf(title: string | null | undefined): string {
  const trimmed = title?.trim() ?? '';
  if (trimmed.length > MAX_GROUP_TITLE_CHARS) throw tooLarge('title', MAX_GROUP_TITLE_CHARS);
  return trimmed;
}

function descriptionOf(description: string | null | undefined): string {
  const trimmed = description?.trim() ?? '';
  if (trimmed.length > MAX_GROUP_DESCRIPTION_CHARS)
    throw tooLarge('description', MAX_GROUP_DESCRIPTION_CHARS);
  return trimmed;
}

function tooLarge(part: 'title' | 'description' | 'items', limit: number): GatewayError {
  return new GatewayError(SHARING_ERRORS.GROUP_TOO_LARGE, { part, limit });
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(SHARING_ERRORS.GROUP_NOT_FOUND, { group: uuid });
}

/** Whether a change concerns nothing but the password and the expiration. */
function isOfRulesAlone({ title, description }: GroupChangeRequest): boolean {
  return title === undefined && description === undefined;
}
