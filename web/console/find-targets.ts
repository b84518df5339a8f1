/** What the search finds: how results are chosen and grouped. Pure. */

import { rankOf, type Searched, searchedOf, tokensOf } from './find-rank.ts';

/** In the order in which groups with equally good results appear. */
export const FIND_KINDS = [
  'camera',
  'site',
  'page',
  'action',
  'share',
  'wall',
  'nvr',
  'person',
  'schedule',
  'setting',
] as const;

export type FindKind = (typeof FIND_KINDS)[number];

export interface Target {
  readonly kind: FindKind;
  /** Unlike that of any other of its kind. */
  readonly id: string;
  readonly title: string;
  /** Next to the title, and searched, too. */
  readonly detail: string;
  /** Searched, and not shown. */
  readonly alias?: string;
  /** Where it leads; null: `run` does it here. */
  readonly href: string | null;
  readonly run?: () => Promise<void>;
  /** Of a camera, as its sign has it. */
  readonly state?: string;
}

export interface Findable {
  readonly target: Target;
  readonly searched: Searched;
}

export interface FoundGroup {
  /** null: those that were opened here last. */
  readonly kind: FindKind | null;
  readonly targets: readonly Target[];
  /** How many there are, beyond those that are shown. */
  readonly total: number;
}

export const MAX_SHOWN = 6;

export function findable(target: Target): Findable {
  const { title, detail, alias = '' } = target;
  return { target, searched: searchedOf(title, `${detail} ${alias}`) };
}

/** As in the list of recently opened ones. */
export function keyOf({ kind, id }: Pick<Target, 'kind' | 'id'>): string {
  return `${kind}:${id}`;
}

/** The best of each kind; kinds with a better first result are first. */
export function search(all: readonly Findable[], typed: string): readonly FoundGroup[] {
  const tokens = tokensOf(typed);
  const found = new Map<FindKind, { readonly target: Target; readonly score: number }[]>();
  for (const { target, searched } of all) {
    const score = rankOf(tokens, searched);
    if (score === null) continue;
    const group = found.get(target.kind);
    if (group === undefined) found.set(target.kind, [{ target, score }]);
    else group.push({ target, score });
  }
  return [...found]
    .map(([kind, results]) => {
      const best = results.toSorted(
        (a, b) => b.score - a.score || NAMES.compare(a.target.title, b.target.title),
      );
      const targets = best.slice(0, MAX_SHOWN).map(({ target }) => target);
      return { kind, targets, total: results.length, score: best[0]!.score };
    })
    .toSorted((a, b) => b.score - a.score || FIND_KINDS.indexOf(a.kind) - FIND_KINDS.indexOf(b.kind))
    .map(({ kind, targets, total }) => ({ kind, targets, total }));
}

/** Before something is typed: what was opened last, then actions and pages. `recent`: keys, the newest first. */
export function offered(all: readonly Findable[], recent: readonly string[]): readonly FoundGroup[] {
  const byKey = new Map(all.map(({ target }) => [keyOf(target), target]));
  const known = recent.flatMap((key) => byKey.get(key) ?? []).slice(0, MAX_SHOWN);
  const last: FoundGroup[] = known.length === 0 ? [] : [{ kind: null, targets: known, total: known.length }];
  const rest = (['action', 'page'] as const).flatMap((kind): FoundGroup[] => {
    const targets = all.flatMap(({ target }) => (target.kind === kind ? target : []));
    return targets.length === 0 ? [] : [{ kind, targets, total: targets.length }];
  });
  return [...last, ...rest];
}

/** With this one as the newest. `recent`: keys, the newest first. */
export function withRecent(recent: readonly string[], key: string): readonly string[] {
  return [key, ...recent.filter((other) => other !== key)].slice(0, MAX_RECENT);
}

/** More than are shown: some may no longer exist. */
const MAX_RECENT = 12;
const NAMES = new Intl.Collator(undefined, { numeric: true });
