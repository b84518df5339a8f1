/** Moves of cameras on a plan: shown immediately, saved one after the other, and undone. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { placeOnPlan } from '../floor-plan.ts';
import type { PlacedCamera, PlanPlace } from '../plan-geometry.ts';

/** Keys move in steps: several are one move. */
const KEYS_MS = 500;
const MAX_UNDO = 50;

export interface PlanEdits {
  /** As they are shown: with moves that are not stored yet. */
  readonly places: ReadonlyMap<string, PlanPlace>;
  /** Shown only; `null`: it is taken off. */
  readonly preview: (cameraUuid: string, place: PlanPlace | null) => void;
  /** Stores what is shown. */
  readonly commit: (cameraUuid: string) => void;
  /** For a step of many: stores it when no other follows soon. */
  readonly commitSoon: (cameraUuid: string) => void;
  /** Null: there is nothing to undo. */
  readonly undo: (() => void) | null;
  readonly error: CallError | null;
}

interface Undoable {
  readonly cameraUuid: string;
  readonly before: PlanPlace | null;
}

export function usePlanEdits(
  locationUuid: string,
  stored: readonly PlacedCamera[],
  /** It is stored: the reading is to show it. */
  onSaved: (cameraUuid: string, place: PlanPlace | null) => void,
): PlanEdits {
  const [own, setOwn] = useState<ReadonlyMap<string, PlanPlace | null>>(new Map());
  const [undoable, setUndoable] = useState<readonly Undoable[]>([]);
  const [error, setError] = useState<CallError | null>(null);
  const newest = useRef(own);
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const line = useRef<Promise<void>>(Promise.resolve());
  const known = new Map(stored.map(({ cameraUuid, ...place }) => [cameraUuid, place as PlanPlace]));
  const knownNow = useRef(known);
  knownNow.current = known;
  useEffect(
    () => () => {
      for (const timer of timers.current.values()) clearTimeout(timer);
    },
    [],
  );

  const show = (cameraUuid: string, place: PlanPlace | null | undefined) => {
    const next = new Map(newest.current);
    if (place === undefined) next.delete(cameraUuid);
    else next.set(cameraUuid, place);
    newest.current = next;
    setOwn(next);
  };
  const save = (cameraUuid: string, place: PlanPlace | null) => {
    // One after the other: the last one wins, also at the gateway.
    line.current = line.current.then(async () => {
      try {
        await placeOnPlan(locationUuid, cameraUuid, place);
        setError(null);
        onSaved(cameraUuid, place);
        // From now on, what others do with it shows.
        if (newest.current.get(cameraUuid) === place) show(cameraUuid, undefined);
      } catch (thrown) {
        if (!(thrown instanceof CallError)) throw thrown;
        setError(thrown);
        show(cameraUuid, undefined);
      }
    });
  };
  const commit = (cameraUuid: string) => {
    clearTimeout(timers.current.get(cameraUuid));
    timers.current.delete(cameraUuid);
    const place = newest.current.get(cameraUuid);
    if (place === undefined) return;
    const before = knownNow.current.get(cameraUuid) ?? null;
    setUndoable((old) => [...old, { cameraUuid, before }].slice(-MAX_UNDO));
    save(cameraUuid, place);
  };
  const last = undoable.at(-1);
  return {
    places: shownPlaces(known, own),
    preview: show,
    commit,
    commitSoon: (cameraUuid) => {
      clearTimeout(timers.current.get(cameraUuid));
      timers.current.set(
        cameraUuid,
        setTimeout(() => commit(cameraUuid), KEYS_MS),
      );
    },
    undo:
      last === undefined
        ? null
        : () => {
            setUndoable((old) => old.slice(0, -1));
            show(last.cameraUuid, last.before);
            save(last.cameraUuid, last.before);
          },
    error,
  };
}

function shownPlaces(
  known: ReadonlyMap<string, PlanPlace>,
  own: ReadonlyMap<string, PlanPlace | null>,
): ReadonlyMap<string, PlanPlace> {
  const shown = new Map(known);
  for (const [cameraUuid, place] of own) {
    if (place === null) shown.delete(cameraUuid);
    else shown.set(cameraUuid, place);
  }
  return shown;
}
