/** Groups of timelapses that are shared by link: what the API's calls for them do (docs/design/clips.md#timelapses). */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { SharedGroup } from '../sharing/shared-group.ts';
import type {
  GroupChangeRequest,
  NewGroupRequest,
  SharedGroupService,
} from '../sharing/shared-group-service.ts';
import { CLIP_ERRORS } from './errors.ts';
import type { ListedTimelapse, Timelapses } from './timelapses.ts';

/** A group, and those of its timelapses that still exist, in its order. */
export interface TimelapseGroup {
  readonly group: SharedGroup;
  readonly timelapses: readonly ListedTimelapse[];
}

export interface TimelapseGroupsOptions {
  readonly groups: SharedGroupService;
  readonly timelapses: Pick<Timelapses, 'list'>;
}

export class TimelapseGroups {
  readonly #options: TimelapseGroupsOptions;

  constructor(options: TimelapseGroupsOptions) {
    this.#options = options;
  }

  /** Fails TIMELAPSE_GROUP_EMPTY, SHARED_TIMELAPSE_NOT_FOUND, and like SharedGroupService.create. */
  async create(orgUuid: Ruuid, request: NewGroupRequest): Promise<SharedGroup> {
    const { groups, timelapses } = this.#options;
    if (request.itemUuids.length === 0) throw new GatewayError(CLIP_ERRORS.TIMELAPSE_GROUP_EMPTY);
    const known = new Set((await timelapses.list(orgUuid)).map(({ timelapse }) => timelapse.uuid));
    for (const [index, uuid] of request.itemUuids.entries()) {
      if (!known.has(uuid)) throw new GatewayError(CLIP_ERRORS.SHARED_TIMELAPSE_NOT_FOUND, { index });
    }
    return groups.create(orgUuid, 'timelapse', request);
  }

  /** Fails like SharedGroupService.update. */
  update(orgUuid: Ruuid, uuid: Ruuid, changes: GroupChangeRequest): Promise<SharedGroup> {
    return this.#options.groups.update(orgUuid, 'timelapse', uuid, changes);
  }

  /** Fails like SharedGroupService.remove. */
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    return this.#options.groups.remove(orgUuid, 'timelapse', uuid);
  }

  /** In creation order, including expired ones. */
  async list(orgUuid: Ruuid): Promise<TimelapseGroup[]> {
    const { groups, timelapses } = this.#options;
    const listed = new Map((await timelapses.list(orgUuid)).map((each) => [each.timelapse.uuid, each]));
    return (await groups.list(orgUuid, 'timelapse')).map((group) => ({
      group,
      timelapses: group.body.itemUuids.flatMap((uuid) => listed.get(uuid) ?? []),
    }));
  }

  /** The timelapses that a group shows, also one that has expired. */
  async shared(orgUuid: Ruuid): Promise<ReadonlySet<Ruuid>> {
    const groups = await this.#options.groups.list(orgUuid, 'timelapse');
    return new Set(groups.flatMap(({ body }) => body.itemUuids));
  }

  /** The page for viewers. */
  pageUrl(group: SharedGroup): string {
    return this.#options.groups.pageUrl(group);
  }
}
