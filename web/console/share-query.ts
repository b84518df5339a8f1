/** Which shares a list shows, in the address of its page and as the gateway is asked. Pure. */

import type { Request } from './api.ts';
import type { ShareKind, ShareState } from './share-item.ts';
import { columnOf, isDescending as isReversed } from './sorting.ts';
import { t } from './words.ts';

/** The body for `camera/findSharedStreams`, without its page. */
export type ShareQuery = Omit<Request<'camera/findSharedStreams'>, 'offset' | 'limit'>;

/** By the names in the address; an empty text: any. */
export interface ShareFilter {
  readonly q: string;
  readonly state: string;
  readonly kind: string;
  readonly site: string;
  readonly camera: string;
  readonly by: string;
  readonly sort: string;
}

export const NO_FILTER: ShareFilter = { q: '', state: '', kind: '', site: '', camera: '', by: '', sort: '' };

interface StateChoice {
  readonly title: string;
  readonly states: readonly ShareState[];
  readonly withinSec?: number;
}

const DAY_SEC = 86_400;

export const STATE_CHOICES: Readonly<Record<string, StateChoice>> = {
  visible: { title: t('Visible'), states: ['VISIBLE'] },
  hidden: { title: t('Hidden now'), states: ['HIDDEN'] },
  soon: {
    title: t('Ending within 24 hours'),
    states: ['VISIBLE', 'HIDDEN', 'CAMERA_REMOVED'],
    withinSec: DAY_SEC,
  },
  ended: { title: t('Ended'), states: ['EXPIRED'] },
  removed: { title: t('Camera removed'), states: ['CAMERA_REMOVED'] },
};

export const KIND_CHOICES: Readonly<
  Record<string, { readonly title: string; readonly kinds: readonly ShareKind[] }>
> = {
  cameras: { title: t('Cameras'), kinds: ['STREAM'] },
  walls: { title: t('Walls'), kinds: ['WALL'] },
  clips: { title: t('Clips and timelapses'), kinds: ['CLIP_GROUP', 'TIMELAPSE_GROUP'] },
};

interface SortChoice extends Required<Pick<ShareQuery, 'order' | 'isDescending'>> {
  readonly title: string;
}

/** The first is the one without a choice. */
export const SORT_CHOICES: Readonly<Record<string, SortChoice>> = {
  '': { title: t('Newest first'), order: 'CREATED', isDescending: true },
  oldest: { title: t('Oldest first'), order: 'CREATED', isDescending: false },
  name: { title: t('By name'), order: 'NAME', isDescending: false },
  camera: { title: t('By camera'), order: 'CAMERA', isDescending: false },
  end: { title: t('By end'), order: 'EXPIRATION', isDescending: false },
  state: { title: t('By state'), order: 'STATE', isDescending: false },
};

/** Unknown values count as no choice. */
export function filterOf(params: Readonly<Record<string, string | undefined>>): ShareFilter {
  const { q = '', state = '', kind = '', site = '', camera = '', by = '', sort = '' } = params;
  return {
    q,
    site,
    camera,
    by,
    state: Object.hasOwn(STATE_CHOICES, state) ? state : '',
    kind: Object.hasOwn(KIND_CHOICES, kind) ? kind : '',
    sort: Object.hasOwn(SORT_CHOICES, columnOf(sort)) ? sort : '',
  };
}

/** Behind a `?`; empty: nothing is chosen. */
export function filterText(filter: ShareFilter): string {
  const chosen = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams(chosen).toString();
}

/** Without the order. */
export function isFiltered({ sort: _sort, ...filter }: ShareFilter): boolean {
  return Object.values(filter).some((value) => value !== '');
}

export function queryBody(filter: ShareFilter, nowMs: number): ShareQuery {
  const { q, site, camera, by } = filter;
  const state = STATE_CHOICES[filter.state];
  const { order, isDescending } = SORT_CHOICES[columnOf(filter.sort)]!;
  return {
    ...(q.trim() === '' ? {} : { text: q.trim() }),
    ...(state === undefined ? {} : { states: state.states }),
    ...(state?.withinSec === undefined ? {} : { expiresBefore: Math.floor(nowMs / 1_000) + state.withinSec }),
    ...(filter.kind === '' ? {} : { kinds: KIND_CHOICES[filter.kind]!.kinds }),
    ...(site === '' ? {} : { locationUuid: site }),
    ...(camera === '' ? {} : { cameraUuid: camera }),
    ...(by === '' ? {} : { creatorUuid: by }),
    order,
    isDescending: isDescending !== isReversed(filter.sort),
  };
}
