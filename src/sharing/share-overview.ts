/** All links of an organization with their current state, their viewers, and their next change: lists for people. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { firstInSlices } from '../core/first-in-slices.ts';
import { hasWords, searchWords } from '../core/folded-text.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { mapInSlices } from '../core/sliced-work.ts';
import { seeingAll } from '../store/acting-view.ts';
import type { LinkCreator, ShareCreator } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { CatalogKind, CatalogLink, ShareCatalog } from './share-catalog.ts';
import {
  nextChange,
  type Shown,
  type Visibility,
  type VisibilityChange,
  visibilitySentence,
} from './share-visibility.ts';
import type { ViewerCalls } from './viewer-service.ts';

/** The most rows on a page. */
export const MAX_OVERVIEW_ROWS = 500;

export const OVERVIEW_STATES = ['VISIBLE', 'HIDDEN', 'EXPIRED', 'CAMERA_REMOVED'] as const;

/** The state of a link at one instant, in a word. */
export type OverviewState = (typeof OVERVIEW_STATES)[number];

export const OVERVIEW_ORDERS = ['CREATED', 'NAME', 'CAMERA', 'EXPIRATION', 'STATE'] as const;

/** Absent: any. */
export interface OverviewQuery {
  /** Words in the names of the link, its camera, and its location; order, case, and accents do not count. */
  readonly text?: string;
  readonly states?: readonly OverviewState[];
  /** Only these. */
  readonly uuids?: readonly Ruuid[];
  readonly creatorUuid?: Ruuid;
  readonly kinds?: readonly CatalogKind[];
  /** Also walls that show it. */
  readonly cameraUuid?: Ruuid;
  readonly locationUuid?: Ruuid;
  /** Also walls of which one camera follows it. */
  readonly scheduleUuid?: Ruuid;
  readonly isProtected?: boolean;
  readonly expiresBeforeSec?: number;
  /** Default false. */
  readonly withStateCounts?: boolean;
  readonly order: (typeof OVERVIEW_ORDERS)[number];
  readonly isDescending: boolean;
  readonly offset: number;
  /** At most MAX_OVERVIEW_ROWS. */
  readonly limit: number;
}

export interface OverviewRow {
  readonly link: CatalogLink;
  readonly name: string;
  readonly cameraName: string;
  /** Only for a shared wall. */
  readonly cameraCount: number | null;
  /** The wall of a shared wall. */
  readonly wallUuid: Ruuid | null;
  readonly timeZones: readonly string[];
  readonly locationUuid: Ruuid | null;
  readonly locationName: string;
  readonly scheduleName: string | null;
  readonly state: OverviewState;
  readonly visibility: Visibility;
  /** null: time alone changes nothing. */
  readonly next: VisibilityChange | null;
  /** On all nodes. */
  readonly viewers: number;
  /** null: the link has not been watched, or the audit trail no longer reaches back that far. */
  readonly lastViewedAtMs: number | null;
  /** null: the audit trail no longer reaches back that far. */
  readonly creator: ShareCreator | null;
  /** The creator is a person who was removed or disabled since. */
  readonly hasCreatorLeft: boolean;
}

export interface Overview {
  readonly rows: readonly OverviewRow[];
  /** How many match, on all pages. */
  readonly total: number;
  /** null: the query does not request them. */
  readonly counts: OverviewCounts | null;
}

/** How many links are in each state, by all filters except those by state and by end. */
export interface OverviewCounts {
  readonly byState: Readonly<Record<OverviewState, number>>;
  /** Those that have not ended yet, and end within 24 hours. */
  readonly endingWithinDay: number;
}

/** The state of one link at a chosen time. */
export interface LinkVisibility extends ShownAt {
  readonly link: CatalogLink;
  readonly atMs: number;
  readonly timeZone: string;
  /** The cameras of a shared wall, in the order of its tiles; empty for other links. */
  readonly cameras: readonly (ShownAt & { readonly cameraUuid: Ruuid; readonly name: string })[];
}

interface ShownAt {
  readonly visibility: Visibility;
  readonly sentence: string;
  readonly next: VisibilityChange | null;
}

export interface ShareOverviewOptions {
  readonly catalog: ShareCatalog;
  readonly viewing: Pick<ViewerCalls, 'countViewers'>;
  readonly store: Pick<Store, 'audit' | 'people'>;
  /** As in AuditReading. */
  readonly audit: { settled(): Promise<void> };
  readonly clock: Clock;
}

type Compare = (a: CatalogLink, b: CatalogLink) => number;

const NAMES = new Intl.Collator('en');
/** States other than these are as good as hidden. */
const STATE_BY_REASON: Readonly<Record<string, OverviewState>> = {
  expired: 'EXPIRED',
  'device-removed': 'CAMERA_REMOVED',
};
const DAY_SEC = 86_400;

export class ShareOverview {
  readonly #options: ShareOverviewOptions;

  constructor(options: ShareOverviewOptions) {
    this.#options = options;
  }

  /** One page of the links that match. Works in slices. */
  async page(orgUuid: Ruuid, query: OverviewQuery): Promise<Overview> {
    const { catalog, clock } = this.#options;
    await catalog.current();
    const chosen = await this.#chosen(orgUuid, query);
    const nowMs = clock.epochMs();
    const { offset, limit } = query;
    const tally = query.withStateCounts === true ? new StateTally(nowMs) : null;
    const matching = this.#matching(orgUuid, query, chosen, nowMs, tally);
    const { items, total } = await firstInSlices(matching, offset + limit, this.#compare(query, nowMs));
    const links = items.slice(offset);
    const uuids = links.map(({ uuid }) => uuid);
    const { audit } = this.#options.store;
    const [viewers, lastViewed, creators] = await Promise.all([
      this.#viewers(uuids),
      audit.lastViewed(orgUuid, uuids),
      audit.creatorsOf(orgUuid, uuids),
    ]);
    const present = await this.#present(orgUuid, creators.values());
    const rows = await mapInSlices(links, (link, index) => {
      const count = viewers[index] ?? 0;
      const lastViewedAtMs = count > 0 ? nowMs : (lastViewed.get(link.uuid) ?? null);
      const creator = creators.get(link.uuid) ?? null;
      const hasCreatorLeft = creator?.isPerson === true && !present.has(creator.uuid);
      return { ...this.#row(link, nowMs, count, lastViewedAtMs, creator), hasCreatorLeft };
    });
    return { rows, total, counts: tally };
  }

  /** The creators of links, by name, as far as the audit trail reaches. */
  async creators(orgUuid: Ruuid): Promise<ShareCreator[]> {
    const { audit, store } = this.#options;
    await audit.settled();
    return store.audit.creators(orgUuid);
  }

  /** What a link shows at `atMs` by the current rules. The default is now. Fails SHARE_NOT_FOUND. */
  async visibility(orgUuid: Ruuid, uuid: Ruuid, atMs?: number): Promise<LinkVisibility> {
    const { catalog, clock } = this.#options;
    await catalog.current();
    const link = catalog.find(orgUuid, uuid);
    if (link === null) throw new GatewayError(SHARING_ERRORS.SHARE_NOT_FOUND, { share: uuid });
    const epochMs = atMs ?? clock.epochMs();
    const timeZone = catalog.timeZoneOf(link);
    return {
      link,
      atMs: epochMs,
      timeZone,
      ...shownAt(catalog.shown(link), epochMs, timeZone),
      cameras: catalog.shownCameras(link).map(({ cameraUuid, name, timeZone: zone, shown }) => ({
        cameraUuid,
        name,
        ...shownAt(shown, epochMs, zone),
      })),
    };
  }

  /** The links that the query is limited to; null: all. Waits until the audit trail is complete. */
  async #chosen(orgUuid: Ruuid, { uuids, creatorUuid }: OverviewQuery): Promise<ReadonlySet<Ruuid> | null> {
    const { audit, store } = this.#options;
    await audit.settled();
    const named = uuids === undefined ? null : new Set(uuids);
    if (creatorUuid === undefined) return named;
    const created = await store.audit.createdBy(orgUuid, creatorUuid);
    return named === null ? created : created.intersection(named);
  }

  *#matching(
    orgUuid: Ruuid,
    query: OverviewQuery,
    chosen: ReadonlySet<Ruuid> | null,
    nowMs: number,
    tally: StateTally | null,
  ): Iterable<CatalogLink | undefined> {
    const { catalog } = this.#options;
    const words = searchWords(query.text ?? '');
    const { states, expiresBeforeSec } = query;
    for (const link of catalog.links(orgUuid)) {
      const isCounted =
        link !== undefined &&
        (chosen === null || chosen.has(link.uuid)) &&
        this.#matches(link, query) &&
        this.#hasWords(link, words);
      if (!isCounted) {
        yield undefined;
        continue;
      }
      const state = tally === null && states === undefined ? null : stateOf(catalog.shown(link).at(nowMs));
      if (state !== null) tally?.add(link, state);
      const isFound =
        (states === undefined || states.includes(state!)) &&
        (expiresBeforeSec === undefined ||
          (link.expiresAtSec ?? Number.POSITIVE_INFINITY) < expiresBeforeSec);
      yield isFound ? link : undefined;
    }
  }

  #matches(link: CatalogLink, query: OverviewQuery): boolean {
    const { kinds, cameraUuid, locationUuid, scheduleUuid, isProtected } = query;
    const { catalog } = this.#options;
    return (
      (kinds === undefined || kinds.includes(link.kind)) &&
      (cameraUuid === undefined || catalog.showsCamera(link, cameraUuid)) &&
      (scheduleUuid === undefined || catalog.usesSchedule(link, scheduleUuid)) &&
      (isProtected === undefined || link.isProtected === isProtected) &&
      (locationUuid === undefined || catalog.locationOf(link) === locationUuid)
    );
  }

  #hasWords(link: CatalogLink, words: readonly string[]): boolean {
    if (words.length === 0) return true;
    const { catalog } = this.#options;
    const site = catalog.locationName(catalog.locationOf(link));
    return hasWords(`${catalog.nameOf(link)} ${catalog.cameraNameOf(link)} ${site}`, words);
  }

  #compare({ order, isDescending }: OverviewQuery, nowMs: number): Compare {
    const { catalog } = this.#options;
    const compare = COMPARISONS[order](catalog, nowMs);
    const sign = isDescending ? -1 : 1;
    return (a, b) => sign * compare(a, b) || b.createdAtMs - a.createdAtMs || (a.uuid < b.uuid ? -1 : 1);
  }

  /** Those of the people who created links that can still sign in. Callers with limited rights see no people, and learn only this. */
  async #present(orgUuid: Ruuid, creators: Iterable<LinkCreator>): Promise<ReadonlySet<Ruuid>> {
    if (![...creators].some(({ isPerson }) => isPerson)) return new Set();
    const people = await seeingAll(() => this.#options.store.people.list(orgUuid));
    return new Set(people.filter(({ disabled }) => !disabled).map(({ uuid }) => uuid));
  }

  async #viewers(uuids: readonly Ruuid[]): Promise<readonly number[]> {
    return uuids.length === 0 ? [] : this.#options.viewing.countViewers(uuids);
  }

  #row(
    link: CatalogLink,
    nowMs: number,
    viewers: number,
    lastViewedAtMs: number | null,
    creator: ShareCreator | null,
  ): Omit<OverviewRow, 'hasCreatorLeft'> {
    const { catalog } = this.#options;
    const shown = catalog.shown(link);
    const visibility = shown.at(nowMs);
    const locationUuid = catalog.locationOf(link);
    return {
      link,
      name: catalog.nameOf(link),
      cameraName: catalog.cameraNameOf(link),
      cameraCount: link.kind === 'WALL' ? catalog.shownCameras(link).length : null,
      wallUuid: catalog.wallOf(link),
      timeZones: catalog.timeZonesOf(link),
      locationUuid,
      locationName: catalog.locationName(locationUuid),
      scheduleName: catalog.scheduleOf(link)?.name ?? null,
      state: stateOf(visibility),
      visibility,
      next: nextChange(shown, nowMs),
      viewers,
      lastViewedAtMs,
      creator,
    };
  }
}

class StateTally implements OverviewCounts {
  readonly byState: Record<OverviewState, number> = { VISIBLE: 0, HIDDEN: 0, EXPIRED: 0, CAMERA_REMOVED: 0 };
  endingWithinDay = 0;
  readonly #dayEndSec: number;

  constructor(nowMs: number) {
    this.#dayEndSec = Math.floor(nowMs / 1_000) + DAY_SEC;
  }

  add({ expiresAtSec }: CatalogLink, state: OverviewState): void {
    this.byState[state] += 1;
    if (state !== 'EXPIRED' && expiresAtSec !== null && expiresAtSec < this.#dayEndSec)
      this.endingWithinDay += 1;
  }
}

const COMPARISONS: Readonly<
  Record<OverviewQuery['order'], (catalog: ShareCatalog, nowMs: number) => Compare>
> = {
  CREATED: () => (a, b) => a.createdAtMs - b.createdAtMs,
  NAME: (catalog) => (a, b) => NAMES.compare(catalog.nameOf(a), catalog.nameOf(b)),
  CAMERA: (catalog) => (a, b) => NAMES.compare(catalog.cameraNameOf(a), catalog.cameraNameOf(b)),
  // Links that never expire are last.
  EXPIRATION: () => (a, b) => (a.expiresAtSec ?? Number.MAX_VALUE) - (b.expiresAtSec ?? Number.MAX_VALUE),
  STATE: (catalog, nowMs) => {
    const rank = (link: CatalogLink) => OVERVIEW_STATES.indexOf(stateOf(catalog.shown(link).at(nowMs)));
    return (a, b) => rank(a) - rank(b);
  },
};

/** In a word. */
export function stateOf({ reason }: Pick<Visibility, 'reason'>): OverviewState {
  return reason === null ? 'VISIBLE' : (STATE_BY_REASON[reason] ?? 'HIDDEN');
}

function shownAt(shown: Shown, epochMs: number, timeZone: string): ShownAt {
  const visibility = shown.at(epochMs);
  const sentence = visibilitySentence(visibility, epochMs, timeZone);
  return { visibility, sentence, next: nextChange(shown, epochMs) };
}
