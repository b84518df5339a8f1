/** The viewers at all nodes, and the number of nodes of each: a viewer joins with the first node, and leaves with the last. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { AudienceMedia } from './viewer-messages.ts';

/** A viewer came (`CREATE`) or went, at the first or last of all nodes. */
export interface ClusterViewerChange extends AudienceMedia {
  readonly type: 'CREATE' | 'DELETE';
  readonly viewerId: string;
  /** How many the link then has, as `countOfLink` says; 0 without a link. */
  readonly viewers: number;
}

interface Audience {
  readonly media: AudienceMedia;
  /** At how many nodes each viewer is. */
  readonly viewers: Map<string, number>;
}

export class ViewerBoard {
  readonly #audiences = new Map<Ruuid, Audience>();
  /** By the share of a wall: the audiences of its cameras. */
  readonly #walls = new Map<Ruuid, Set<Ruuid>>();
  readonly #onChange: (change: ClusterViewerChange) => void;

  /** `onChange` must not throw. */
  constructor(onChange: (change: ClusterViewerChange) => void) {
    this.#onChange = onChange;
  }

  /** The viewers of an audience. */
  count(audienceUuid: Ruuid): number {
    return this.#audiences.get(audienceUuid)?.viewers.size ?? 0;
  }

  /** The viewers of a share. For a wall's share: those of its camera with the most. */
  countOfLink(linkUuid: Ruuid): number {
    const members = this.#walls.get(linkUuid);
    if (members === undefined) return this.count(linkUuid);
    let most = 0;
    for (const audienceUuid of members) most = Math.max(most, this.count(audienceUuid));
    return most;
  }

  /** The viewer is at one more node. */
  add(audienceUuid: Ruuid, viewerId: string, media: AudienceMedia): void {
    const { viewers } = this.#audienceOf(audienceUuid, media);
    const nodes = viewers.get(viewerId) ?? 0;
    viewers.set(viewerId, nodes + 1);
    if (nodes === 0) this.#tell('CREATE', audienceUuid, viewerId);
  }

  /** The viewer is at one node fewer. */
  remove(audienceUuid: Ruuid, viewerId: string): void {
    const audience = this.#audiences.get(audienceUuid);
    const nodes = audience?.viewers.get(viewerId);
    if (audience === undefined || nodes === undefined) return;
    if (nodes > 1) {
      audience.viewers.set(viewerId, nodes - 1);
      return;
    }
    audience.viewers.delete(viewerId);
    this.#tell('DELETE', audienceUuid, viewerId);
    if (audience.viewers.size === 0) this.#forget(audienceUuid, audience.media);
  }

  #tell(type: 'CREATE' | 'DELETE', audienceUuid: Ruuid, viewerId: string): void {
    const { media } = this.#audiences.get(audienceUuid)!;
    const { orgUuid, cameraUuid, linkUuid } = media;
    const viewers = linkUuid === null ? 0 : this.countOfLink(linkUuid);
    this.#onChange({ type, orgUuid, cameraUuid, linkUuid, viewerId, viewers });
  }

  #audienceOf(audienceUuid: Ruuid, media: AudienceMedia): Audience {
    const known = this.#audiences.get(audienceUuid);
    if (known !== undefined) return known;
    const audience: Audience = { media, viewers: new Map() };
    this.#audiences.set(audienceUuid, audience);
    const { linkUuid } = media;
    if (linkUuid !== null && linkUuid !== audienceUuid) {
      const members = this.#walls.get(linkUuid);
      if (members === undefined) this.#walls.set(linkUuid, new Set([audienceUuid]));
      else members.add(audienceUuid);
    }
    return audience;
  }

  #forget(audienceUuid: Ruuid, { linkUuid }: AudienceMedia): void {
    this.#audiences.delete(audienceUuid);
    if (linkUuid === null || linkUuid === audienceUuid) return;
    const members = this.#walls.get(linkUuid);
    members?.delete(audienceUuid);
    if (members?.size === 0) this.#walls.delete(linkUuid);
  }
}
