/** Proximity tags: wearables that are detected nearby. The name is the resource's. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';

export interface ProximityTagBody {
  /** The reporter's name for it: unique within the organization only. */
  readonly tagUuid: Ruuid;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly policyUuid: Ruuid | null;
}

const PROXIMITY_TAGS: ResourceKind<ProximityTagBody> = resourceKind('proximityTag');
export type ProximityTag = Resource<ProximityTagBody>;

export interface ReportedTag {
  readonly uuid: Ruuid;
  readonly name: string;
  readonly description?: string;
  readonly policyUuid?: Ruuid;
}

/** Absent: not changed. */
export type TagChanges = { readonly name?: string } & Partial<Omit<ProximityTagBody, 'tagUuid'>>;

export interface ProximityTagsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class ProximityTags {
  readonly #tags: ResourceRepository<ProximityTagBody>;
  readonly #clock: ProximityTagsOptions['clock'];

  constructor({ store, clock }: ProximityTagsOptions) {
    this.#tags = store.resources.of(PROXIMITY_TAGS);
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<ProximityTag[]> {
    return this.#tags.list(orgUuid);
  }

  /** A known tag stays as it is. Resolves with how many were new. */
  async report(orgUuid: Ruuid, reported: readonly ReportedTag[]): Promise<number> {
    const nowMs = this.#clock.epochMs();
    const tags = new Map<Ruuid, ProximityTag>();
    for (const { uuid: tagUuid, name, description = null, policyUuid = null } of reported) {
      const uuid = proximityTagUuid(orgUuid, tagUuid);
      if (tags.has(uuid)) continue;
      const body = { tagUuid, description, imageUrl: null, policyUuid };
      const tag = { uuid, orgUuid, name, parentUuid: null, body, secret: null };
      tags.set(uuid, { ...tag, createdAtMs: nowMs, updatedAtMs: nowMs });
    }
    const changed = await this.#tags.changeAll(orgUuid, [...tags.keys()], (known, uuid) =>
      known === null ? tags.get(uuid)! : 'unchanged',
    );
    return changed.filter(({ before }) => before === null).length;
  }

  /** The stored tags, by their reported UUIDs; at most 1,000. */
  async reported(
    orgUuid: Ruuid,
    tagUuids: readonly Ruuid[],
  ): Promise<
    ReadonlyMap<Ruuid, { readonly uuid: Ruuid; readonly name: string } & Omit<ProximityTagBody, 'tagUuid'>>
  > {
    const uuids = [...new Set(tagUuids.map((tagUuid) => proximityTagUuid(orgUuid, tagUuid)))];
    const found = await this.#tags.changeAll(orgUuid, uuids, () => 'unchanged');
    return new Map(
      found.flatMap(({ before }) => {
        if (before === null) return [];
        const { tagUuid, ...body } = before.body;
        return [[tagUuid, { ...body, uuid: tagUuid, name: before.name }] as const];
      }),
    );
  }

  /** Fails PROXIMITY_TAG_NOT_FOUND, PROXIMITY_TAG_IMAGE_INVALID. */
  async update(orgUuid: Ruuid, tagUuid: Ruuid, { name, ...changes }: TagChanges): Promise<void> {
    const { imageUrl } = changes;
    await this.#tags.change(orgUuid, proximityTagUuid(orgUuid, tagUuid), (tag) => {
      if (tag === null) throw tagNotFound(tagUuid);
      return {
        ...tag,
        name: name ?? tag.name,
        body: {
          ...tag.body,
          ...changes,
          ...(imageUrl === undefined ? {} : { imageUrl: checkedUrl(imageUrl) }),
        },
        updatedAtMs: this.#clock.epochMs(),
      };
    });
  }

  /** Fails PROXIMITY_TAG_NOT_FOUND. */
  async remove(orgUuid: Ruuid, tagUuid: Ruuid): Promise<void> {
    if (!(await this.#tags.remove(orgUuid, proximityTagUuid(orgUuid, tagUuid)))) throw tagNotFound(tagUuid);
  }
}

function tagNotFound(tag: Ruuid): GatewayError {
  return new GatewayError(DEVICE_ERRORS.PROXIMITY_TAG_NOT_FOUND, { tag });
}

/** Reporters choose the UUIDs of tags, so two organizations can choose the same one. */
/** The record of a tag, by the UUID under which it is reported. */
export function proximityTagUuid(orgUuid: Ruuid, tagUuid: Ruuid): Ruuid {
  return deriveRuuid('proximity tag', `${orgUuid}\0${tagUuid}`);
}

/** Pages show it, so it must not be something that a browser would run. */
function checkedUrl(imageUrl: string | null): string | null {
  if (imageUrl === null || imageUrl === '') return null;
  if (!URL.canParse(imageUrl) || !/^https?:$/.test(new URL(imageUrl).protocol)) {
    throw new GatewayError(DEVICE_ERRORS.PROXIMITY_TAG_IMAGE_INVALID);
  }
  return imageUrl;
}
