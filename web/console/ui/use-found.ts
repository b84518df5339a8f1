/** What the search shows for a text: read when it opens, ranked here; shares are found by the gateway. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { FIND_SOURCES, fixedTargets, readSharesOf, readShareTargets } from '../find-sources.ts';
import {
  type Findable,
  type FindKind,
  type FoundGroup,
  findable,
  keyOf,
  offered,
  search,
  type Target,
  withRecent,
} from '../find-targets.ts';
import { may, session } from '../session.ts';
import { t } from '../words.ts';

/** A pause in typing after which the gateway is asked for shares. */
const TYPING_MS = 150;
const MIN_SHARE_LETTERS = 2;
const FORBIDDEN = 403;

export interface Found {
  readonly groups: readonly FoundGroup[];
  /** What could not be read. */
  readonly missing: readonly string[];
  readonly isSearching: boolean;
  /** Notes that someone opened it. */
  readonly opened: (target: Target) => void;
}

type Known = ReadonlyMap<FindKind, readonly Findable[]>;

/** Read before, by the person who reads them now: shown until it is read again. */
let kept: { readonly owner: string; readonly known: Known } = { owner: '', known: new Map() };

export function useFound(typed: string): Found {
  const owner = JSON.stringify(session.value?.person ?? null);
  const [recent] = useState(() => readRecent());
  const { known, missing, isReading } = useTargets(owner);
  const recentShares = useRecentShares(recent);
  const shares = useShares(typed.trim());
  const all = useMemo(() => [...fixedTargets(), ...[...known.values()].flat()], [known, owner]);
  const groups = useMemo(() => {
    if (typed.trim() === '') return offered([...all, ...recentShares], recent);
    return withShares(search([...all, ...shares.findables], typed), shares.total);
  }, [all, typed, recentShares, shares, recent]);
  return {
    groups,
    missing: shares.hasFailed ? [...missing, t('Shares')] : missing,
    isSearching: isReading || shares.isReading,
    opened: (target) => {
      if (target.kind !== 'action') writeRecent(withRecent(readRecent(), keyOf(target)));
    },
  };
}

/** The gateway's count: it may have more shares than it returned. */
function withShares(groups: readonly FoundGroup[], total: number): readonly FoundGroup[] {
  return groups.map((group) =>
    group.kind === 'share' ? { ...group, total: Math.max(total, group.total) } : group,
  );
}

function useTargets(owner: string) {
  const [known, setKnown] = useState<Known>(() => (kept.owner === owner ? kept.known : new Map()));
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [waiting, setWaiting] = useState(FIND_SOURCES.length);
  useEffect(() => {
    const left = new AbortController();
    const note = (kind: FindKind, targets: readonly Target[]) => {
      const before = kept.owner === owner ? kept.known : new Map();
      kept = { owner, known: new Map([...before, [kind, targets.map(findable)]]) };
      setKnown(kept.known);
    };
    for (const { kind, what, role, read } of FIND_SOURCES) {
      const reading = may(role) ? read(left.signal) : Promise.resolve([]);
      reading
        .then(
          (targets) => left.signal.aborted || note(kind, targets),
          (error: unknown) => {
            if (left.signal.aborted) return;
            // Such as the settings, which only administrators of the gateway's own organization see.
            const isForbidden = error instanceof CallError && error.status === FORBIDDEN;
            if (isForbidden) note(kind, []);
            else setMissing((old) => [...old, what]);
          },
        )
        .finally(() => left.signal.aborted || setWaiting((old) => old - 1));
    }
    return () => left.abort();
  }, [owner]);
  return { known, missing, isReading: waiting > 0 };
}

interface FoundShares {
  readonly findables: readonly Findable[];
  readonly total: number;
  readonly isReading: boolean;
  readonly hasFailed: boolean;
}

const NO_SHARES: FoundShares = { findables: [], total: 0, isReading: false, hasFailed: false };

/** While another text is being searched for, results of the last one stay as far as they match. */
function useShares(text: string): FoundShares {
  const [found, setFound] = useState(NO_SHARES);
  const count = useRef(0);
  useEffect(() => {
    count.current += 1;
    const mine = count.current;
    if (text.length < MIN_SHARE_LETTERS) {
      setFound(NO_SHARES);
      return;
    }
    const left = new AbortController();
    setFound((old) => ({ ...old, total: 0, isReading: true, hasFailed: false }));
    const timer = setTimeout(() => {
      readShareTargets(text, left.signal).then(
        ({ targets, total }) => {
          if (mine !== count.current) return;
          setFound({ findables: targets.map(findable), total, isReading: false, hasFailed: false });
        },
        () => {
          if (mine === count.current && !left.signal.aborted) setFound({ ...NO_SHARES, hasFailed: true });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text]);
  return found;
}

/** Shares among those that were opened last. A failure leaves them out: they are an offer. */
function useRecentShares(recent: readonly string[]): readonly Findable[] {
  const [found, setFound] = useState<readonly Findable[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const uuids = recent.filter((key) => key.startsWith('share:')).map((key) => key.slice('share:'.length));
    readSharesOf(uuids, left.signal).then(
      (targets) => setFound(targets.map(findable)),
      () => undefined,
    );
    return () => left.abort();
  }, [recent]);
  return found;
}

/** Each person of this browser has a list of their own; it has no names, which others could read. */
function storageKey(): string {
  return `sluice.found.${session.value?.person.personUuid ?? ''}`;
}

function readRecent(): readonly string[] {
  return (localStorage.getItem(storageKey()) ?? '').split('\n').filter(Boolean);
}

function writeRecent(recent: readonly string[]): void {
  localStorage.setItem(storageKey(), recent.join('\n'));
}
