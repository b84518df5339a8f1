/** Groups of clips that are shared by link: what the API's calls for them do (docs/design/access.md#shared-files). */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { alertClipUuid, mayReadClip, type SavedClip, type SavedClips } from '../events/saved-clips.ts';
import type { SharedGroup } from '../sharing/shared-group.ts';
import type {
  GroupChangeRequest,
  NewGroupRequest,
  SharedGroupService,
} from '../sharing/shared-group-service.ts';
import type { ResourceStore } from '../store/resource.ts';
import { CLIP_FILES, CLIP_JOBS } from './clip-records.ts';
import { CLIP_ERRORS } from './errors.ts';

/** A clip by its own UUID, or by that of the alert that was saved as it. */
export interface ClipReference {
  readonly clipUuid?: Ruuid;
  readonly alertUuid?: Ruuid;
}

export interface NewClipGroup extends Omit<NewGroupRequest, 'itemUuids'> {
  readonly clips: readonly ClipReference[];
}

/** A group, and those of its clips that still exist and that the reader may read, in its order. */
export interface ClipGroup {
  readonly group: SharedGroup;
  readonly clips: readonly SavedClip[];
}

export interface ClipGroupsOptions {
  readonly groups: SharedGroupService;
  readonly savedClips: SavedClips;
  readonly resources: ResourceStore;
}

/** Long enough for a slow network to begin; a running download ends with it. */
const DOWNLOAD_SEC = 3_600;

export class ClipGroups {
  readonly #options: ClipGroupsOptions;

  constructor(options: ClipGroupsOptions) {
    this.#options = options;
  }

  /**
   * Fails SHARED_CLIP_NOT_FOUND, also for a clip that the reader may not read, SHARED_CLIP_WITHOUT_VIDEO, and like
   * SharedGroupService.create. A clip may still be in the making, or have failed: its job can be run again.
   */
  async create(orgUuid: Ruuid, { clips, ...request }: NewClipGroup, reader: Ruuid): Promise<SharedGroup> {
    const itemUuids: Ruuid[] = [];
    for (const [index, reference] of clips.entries()) {
      itemUuids.push(await this.#shareable(orgUuid, reference, index, reader));
    }
    return this.#options.groups.create(orgUuid, 'clip', { ...request, itemUuids });
  }

  /** A group that no list contains, for one download of its clips. Fails like `create`. */
  async createDownload(
    orgUuid: Ruuid,
    { clips, title = null, description = null }: Pick<NewClipGroup, 'clips' | 'title' | 'description'>,
    reader: Ruuid,
  ): Promise<SharedGroup> {
    const { groups } = this.#options;
    await groups.removeEndedDownloads(orgUuid, 'clip');
    const itemUuids: Ruuid[] = [];
    for (const [index, reference] of clips.entries()) {
      itemUuids.push(await this.#shareable(orgUuid, reference, index, reader));
    }
    const wanted = {
      title,
      description,
      itemUuids,
      expirationTimeSecs: DOWNLOAD_SEC,
      isDownload: true,
    } as const;
    return groups.create(orgUuid, 'clip', wanted);
  }

  /** From where the files of the group can be saved, if it has no password. */
  downloadUrl(group: SharedGroup): string {
    return `${this.pageUrl(group)}/download`;
  }

  /** Fails like SharedGroupService.update. */
  update(orgUuid: Ruuid, uuid: Ruuid, changes: GroupChangeRequest): Promise<SharedGroup> {
    return this.#options.groups.update(orgUuid, 'clip', uuid, changes);
  }

  /** Fails like SharedGroupService.remove. */
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    return this.#options.groups.remove(orgUuid, 'clip', uuid);
  }

  /** Fails GROUP_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid, reader: Ruuid): Promise<ClipGroup> {
    const group = await this.#options.groups.find(orgUuid, 'clip', uuid);
    return (await this.#withClips(orgUuid, [group], reader))[0]!;
  }

  /** Those created from `fromMs` to before `toMs`, in that order, including expired ones. */
  async list(orgUuid: Ruuid, fromMs: number, toMs: number, reader: Ruuid): Promise<ClipGroup[]> {
    const groups = await this.#options.groups.list(orgUuid, 'clip');
    return this.#withClips(
      orgUuid,
      groups.filter(
        ({ createdAtMs, body }) => createdAtMs >= fromMs && createdAtMs < toMs && body.isDownload !== true,
      ),
      reader,
    );
  }

  /** The page for viewers. */
  pageUrl(group: SharedGroup): string {
    return this.#options.groups.pageUrl(group);
  }

  async #shareable(
    orgUuid: Ruuid,
    { clipUuid, alertUuid }: ClipReference,
    index: number,
    reader: Ruuid,
  ): Promise<Ruuid> {
    const { savedClips, resources } = this.#options;
    const uuid = clipUuid ?? (alertUuid === undefined ? null : alertClipUuid(orgUuid, alertUuid));
    const clip = uuid === null ? null : await savedClips.known(orgUuid, uuid);
    if (clip === null || !mayReadClip(clip.body, reader))
      throw new GatewayError(CLIP_ERRORS.SHARED_CLIP_NOT_FOUND, { index });
    // Those that were only reported have their video elsewhere.
    const job = await resources.of(CLIP_JOBS).find(orgUuid, clip.uuid);
    const files = job === null ? await resources.of(CLIP_FILES).listByParent(orgUuid, clip.uuid) : [];
    if (job === null && files.length === 0) {
      throw new GatewayError(CLIP_ERRORS.SHARED_CLIP_WITHOUT_VIDEO, { index });
    }
    return clip.uuid;
  }

  async #withClips(orgUuid: Ruuid, groups: readonly SharedGroup[], reader: Ruuid): Promise<ClipGroup[]> {
    const clips = await this.#options.savedClips.knownAll(
      orgUuid,
      groups.flatMap(({ body }) => body.itemUuids),
    );
    return groups.map((group) => ({
      group,
      clips: group.body.itemUuids
        .flatMap((uuid) => clips.get(uuid) ?? [])
        .filter(({ body }) => mayReadClip(body, reader)),
    }));
  }
}
